import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import {
  createEmulator,
  type EmulatorServer,
  embeddedApiKey,
  embeddedWorkspaceId,
  serveEmulator,
} from "terraform-provider-rnv/testing";

/** The stacks, applied to a service within this process. */
describe("the shop in two environments", () => {
  const emulator = createEmulator({ deploySeconds: 0.05 });
  const { store } = emulator;
  let server: EmulatorServer;
  let env: NodeJS.ProcessEnv;
  const state = ".rnv-test";

  const rnv = (...args: readonly string[]): Promise<number | null> =>
    new Promise((resolve, reject) => {
      const child = spawn("node_modules/.bin/rnv", args, { env, stdio: ["ignore", "ignore", "inherit"] });
      child.once("error", reject);
      child.once("close", resolve);
    });
  const replicas = (projectName: string): Record<string, unknown> => {
    const project = store.projects().find(({ name }) => name === projectName);
    const services = store.services().filter(({ projectId }) => projectId === project?.id);
    return Object.fromEntries(services.map(({ name, configuration }) => [name, configuration.replicas]));
  };

  before(async () => {
    server = await serveEmulator(emulator);
    env = {
      ...process.env,
      RNV_BASE_URL: server.url,
      RNV_WORKSPACE_ID: embeddedWorkspaceId,
      RNV_API_KEY: embeddedApiKey,
      RNV_STATE: `${state}/\${stack}.json`,
      SMTP_PASSWORD: "password-of-the-test",
    };
    assert.equal(await rnv("apply", "-auto-approve", "-input=false"), 0);
  });
  after(async () => {
    await server.close();
    rmSync(state, { recursive: true, force: true });
  });

  it("has at least two replicas of what serves production, and what was asked for elsewhere", () => {
    assert.deepEqual(replicas("Shop production"), { api: 3, site: 2 });
    assert.deepEqual(replicas("Shop staging"), { api: 3, site: 1 });
  });

  it("shows a page of each environment in the project of the platform", () => {
    const names = Object.keys(replicas("Platform")).sort();
    assert.deepEqual(names, ["cache", "mailer", "status-production", "status-staging"]);
  });

  it("plans to nothing once it is applied", async () => {
    assert.equal(await rnv("plan", "-f", "cdktf.out", "-detailed-exitcode"), 0);
  });
});
