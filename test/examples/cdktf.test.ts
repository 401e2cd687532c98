import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { builtLibrary } from "../support/built-library";
import { approve, openScenario, type Scenario } from "../support/cli";

const root = join(__dirname, "..", "..");
const env = { SHOP_QUEUE_TOKEN: "example-queue-token", RNV_STATE_KEY: "5a".repeat(32) };

/** What `npm install` would make: the dependencies of this repository, and this package in its built form. */
function install(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "terraform-provider-rnv") symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(root, join(modules, "terraform-provider-rnv"));
}

describe("examples/cdktf", () => {
  let scenario: Scenario;
  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args);
  beforeAll(async () => {
    builtLibrary();
    scenario = await openScenario();
    cpSync(join(root, "examples", "cdktf"), scenario.folder, { recursive: true });
    install(scenario.folder);
  });
  afterAll(() => scenario.close());

  it("compiles against the types of the package", () => {
    const tsc = join(root, "node_modules", ".bin", "tsc");
    expect(spawnSync(tsc, ["--noEmit"], { cwd: scenario.folder, encoding: "utf8" }).stdout).toBe("");
  });

  it("passes its own tests with the library's matchers", () => {
    const jest = join(root, "node_modules", "jest", "bin", "jest.js");
    const run = spawnSync(process.execPath, [jest, "--ci"], { cwd: scenario.folder, encoding: "utf8" });
    expect(run.status === 0 ? "" : run.stderr).toBe("");
  });

  it("is synthesized, applied, planned to nothing and destroyed", async () => {
    const planned = await rnv("plan");
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("Plan: 12 to add") });
    expect(planned.stderr).toContain("Synthesizing: npx tsx main.ts");
    expect(await rnv("plan", "-out", "first.rnvplan")).toMatchObject({ code: 0 });
    // A saved plan reads what was synthesized for it, and runs nothing.
    const applied = await rnv("apply", "first.rnvplan", "-input=false");
    expect(applied.stderr).not.toContain("Synthesizing");
    expect(applied).toMatchObject({ code: 0 });
    await scenario
      .runWith({ env }, "output", "-json")
      .then(({ stdout }) => expect(stdout).toContain("apiUrl"));
    // What is synthesized is read again without running the program.
    const again = await rnv("plan", "-f", "cdktf.out", "-detailed-exitcode");
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes.") });
    expect(again.stderr).not.toContain("Synthesizing");
    expect(await rnv("destroy", ...approve, "-f", "cdktf.out")).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.services()).toEqual([]);
  });

  it("leaves the text of no secret in what it writes", () => {
    const written = scenario.files().filter(({ path }) => /cdktf\.out|[/\\]\.rnv[/\\]/.test(path));
    expect(written.length).toBeGreaterThan(2);
    for (const { path, text } of written)
      for (const secret of ["example-queue-token", "shop-example-license"])
        expect([path, text.includes(secret)]).toEqual([path, false]);
  });
});
