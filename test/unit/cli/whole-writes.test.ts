import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTerminal, wholeWrites } from "../../../src/cli/terminal";
import { fakeStreams } from "./fake-streams";

describe("wholeWrites", () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-writes-"));
  const path = join(folder, "out");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const terminalOver = (fd: number, room: () => number) => {
    const stream = Object.assign(fakeStreams().stdout, { fd });
    const stdout = wholeWrites(stream, (to, bytes) =>
      writeSync(to, bytes, 0, Math.min(bytes.length, room())),
    );
    return createTerminal({ ...fakeStreams(), stdout }, { environment: {}, noColor: false });
  };

  it("writes the rest of what a file took a part of", async () => {
    const fd = openSync(path, "w");
    const terminal = terminalOver(fd, () => 3);
    terminal.out("all of it, whatever a single write takes\n");
    await terminal.flush();
    closeSync(fd);
    expect(readFileSync(path, "utf8")).toBe("all of it, whatever a single write takes\n");
    expect(terminal.lostOutput()).toBeUndefined();
  });

  it("tells of a file that takes no more", async () => {
    const fd = openSync(path, "w");
    let room = 5;
    const terminal = terminalOver(fd, () => {
      const left = room;
      room = 0;
      return left;
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
