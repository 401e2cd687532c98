import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTerminal, wholeWrites } from "../../../src/cli/terminal";
import { fakeStreams } from "./fake-streams";

describe("wholeWrites", () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-writes-"));
  const path = join(folder, "out");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const terminalOver = (fd: number, write?: Parameters<typeof wholeWrites>[1]) => {
    const stdout = wholeWrites(Object.assign(fakeStreams().stdout, { fd }), write);
    return createTerminal({ ...fakeStreams(), stdout }, { environment: {}, noColor: false });
  };

  it("writes one text after the other", async () => {
    const fd = openSync(path, "w");
    const terminal = terminalOver(fd);
    terminal.out("all of it, ");
    terminal.out("whatever a single write takes\n");
    await terminal.flush();
    closeSync(fd);
    expect(readFileSync(path, "utf8")).toBe("all of it, whatever a single write takes\n");
    expect(terminal.lostOutput()).toBeUndefined();
  });

  it("tells of a file that takes no more", async () => {
    const fd = openSync(path, "w");
    const terminal = terminalOver(fd, (to, bytes) => {
      writeSync(to, bytes, 0, 5);
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    });
    terminal.out("first of it, and the rest\n");
    await terminal.flush();
    closeSync(fd);
    expect(readFileSync(path, "utf8")).toBe("first");
    expect(terminal.lostOutput()?.code).toBe("ENOSPC");
  });

  it("leaves what is no file as it is", () => {
    const { stdout } = fakeStreams();
    expect(wholeWrites(stdout)).toBe(stdout);
  });
});
