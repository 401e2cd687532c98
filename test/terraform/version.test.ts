import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/temp-folder";
import { versionOf } from "../support/terraform";

describe("the version of a program", () => {
  const folder = newFolder("version");

  it.each([
    ["that answers", 'echo \'{ "terraform_version": "1.12.6" }\'', 1.12],
    ["that warns first", 'echo "Warning: {}"; echo \'{ "terraform_version": "1.9.0-rc2" }\'', 1.09],
    ["that fails", "exit 1", undefined],
    ["that answers something else", "echo 1.11", undefined],
  ])("is read of a program %s", (_, script, version) => {
    const path = join(folder, "terraform");
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    expect(versionOf(path)).toBe(version);
  });
});
