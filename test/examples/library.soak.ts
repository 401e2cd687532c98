import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import * as rnv from "../../src";
import {
  createEmulator,
  type EmulatorServer,
  embeddedApiKey,
  embeddedWorkspaceId,
  serveEmulator,
} from "../../src/emulator/testing";
import { builtLibrary } from "../support/built-library";
import { closing } from "../support/closing";
import { finished } from "../support/finished";
import { listen } from "../support/listen";
import { settingsOf } from "../support/settings";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");
const examples = join(root, "examples/library");

describe("the examples of the library", () => {
  const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
  let server: EmulatorServer;
  let folder: string;
  beforeAll(async () => {
    builtLibrary();
    server = closing(await serveEmulator(emulator));
    folder = newFolder("library");
  });

  const start = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, words, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...settingsOf(server.url), ...env },
    });
  const run = (...words: readonly string[]) => finished(start(words));
  const tsx = ["--import", require.resolve("tsx")];

  it("previews.mts makes a preview for each pull request, and destroys one of them", async () => {
    const previews = (...words: readonly string[]) => run(...tsx, join(examples, "previews.mts"), ...words);
    for (const number of ["12", "13"])
      expect(await previews("create", number)).toMatchObject({ code: 0, stderr: "" });
    const names = () => emulator.store.projects().map(({ name }) => name);
    expect(names()).toEqual(["Preview 12", "Preview 13"]);
    expect(await previews("destroy", "12")).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(names()).toEqual(["Preview 13"]);
    expect(await previews("destroy", "12")).toMatchObject({ code: 0 });
  }, 60_000);

  it("drift-service.mts tells a webhook what changed, once, and ends with SIGTERM", async () => {
    const shop = join(folder, "shop");
    mkdirSync(shop);
    writeFileSync(join(shop, "rnv.yaml"), "projects: { watched: { description: ours } }");
    const context = rnv.openContext({
      ...{ cwd: shop, baseUrl: server.url, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey },
      state: ".rnv/state.json",
    });
    expect(await rnv.apply(context)).toMatchObject({ exitCode: 0 });
    await context.close();
    const posted: string[] = [];
    const webhook = createServer(async (request, response) => {
      posted.push(await text(request));
      webhook.emit("posted");
      response.end();
    });
    const { url } = closing(await listen(webhook));
    const service = start([...tsx, join(examples, "drift-service.mts"), shop], {
      ...{ WEBHOOK: `${url}/`, EVERY_SECONDS: "0.05" },
    });
    const isPosted = async (word: string) => {
      while (!posted.some((one) => one.includes(word))) await once(webhook, "posted");
    };
    await isPosted("no drift");
    const project = emulator.store.projects().find(({ name }) => name === "watched");
    emulator.store.editProject(project?.id as string, { description: "theirs" });
    await isPosted("drift: project.watched");
    service.kill("SIGTERM");
    expect(await once(service, "close")).toEqual([0, null]);
    expect(posted).toHaveLength(2);
  }, 60_000);

  it("shop.node.test.mjs passes under node:test", async () => {
    const { code, stdout } = await run("--test", join(examples, "shop.node.test.mjs"));
    expect([code, stdout]).toEqual([0, expect.stringContaining("# pass 1")]);
  }, 60_000);

  it("shop.jest.test.mjs passes under jest", async () => {
    const options = { rootDir: examples, testEnvironment: "node", transform: {}, testMatch: ["**/*.jest.*"] };
    const jest = join(root, "node_modules/jest/bin/jest.js");
    const words = ["--experimental-vm-modules", jest, "--config", JSON.stringify(options)];
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, expect.stringContaining("1 passed")]);
  }, 60_000);
});
