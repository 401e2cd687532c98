import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeIgnoredFolder, nodeDisk } from "../../../src/state/node-disk";
import { newFolder } from "../../support/temp-folder";

describe("a folder .rnv", () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder("ignored");
  });
  const ignoreFile = () => join(folder, ".rnv", ".gitignore");

  it("ignores itself when it is made, however deep the folder lies that was asked for", async () => {
    await nodeDisk.makeFolder(join(folder, ".rnv", "backups", "deeper"));
    expect(readFileSync(ignoreFile(), "utf8")).toBe("*\n");
    writeFileSync(join(folder, ".rnv", "state.json"), "{}");
    execFileSync("git", ["init", "-q"], { cwd: folder });
    expect(execFileSync("git", ["status", "--short"], { cwd: folder, encoding: "utf8" })).toBe("");
  });

  it("is left unchanged where it exists", async () => {
    mkdirSync(join(folder, ".rnv"));
    await nodeDisk.makeFolder(join(folder, ".rnv"));
    await nodeDisk.makeFolder(join(folder, ".rnv", "backups"));
    makeIgnoredFolder(join(folder, ".rnv", "emulator"));
    expect(existsSync(ignoreFile())).toBe(false);
  });

  it("ignores itself, too, when the embedded platform makes it; other folders of states do not", async () => {
    makeIgnoredFolder(join(folder, ".rnv", "emulator"));
    expect(readFileSync(ignoreFile(), "utf8")).toBe("*\n");
    await nodeDisk.makeFolder(join(folder, "states", "production"));
    expect(existsSync(join(folder, "states", ".gitignore"))).toBe(false);
  });
});
