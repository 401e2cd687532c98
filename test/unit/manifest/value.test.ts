import { fork } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { manifestJson } from "../../../src/manifest/text/json";
import { programRunner } from "../../../src/manifest/text/run-program";
import { folderWith, load } from "./load";

const loadValue = (manifest: unknown) => load(folderWith({}), { manifest: manifestJson(manifest) });

const withService = (service: unknown) => ({ projects: { shop: { services: { api: service } } } });

describe("A manifest given as a value", () => {
  it("reads every text as it is", async () => {
    const text = "1.10 \u2028 \u0085\u007f\ufeff \ud83d\ude00 --- ${env.X:-a} # 'no' \"comment\"\n\t<<";
    const service = {
      kind: "web",
      archived: undefined,
      configuration: { branch: text, ignorePaths: ["a", undefined, "b"], replicas: 2 },
    };
    const manifest = { ...withService(service), outputs: { text }, "x-more": [-0.5, 1e21, null, true] };
    const given = await loadValue(manifest);
    expect(given.diagnostics).toEqual([]);
    const plain = given.desired?.resources.get("service.shop.api" as never)?.attributes;
    expect(plain?.get("configuration.branch")?.value).toBe(text.replace("${env.X:-a}", "a"));
    expect(plain?.get("configuration.ignorePaths")?.value).toEqual(["a", "b"]);
  });

  const cycle: unknown[] = [];
  cycle.push({ cycle });
  it.each([
    [Number.NaN, "is NaN"],
    [Number.NEGATIVE_INFINITY, "is -Infinity"],
    [1n, "is a bigint"],
    [() => 1, "is a function"],
    [new Date(0), "is an object of the class Date"],
    [new Map(), "is an object of the class Map"],
    [cycle, "[0].cycle refers to a value that it is in"],
  ])("refuses what JSON cannot hold: %p", async (port, problem) => {
    const { diagnostics } = await loadValue(withService({ configuration: { port } }));
    const path = "projects.shop.services.api.configuration.port";
    expect(diagnostics.map(({ summary }) => summary.replace(path, "").trim())).toEqual([problem]);
  });
});

it("a program that does not end is ended after its time", async () => {
  const cwd = folderWith({ "rnv.config.ts": "while (true) {}" });
  symlinkSync(join(__dirname, "..", "..", "..", "node_modules"), join(cwd, "node_modules"));
  const runProgram = programRunner({ timeoutMs: 3000, signal: new AbortController().signal });
  const loading = load(cwd, { runProgram });
  await new Promise((go) => setTimeout(go, 1000));
  // Node 20 collects a time limit that only a joined signal refers to.
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { diagnostics } = await loading;
  expect(diagnostics.map(({ summary }) => summary)).toEqual(["rnv.config.ts did not end within 3 s"]);
});

it("a program ends with its parent, and by itself where it waits for nothing", async () => {
  const cwd = folderWith({
    "waiting.mjs": 'console.log("waits"); setInterval(() => {}, 1000); await new Promise(() => {});',
    "ended.cjs": "module.exports = new Promise(() => {});",
  });
  const script = require.resolve("../../../src/manifest/text/evaluate-program");
  const run = (file: string) =>
    fork(script, [join(cwd, file)], {
      execArgv: ["--import", require.resolve("tsx")],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      timeout: 15_000,
      killSignal: "SIGKILL",
    });
  const [waiting, ended] = [run("waiting.mjs"), run("ended.cjs")];
  const ends = [once(waiting, "exit"), once(ended, "exit")];
  await once(waiting.stdout as NonNullable<typeof waiting.stdout>, "data");
  waiting.disconnect();
  expect(await Promise.all(ends)).toEqual([
    [0, null],
    [0, null],
  ]);
});
