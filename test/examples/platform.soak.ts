import { spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type CdkName, cdkCommands, installCdk, installProvider } from "../support/cdk-command";
import { approve, openScenario, type Scenario } from "../support/cli";
import { finished } from "../support/finished";
import { linkPackage } from "../support/install-package";
import { withoutIds, worldOf } from "../support/live-world";
import { newFolder } from "../support/temp-folder";
import { describeTerraform, terraformBinary } from "../support/terraform";

const root = join(__dirname, "..", "..");
const stacks = ["platform", "staging", "production"] as const;
const password = "password-of-the-test";

describeTerraform("examples/platform", () => {
  const shared = newFolder("platform");
  let installed: ReturnType<typeof installProvider>;
  let scenario: Scenario;
  let expected: ReturnType<typeof worldOf>;

  beforeAll(async () => {
    installed = installProvider(shared);
    scenario = await openScenario();
    copyExample(scenario.folder, "cdktf");
  }, 300_000);
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  /** The example as it is, or with the other library in its imports. */
  function copyExample(folder: string, library: CdkName): void {
    cpSync(join(root, "examples", "platform"), folder, {
      recursive: true,
      filter: (path) => !["node_modules", "cdktf.out", ".rnv"].includes(basename(path)),
    });
    linkPackage(folder);
    for (const file of [...readdirSync(folder)].filter((name) => name.endsWith(".ts"))) {
      const path = join(folder, file);
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(/(from "(terraform-provider-rnv\/)?)cdktf"/g, `$1${library}"`));
    }
  }

  const environment = (): Record<string, string> => ({
    ...installed,
    RNV_BASE_URL: scenario.url,
    TF_VAR_env_SMTP_PASSWORD: password,
  });
  const run = async (program: string, ...args: readonly string[]): Promise<string> => {
    const child = spawn(program, args, { cwd: scenario.folder, env: environment() });
    const { code, output } = await finished(child);
    expect({ program, args, code, output }).toMatchObject({ code: 0 });
    return output;
  };
  const opened = async (library: CdkName): Promise<void> => {
    scenario = await openScenario();
    copyExample(scenario.folder, library);
  };
  const program = (name: string): string => join(scenario.folder, "node_modules", ".bin", name);

  it("compiles, and passes its own test", async () => {
    await run(program("tsc"));
    expect(await run("npm", "test")).toContain("# pass 3");
  }, 120_000);

  it("is applied by rnv, stack by stack, to what the Aspect asks for", async () => {
    await opened("cdktf");
    const env = { SMTP_PASSWORD: password };
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(await scenario.runWith({ env }, "plan", "-f", "cdktf.out", "-detailed-exitcode")).toMatchObject({
      code: 0,
    });
    expected = worldOf(scenario.emulator);
    const replicas = expected.services.map(
      ({ project, name, configuration }) => `${project}: ${name} ${configuration.replicas}`,
    );
    expect(replicas).toEqual([
      ...["cache", "mailer", "status-production", "status-staging"].map((name) => `Platform: ${name} 1`),
      ...["Shop production: api 3", "Shop production: site 2"],
      ...["Shop staging: api 3", "Shop staging: site 1"],
    ]);
  }, 120_000);

  it("is applied by terraform in the folders of the stacks to the same world", async () => {
    await opened("cdktf");
    await run(program("tsx"), "main.ts");
    const terraform = (stack: string, ...args: readonly string[]) =>
      run(terraformBinary ?? "", `-chdir=cdktf.out/stacks/${stack}`, ...args, "-input=false", "-no-color");
    for (const stack of stacks) {
      await terraform(stack, "init");
      await terraform(stack, "apply", "-auto-approve");
    }
    for (const stack of stacks) await terraform(stack, "plan", "-detailed-exitcode");
    expect(worldOf(scenario.emulator)).toEqual(expected);
  }, 300_000);

  it.each(Object.keys(cdkCommands) as CdkName[])(
    "is deployed by %s to the same world, shown and destroyed",
    async (name) => {
      await opened(name);
      const command = installCdk(shared, name);
      if (command === undefined) return console.warn(`${name} is not installed here: this is not played`);
      const cdk = async (...args: readonly string[]): Promise<string> => {
        const { code, output } = await command.run(scenario.folder, environment(), ...args);
        expect({ name, args, code, output }).toMatchObject({ code: 0 });
        return output;
      };
      expect(await cdk("synth")).toContain(
        "Generated Terraform code for the stacks: platform, production, staging",
      );
      const synthesized = readFileSync(
        join(scenario.folder, "cdktf.out/stacks/production/cdk.tf.json"),
        "utf8",
      );
      expect(JSON.parse(synthesized).terraform.required_providers.rnv).toEqual({
        source: "rnv/rnv",
        version: expect.stringMatching(/^~> \d+\.\d+\.\d+$/),
      });
      await cdk("deploy", "--auto-approve", "--skip-provider-lock", ...stacks);
      expect(worldOf(scenario.emulator)).toEqual(expected);
      expect(await cdk("diff", "--skip-provider-lock", "production")).toContain("No changes.");
      await cdk("output", ...stacks, "--outputs-file", "outputs.json");
      expect(JSON.parse(withoutIds(scenario.read("outputs.json")))).toMatchObject({
        platform: { mailHost: "mailer-ID.internal" },
        production: { url: "https://site-ID.rnv.example" },
        staging: { url: "https://site-ID.rnv.example" },
      });
      await cdk("destroy", "--auto-approve", "--skip-provider-lock", ...stacks);
      expect(worldOf(scenario.emulator)).toEqual({ projects: [], services: [] });
    },
    600_000,
  );
});
