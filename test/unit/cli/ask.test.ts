import { createTerminalPrompter } from "../../../src/cli/prompt";
import { createTerminal } from "../../../src/cli/terminal";
import { fakeStreams } from "./fake-streams";

function asking() {
  const streams = fakeStreams({ tty: true });
  const controller = new AbortController();
  const terminal = createTerminal(streams, { environment: {}, noColor: false });
  return { streams, terminal, controller, ask: createTerminalPrompter(terminal, controller.signal) };
}

describe("createTerminalPrompter", () => {
  it("writes the question and resolves to the line typed", async () => {
    const { streams, terminal, ask } = asking();
    const answer = ask("Name? ");
    streams.stdin.write("api\n");
    expect(await answer).toBe("api");
    await terminal.flush();
    expect(streams.stdout.text).toBe("Name? ");
  });

  it("asks one question after the other", async () => {
    const { streams, ask } = asking();
    const first = ask("1? ");
    streams.stdin.write("one\n");
    expect(await first).toBe("one");
    const second = ask("2? ");
    streams.stdin.write("two\n");
    expect(await second).toBe("two");
  });

  it("has no answer at the end of input", async () => {
    const { streams, ask } = asking();
    const answer = ask("Name? ");
    streams.stdin.end();
    expect(await answer).toBeUndefined();
  });

  it("has no answer once the run is interrupted", async () => {
    const { controller, ask } = asking();
    const answer = ask("Name? ");
    controller.abort();
    expect(await answer).toBeUndefined();
    expect(await ask("Again? ")).toBeUndefined();
  });
});
