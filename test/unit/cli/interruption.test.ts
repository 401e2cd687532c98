import { EventEmitter } from "node:events";
import { listenForInterruption } from "../../../src/cli/invocation";

function listening() {
  const source = new EventEmitter();
  const calls: string[] = [];
  const interruption = listenForInterruption(source, () => calls.push("leave"));
  return { source, calls, ...interruption };
}

describe("listenForInterruption", () => {
  it("aborts with the first signal and leaves with the second", () => {
    const { source, calls, signal } = listening();
    expect(signal.aborted).toBe(false);
    source.emit("SIGINT");
    expect(signal.aborted).toBe(true);
    expect(calls).toEqual([]);
    source.emit("SIGTERM");
    expect(calls).toEqual(["leave"]);
  });

  it("gives the signals back", () => {
    const { source, calls, dispose } = listening();
    dispose();
    source.emit("SIGINT");
    expect(calls).toEqual([]);
    expect(source.listenerCount("SIGTERM")).toBe(0);
  });
});
