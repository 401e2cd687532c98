import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProgramRun, runProgram } from "../../../src/cli/fleet/run-program";

const run = (script: string, more: Partial<ProgramRun> = {}) =>
  runProgram({
    ...{ command: "sh", args: ["-c", script], cwd: "/", environment: { PATH: process.env.PATH ?? "" } },
    ...{ timeoutMs: 60_000, graceMs: 10, isReading: true, signal: new AbortController().signal, ...more },
  });

it("a timeout that no timer can wait for is a long one, and none that has passed already", async () => {
  expect(await run("echo done", { timeoutMs: 600 * 3_600_000 })).toMatchObject({
    ...{ exitCode: 0, stdout: "done\n", cause: "itself" },
  });
});

it("words, a folder and an environment that no program can be given are told, and nothing is thrown", async () => {
  for (const broken of [{ args: ["a\0b"] }, { environment: { RNV_STATE: "a\0b" } }, { cwd: "/is-not-there" }])
    expect(await run("true", broken)).toMatchObject({
      ...{ exitCode: undefined, cause: "not started", stderr: expect.stringContaining("cannot be started") },
    });
});

it("one that hangs is killed a grace after its time, and after an interruption where it writes nothing", async () => {
  const hangs = "trap '' INT; sleep 60";
  expect(await run(hangs, { timeoutMs: 10 })).toMatchObject({ exitCode: undefined, cause: "timeout" });
  const interrupted = AbortSignal.abort();
  expect(await run(hangs, { signal: interrupted })).toMatchObject({
    exitCode: undefined,
    cause: "interrupted",
  });
  // What is in flight comes to its end, however long ago the interruption.
  const folder = mkdtempSync(join(tmpdir(), "rnv-run-program-"));
  const writes = "trap 'sleep 0.3; echo written; exit 130' INT; touch ready; while :; do sleep 0.01; done";
  const controller = new AbortController();
  const how = { signal: controller.signal, isReading: false, graceMs: 1, cwd: folder };
  const ended = run(writes, how);
  while (!existsSync(join(folder, "ready"))) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  expect(await ended).toMatchObject({ exitCode: 130, cause: "interrupted", stdout: "written\n" });
  rmSync(folder, { recursive: true });
});
