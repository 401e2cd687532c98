import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { createLocalBackend } from "../../../src/state/stores/local-backend";
import { origin, stillClock } from "./fixtures";

jest.setTimeout(120_000);

/** One process: takes the lock a number of times and counts up in the outputs, or takes it and holds on. */
const program = `
  import { createLocalBackend } from "./src/state/stores/local-backend";
  import { emptyState, replayJournal } from "./src/state/recorded";
  const [path, name, rounds] = process.argv.slice(2);
  const isAlive = (pid: number) => { try { process.kill(pid, 0); return true; } catch { return false; } };
  const clock = { now: Date.now, elapsed: Date.now, sleep: () => new Promise<void>((wake) => setTimeout(wake, 5)) };
  const origin = ${JSON.stringify(origin)};
  const backend = createLocalBackend({ path, host: "here", pid: process.pid, isAlive, clock, ...origin });
  async function main() {
    for (let round = 0; round < Number(rounds) || rounds === "hold"; round += 1) {
      const since = new Date().toISOString();
      const session = await backend.lock({ id: name + "-" + round, host: "here", pid: process.pid, command: "test", since }, 60000);
      const state = session.state ?? (await session.commit(emptyState({ lineage: "line", ...origin })));
      const entry = { kind: "outputs", outputs: { count: Number(state.outputs.count ?? 0) + 1 } } as const;
      await session.append([entry], { durable: true });
      if (rounds === "hold") { process.send?.("held"); await new Promise(() => setInterval(() => {}, 1000)); }
      if (round % 2 === 0) await session.commit(replayJournal(state, [entry]));
      await session.release();
    }
  }
  main().catch((cause) => { console.error(cause); process.exit(1); });
`;

describe("processes that share a state", () => {
  let folder: string;
  let script: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rnv-state-"));
    script = join(folder, "program.js");
    const root = resolve(__dirname, "../../..");
    buildSync({
      stdin: { contents: program, resolveDir: root, loader: "ts" },
      bundle: true,
      platform: "node",
      outfile: script,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (path: string, name: string, rounds: string): ChildProcess =>
    fork(script, [path, name, rounds], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const read = (path: string) =>
    createLocalBackend({
      path,
      host: "here",
      pid: 1,
      isAlive: () => true,
      clock: stillClock(),
      ...origin,
    }).read();

  it("take turns: no count is lost", async () => {
    const path = join(folder, "turns", "state.json");
    const ends = ["a", "b", "c"].map((name) => once(start(path, name, "8"), "exit"));
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0]);
    expect((await read(path))?.outputs).toEqual({ count: 24 });
    expect(readdirSync(join(folder, "turns")).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });

  it("take over from one that was killed, with what it had made durable", async () => {
    const path = join(folder, "killed", "state.json");
    const holder = start(path, "holder", "hold");
    await once(holder, "message");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const ends = ["a", "b", "c"].map((name) => once(start(path, name, "1"), "exit"));
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0]);
    expect((await read(path))?.outputs).toEqual({ count: 4 });
    expect(readdirSync(join(folder, "killed")).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });
});
