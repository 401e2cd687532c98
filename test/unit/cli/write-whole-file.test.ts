import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeWholeFile } from "../../../src/cli/files";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";

describe("writeWholeFile", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rnv-write-"));
    path = join(folder, "plan");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

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

  it("keeps a file that is there when it is asked to, and says so", () => {
    writeFileSync(path, "mine");
    expect(() => writeWholeFile(path, "new", { keep: true })).toThrow(DiagnosticsError);
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["plan"]);
  });

  it("says which file could not be written", () => {
    const missing = join(folder, "no", "plan");
    expect(() => writeWholeFile(missing, "text")).toThrow(`cannot write ${missing} (ENOENT)`);
  });
});
