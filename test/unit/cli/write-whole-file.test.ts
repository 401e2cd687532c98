import { execFile, execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { writeWholeFile } from "../../../src/cli/files";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { newFolder } from "../../support/temp-folder";

describe("writeWholeFile", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = newFolder("write");
    path = join(folder, "plan");
  });

  it("writes a file that only its user can read, and nothing beside it", () => {
    writeWholeFile(path, "text");
    expect(readFileSync(path, "utf8")).toBe("text");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["plan"]);
  });

  it("replaces a file, and the rights that it had", () => {
    writeFileSync(path, "old and longer", { mode: 0o644 });
    writeWholeFile(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("writes through a symbolic link, to a device and into a pipe", async () => {
    mkdirSync(join(folder, "pages"));
    symlinkSync("pages/plan", path);
    writeFileSync(join(folder, "pages/plan"), "old");
    writeWholeFile(path, "new");
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "pages/plan"), "utf8")).toBe("new");
    expect(() => writeWholeFile("/dev/full", "text")).toThrow(
      "cannot write /dev/full: there is no space left on the disk",
    );
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = promisify(execFile)("cat", [pipe]);
    writeWholeFile(pipe, "text");
    expect((await reader).stdout).toBe("text");
    expect(statSync("/dev/full").isCharacterDevice() && statSync(pipe).isFIFO()).toBe(true);
  });

  it("keeps a file that is there when it is asked to, and says so", () => {
    writeFileSync(path, "mine");
    expect(() => writeWholeFile(path, "new", { keep: true })).toThrow(DiagnosticsError);
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["plan"]);
  });

  it("says which file could not be written", () => {
    const missing = join(folder, "no", "plan");
    expect(() => writeWholeFile(missing, "text")).toThrow(
      `cannot write ${missing}: the folder ${dirname(missing)} does not exist`,
    );
  });
});
