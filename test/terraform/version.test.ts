import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { versionOf } from "../support/terraform";

describe("the version of a program", () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-version-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["that answers", 'echo \'{ "terraform_version": "1.12.6" }\'', 1.12],
    ["that warns first", 'echo "Warning: {}"; echo \'{ "terraform_version": "1.9.0-rc2" }\'', 1.09],
    ["that fails", "exit 1", undefined],
    ["that answers something else", "echo 1.11", undefined],
  ])("is read of one %s", (_, script, version) => {
    const path = join(folder, "terraform");
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    expect(versionOf(path)).toBe(version);
  });
});
