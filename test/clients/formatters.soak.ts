import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { eachScenario } from "../support/cli";
import { textIn } from "../support/rows";
import { describeWith, paths } from "./programs";

const render = resolve(__dirname, "../unit/manifest/converted/render");
const blueprints = readdirSync(render).filter((name) => /^[a-z-]+\.yaml$/.test(name));

const shop = textIn(join(__dirname, "formatters.yaml"));

describeWith(["prettier", "yamllint"], () => {
  const cli = eachScenario();

  /** Demands of the files that prettier would change none, and yamllint finds nothing in YAML. */
  const isStable = (...files: readonly string[]): void => {
    const [within, yaml] = [
      { cwd: cli.folder, encoding: "utf8" } as const,
      files.filter((one) => one.endsWith(".yaml")),
    ];
    execFileSync(process.execPath, [String(paths.prettier), "--check", ...files], within);
    if (yaml.length > 0) execFileSync(String(paths.yamllint), ["-d", "relaxed", ...yaml], within);
  };
  const told = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    return stdout;
  };

  it.each([
    [[], "rnv.yaml"],
    [["--typescript"], "rnv.config.ts"],
  ])("init %j is as prettier writes", async (args, file) => {
    await told("init", ...args);
    isStable(file);
  });

  it.each(blueprints)("init --from render %s is as prettier writes", async (name) => {
    await cli.run("init", "--from", "render", join(render, name));
    isStable("rnv.yaml");
  });

  it("what is live, and a promotion, are as prettier writes", async () => {
    cli.write("rnv.yaml", shop);
    cli.write(
      "production.yaml",
      "# Pinned.\nprojects:\n  shop:\n    services:\n      api:\n        deploy: {}\n",
    );
    await told("apply", "--auto-approve", "--stage", "staging");
    await told("export", "--stage", "staging", "--out", "exported.yaml");
    await told("promote", "--all", "--from", "staging", "--to", "production");
    await told("init", "--from", "workspace", "--force", "--state", "other.json");
    isStable("exported.yaml", "production.yaml", "rnv.yaml");
  });
});
