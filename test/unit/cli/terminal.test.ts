import { join } from "node:path";
import { Writable } from "node:stream";
import { createTerminal } from "../../../src/cli/terminal";
import { casesIn } from "../../support/rows";
import { fakeStreams } from "./fake-streams";

const terminalOf = (tty: boolean, environment: Record<string, string> = {}, noColor = false) =>
  createTerminal(fakeStreams({ tty }), { environment, noColor });

/** An output whose writes fail. */
const failingWith = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

describe("createTerminal", () => {
  it.each(
    casesIn<[string, boolean, Record<string, string>, boolean, boolean]>(join(__dirname, "colours.json")),
  )("decides on colour for %s", (_name, tty, environment, noColor, expected) => {
    expect(terminalOf(tty, environment, noColor).color.out).toBe(expected);
  });

  it.each([
    ["a terminal", true, {}, true],
    ["a pipe", false, {}, false],
    ["CI", true, { CI: "true" }, false],
    ["a dumb terminal", true, { TERM: "dumb" }, false],
    ["CI=false", true, { CI: "false" }, true],
  ])("has columns, and rewrites lines, only where that is seen: %s", (_name, tty, environment, expected) => {
    const { live, width } = terminalOf(tty, environment as Record<string, string>);
    expect({ live, hasWidth: width !== undefined }).toEqual({ live: expected, hasWidth: expected });
  });

  it("is interactive only when input and output are a terminal", () => {
    const streams = fakeStreams({ tty: true });
    expect(createTerminal(streams, { environment: {}, noColor: false }).interactive).toBe(true);
    streams.stdin.isTTY = false;
    expect(createTerminal(streams, { environment: {}, noColor: false }).interactive).toBe(false);
  });

  it("continues without output once it is not read", async () => {
    const streams = fakeStreams();
    const stdout = failingWith("EPIPE");
    const terminal = createTerminal({ ...streams, stdout }, { environment: {}, noColor: false });
    terminal.out("one\n");
    await terminal.flush();
    terminal.out("two\n");
    terminal.err("still here\n");
    await terminal.flush();
    expect(streams.stderr.text).toBe("still here\n");
    expect(terminal.lostOutput()).toBeUndefined();
  });

  it("reports output that a full disk took away", async () => {
    const stdout = failingWith("ENOSPC");
    const terminal = createTerminal({ ...fakeStreams(), stdout }, { environment: {}, noColor: false });
    terminal.out("one\n");
    await terminal.flush();
    expect(terminal.lostOutput()?.code).toBe("ENOSPC");
  });

  it("keeps the order of standard output and standard error", () => {
    const order: string[] = [];
    const into = () =>
      new Writable({
        write: (chunk, _encoding, done) => {
          order.push(String(chunk));
          done();
        },
      });
    const streams = { ...fakeStreams(), stdout: into(), stderr: into() };
    const terminal = createTerminal(streams, { environment: {}, noColor: false });
    terminal.out("done\n");
    terminal.err("warning\n");
    expect(order).toEqual(["done\n", "warning\n"]);
  });

  it("has written everything once it is flushed", async () => {
    const written: string[] = [];
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        setImmediate(() => {
          written.push(String(chunk));
          done();
        });
      },
    });
    const terminal = createTerminal({ ...fakeStreams(), stdout }, { environment: {}, noColor: false });
    for (const text of ["a", "b", "c"]) terminal.out(text);
    await terminal.flush();
    expect(written.join("")).toBe("abc");
  });
});
