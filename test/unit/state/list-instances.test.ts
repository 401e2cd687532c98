import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instancePlace, listInstances } from "../../../src/state/list-instances";

it("lists the instances that have a state, and no other folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rnv-instances-"));
  try {
    for (const name of ["pr-7", "pr-12", "pr-without", "other-3", "pr-"]) mkdirSync(join(folder, name));
    for (const name of ["pr-7", "pr-12", "other-3"]) writeFileSync(join(folder, name, "state.json"), "{}");
    const path = join(folder, `pr-${instancePlace}`, "state.json");
    expect(await listInstances({ kind: "file", path }, {} as never)).toEqual(["12", "7"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
