import { readFileSync, writeFileSync } from "node:fs";
import { holdLock } from "../../../src/commands/hold-lock";
import { createWorkbench, type Workbench } from "../../support/workbench";

describe("a wait for the lock of the state", () => {
  let bench: Workbench;
  const said: string[] = [];
  let onSaid = () => {};
  const say = (line: string) => {
    said.push(line);
    onSaid();
  };
  beforeEach(() => {
    bench = createWorkbench({ disk: "file system" });
    said.length = 0;
    onSaid = () => {};
  });
  afterEach(() => bench.remove());

  const holder = (command: string) => ({
    ...{ id: `${command}-lock`, host: "elsewhere", pid: 7, command },
    since: new Date(bench.clock.now()).toISOString(),
  });
  const wait = (timeoutMs: number) =>
    holdLock({ ...bench.context, say }, { command: "apply", timeoutMs }, async () => {}).then(
      () => undefined,
      ({ exitCode }) => exitCode,
    );

  it("is told at once, after ten and thirty seconds, and each minute, with what is left of it", async () => {
    await bench.context.backend.lock(holder("deploy"), 0);
    expect(await wait(130_000)).toBe(6);
    expect(said[0]).toBe(
      "The state is locked by deploy (pid 7 on elsewhere) for 0s; waiting at most 2m10s more",
    );
    const others = said
      .slice(1)
      .map((line) =>
        /^Still waiting for the lock of deploy \(pid 7 on elsewhere\) \((\w+) so far, at most (\w+) more\)$/.exec(
          line,
        ),
      );
    expect(others.map((found) => found?.[1])).toEqual(["10s", "30s", "1m1s", "2m1s"]);
  });

  it("names another holder as soon as that has it", async () => {
    await bench.context.backend.lock(holder("deploy"), 0);
    const path = `${bench.folder}/.rnv/state.json.lock`;
    onSaid = () => writeFileSync(path, readFileSync(path, "utf8").replaceAll("deploy", "restart"));
    expect(await wait(20_000)).toBe(6);
    expect(said.map((line) => line.replace(/ \(.*/, ""))).toEqual([
      "The state is locked by deploy",
      "The state is locked by restart",
      "Still waiting for the lock of restart",
    ]);
  });
});
