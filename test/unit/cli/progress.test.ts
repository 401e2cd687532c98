import { createProgress } from "../../../src/cli/progress";
import { createTerminal } from "../../../src/cli/terminal";
import type { Address } from "../../../src/model/address";
import type { ApplyEvent } from "../../../src/model/apply-event";
import { fakeStreams } from "./fake-streams";

const api = "service.shop.api" as Address;
const deployment = "deployment.shop.api" as Address;
const start = (address: Address): ApplyEvent => ({ type: "start", address, action: "create" });
const done = (address: Address): ApplyEvent => ({
  type: "done",
  address,
  action: "create",
  elapsedSeconds: 2,
});
const waiting: ApplyEvent = {
  type: "waiting",
  address: deployment,
  action: "create",
  elapsedSeconds: 10,
  status: "building",
  note: "a\u001b[2Jb",
};

/** A terminal that understands the two sequences the view may use; `lines` is what someone sees. */
function screen(width = 60) {
  const lines: string[] = [""];
  return {
    width,
    lines,
    out: (text: string): void => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences under test
      for (const part of text.split(/(\r?\u001b\[\d+[AJ]|\n)/)) {
        if (part.endsWith("[0J")) lines.splice(cursorOf(lines, text), lines.length, "");
        else if (part.includes("\u001b")) continue;
        else if (part === "\n") lines.push("");
        else lines[lines.length - 1] += part;
      }
    },
  };
}

/** The view always goes up and clears in one go: what stays is what stood above. */
function cursorOf(lines: readonly string[], text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  return lines.length - 1 - Number(/\u001b\[(\d+)A/.exec(text)?.[1]);
}

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

function live(width?: number) {
  const shown = screen(width);
  const environment = { TERM: "xterm" };
  const options = { environment, noColor: true };
  const terminal = Object.assign(createTerminal(fakeStreams({ tty: true }), options), { out: shown.out });
  Object.defineProperty(terminal, "width", { value: shown.width });
  const { signal } = new AbortController();
  const run = { terminal, environment, cwd: ".", format: "text", input: true, signal } as const;
  return { shown, progress: createProgress(run, undefined) };
}

describe("the live view of an apply", () => {
  it("shows each step in flight with a running clock", () => {
    const { shown, progress } = live();
    progress.emit(start(api));
    progress.emit(start(deployment));
    jest.advanceTimersByTime(65_100);
    expect(shown.lines.slice(-3)).toEqual([
      expect.stringMatching(/service\.shop\.api: Creating\.\.\. 1m5s$/),
      expect.stringMatching(/deployment\.shop\.api: Creating\.\.\. 1m5s$/),
      "",
    ]);
  });

  it("leaves a line for what is done above what is in flight", () => {
    const { shown, progress } = live();
    progress.emit(start(api));
    progress.emit(start(deployment));
    progress.emit(done(api));
    expect(shown.lines).toHaveLength(3);
    expect(shown.lines[0]).toBe("service.shop.api: Creation complete after 2s");
    expect(shown.lines[1]).toContain("deployment.shop.api: Creating...");
  });

  it("counts the changes of the whole run below them, and the time since it began", () => {
    const { shown, progress } = live();
    jest.advanceTimersByTime(5_000);
    for (const address of [api, deployment, "service.shop.web" as Address])
      progress.emit({ type: "planned", address, action: "create" });
    progress.emit(start(api));
    expect(shown.lines.at(-2)).toBe("  0 of 3 done, 0s");
    progress.emit(done(api));
    progress.emit(start(deployment));
    jest.advanceTimersByTime(32_100);
    expect(shown.lines.at(-2)).toBe("  1 of 3 done, 1 deploying, 32s");
    progress.emit(done(deployment));
    expect(shown.lines.at(-2)).not.toContain("of 3 done");
  });

  it("counts no deletion of a deployment as deploying", () => {
    const { shown, progress } = live();
    for (const address of [api, deployment]) progress.emit({ type: "planned", address, action: "delete" });
    progress.emit({ type: "start", address: deployment, action: "delete" });
    expect(shown.lines.at(-2)).toBe("  0 of 2 done, 0s");
  });

  it("counts a replacement once it has both ended and begun again", () => {
    const { shown, progress } = live();
    for (const address of [api, deployment]) progress.emit({ type: "planned", address, action: "replace" });
    progress.emit({ type: "start", address: api, action: "delete" });
    progress.emit({ ...done(api), action: "delete" } as ApplyEvent);
    progress.emit(start(api));
    expect(shown.lines.at(-2)).toBe("  0 of 2 done, 0s");
  });

  it("shows what a step waits for, without control characters", () => {
    const { shown, progress } = live();
    progress.emit(start(deployment));
    progress.emit(waiting);
    expect(shown.lines.at(-2)).toContain("building: a");
    expect(shown.lines.join("")).not.toContain("\u001b");
  });

  it("never writes a line as wide as the terminal", () => {
    const { shown, progress } = live(30);
    progress.emit(start("service.shop.a-very-long-name-of-a-service" as Address));
    expect(shown.lines.at(-2)?.length).toBeLessThan(30);
    expect(shown.lines.at(-2)).toMatch(/…$/);
  });

  it("counts what does not fit on the screen", () => {
    const { shown, progress } = live();
    for (let n = 0; n < 20; n += 1) progress.emit(start(`service.shop.s${n}` as Address));
    expect(shown.lines).toHaveLength(10);
    expect(shown.lines.at(-2)).toBe("  … and 12 more");
  });

  it("stops its clock once nothing is in flight, and clears the rest when it is closed", () => {
    const { shown, progress } = live();
    progress.emit(start(api));
    expect(jest.getTimerCount()).toBe(1);
    progress.emit(done(api));
    expect(jest.getTimerCount()).toBe(0);
    progress.emit(start(deployment));
    progress.close();
    expect(jest.getTimerCount()).toBe(0);
    expect(shown.lines).toEqual(["service.shop.api: Creation complete after 2s", ""]);
  });
});
