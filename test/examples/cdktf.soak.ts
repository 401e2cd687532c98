import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { approve, oneScenario } from "../support/cli";
import { installPackage } from "../support/install-package";

const root = join(__dirname, "..", "..");
const env = { SHOP_QUEUE_TOKEN: "example-queue-token", RNV_STATE_KEY: "5a".repeat(32) };

describe("examples/cdktf", () => {
  const scenario = oneScenario();
  let isInstalled: boolean;
  const installed = (...path: string[]): string => join(scenario.folder, "node_modules", ...path);
  const rnv = (...args: string[]) => scenario.runWith({ env, program: installed(".bin", "rnv") }, ...args);
  const program = (name: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(name, args, { cwd: scenario.folder, encoding: "utf8" });
    return status === 0 ? "" : stdout + stderr;
  };
  beforeAll(async () => {
    cpSync(join(root, "examples", "cdktf"), scenario.folder, {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
    isInstalled = installPackage(scenario.folder);
    if (!isInstalled) console.warn("npm does not reach its registry: the example is linked, not installed");
  }, 300_000);

  it("installs the package with its program, and nothing of what only others need", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(execFileSync(installed(".bin", "rnv"), ["--version"], { encoding: "utf8" })).toContain(version);
    expect(lstatSync(installed("terraform-provider-rnv")).isSymbolicLink()).toBe(!isInstalled);
    if (isInstalled)
      for (const name of ["cdktn", "jest", "terraform-provider-rnv/src", "terraform-provider-rnv/test"])
        expect([name, existsSync(installed(name))]).toEqual([name, false]);
  });

  it("finds what the package exports", () => {
    const use = `
      const { loadManifest } = require("terraform-provider-rnv");
      require("terraform-provider-rnv/schemas/plan.schema.json");
      require("terraform-provider-rnv/cdktf");
    `;
    writeFileSync(join(scenario.folder, "use.cjs"), use);
    expect(program(process.execPath, "use.cjs")).toBe("");
  });

  it("compiles against the types of the package", () => {
    expect(program(installed(".bin", "tsc"))).toBe("");
  });

  it("passes its own tests with the library's matchers", () => {
    expect(program("npm", "test")).toBe("");
  });

  it("brings the provider for Terraform", async () => {
    expect(await rnv("terraform", "install", "--dir", "mirror")).toMatchObject({ code: 0 });
  });

  it("tests a manifest with the service that the package brings along", () => {
    const folder = join(scenario.folder, "testing");
    cpSync(join(root, "examples", "testing"), folder, { recursive: true });
    symlinkSync(installed(), join(folder, "node_modules"));
    expect(spawnSync(process.execPath, ["--test"], { cwd: folder, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("# pass 3"),
    });
  });

  it("is synthesized, applied, planned to nothing and destroyed", async () => {
    const planned = await rnv("plan", "-out", "first.rnvplan");
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("Plan: 12 to add") });
    expect(planned.stderr).toContain("Synthesizing: npx tsx main.ts");
    // A saved plan reads what was synthesized for it, and runs nothing.
    const applied = await rnv("apply", "first.rnvplan", "-input=false");
    expect(applied.stderr).not.toContain("Synthesizing");
    expect(applied).toMatchObject({ code: 0 });
    expect((await rnv("output", "-json")).stdout).toContain("apiUrl");
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
