import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CdkName, cdkCommands, installCdk, installProvider } from "../support/cdk-command";
import { approve, eachScenario } from "../support/cli";
import { finished } from "../support/finished";
import { linkPackage } from "../support/install-package";
import { worldOf } from "../support/live-world";
import { textIn } from "../support/rows";
import { newFolder } from "../support/temp-folder";
import { describeTerraform } from "../support/terraform";

const program = (library: string) => textIn(join(__dirname, "bindings.txt"), { library });

const tsconfig = {
  compilerOptions: {
    ...{ target: "es2022", module: "node16", moduleResolution: "node16", types: ["node"], strict: true },
    ...{ skipLibCheck: true, noEmit: true },
  },
  include: ["*.ts"],
};

describeTerraform("bindings that are generated from the provider", () => {
  const shared = newFolder("bindings");
  let installed: ReturnType<typeof installProvider>;
  const scenario = eachScenario();
  beforeAll(() => {
    installed = installProvider(shared);
  }, 300_000);
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  describe.each(Object.keys(cdkCommands) as CdkName[])("by %s get", (name) => {
    const environment = () => ({
      ...installed,
      RNV_BASE_URL: scenario.url,
      TF_VAR_token: "text-of-the-token",
    });
    const settings = (language: string) =>
      JSON.stringify({
        ...{ language, app: "npx tsx main.ts", projectId: "shop", sendCrashReports: "false" },
        // Write-only values came with it; cdktn refuses them for what a project may run on before.
        targetVersions: { terraform: ">=1.11.0", opentofu: ">=1.11.0" },
        terraformProviders: ["rnv/rnv@~>0.1"],
      });
    /** Runs the command of the library; false where it is not installed here. */
    async function cdk(cwd: string, ...args: readonly string[]): Promise<boolean> {
      const command = installCdk(shared, name);
      if (command === undefined) console.warn(`${name} is not installed here: this is not played`);
      if (command === undefined) return false;
      const { code, output } = await command.run(cwd, environment(), ...args);
      expect({ args, code, output: code === 0 ? "" : output }).toEqual({ args, code: 0, output: "" });
      return true;
    }

    it("compile in TypeScript, and what they synthesize becomes one world by rnv and by the command", async () => {
      linkPackage(scenario.folder);
      scenario.write("cdktf.json", settings("typescript"));
      scenario.write("tsconfig.json", JSON.stringify(tsconfig));
      scenario.write("main.ts", program(name));
      if (!(await cdk(scenario.folder, "get"))) return;
      const tsc = join(scenario.folder, "node_modules", ".bin", "tsc");
      const compiled = await finished(spawn(tsc, [], { cwd: scenario.folder }));
      expect(compiled).toMatchObject({ code: 0, output: "" });
      expect(await cdk(scenario.folder, "deploy", "--auto-approve", "--skip-provider-lock", "shop")).toBe(
        true,
      );
      const byCommand = worldOf(scenario.emulator);
      expect(byCommand.services).toMatchObject([
        { name: "api", deployments: 1, variables: ["TOKEN=text-of-the-token"] },
        { name: "worker", deployments: 1, variables: ["API=https://api-ID.rnv.example", "LEVEL=info"] },
      ]);
      await cdk(scenario.folder, "destroy", "--auto-approve", "--skip-provider-lock", "shop");
      expect(worldOf(scenario.emulator)).toEqual({ projects: [], services: [] });
      const env = { TF_VAR_token: "text-of-the-token" };
      const rnv = (...args: string[]) => scenario.runWith({ env }, ...args, "-f", "cdktf.out");
      expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
      expect(worldOf(scenario.emulator)).toEqual(byCommand);
      expect(await rnv("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    }, 600_000);
  });
});
