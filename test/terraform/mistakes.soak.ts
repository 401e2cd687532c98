import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

/** `on main.tf line N` of every error, with its first line. */
const positions = (output: string): string[] =>
  [...output.matchAll(/Error: (.*?)\n\n? *(?:with .*\n *)?on main\.tf line (\d+)/g)].map(
    ([, summary, line]) => `${Number(line)}: ${summary}`,
  );

describeTerraform("mistakes in a configuration", () => {
  const world = attachedFolder();
  const header = 6;
  const at = (text: string, needle: string): number =>
    header + text.slice(0, text.indexOf(needle)).split("\n").length;

  it("a misspelt field of the configuration is an error at its line", async () => {
    const text = `resource "rnv_service" "a" {\n  name = "a"\n  kind = "web"\n  configuration {\n    runtmie = "node"\n  }\n}\n`;
    world.write(text);
    const output = await world.run("validate", 1);
    expect(positions(output)).toEqual([`${at(text, "runtmie")}: Unsupported argument`]);
  }, 30_000);

  it("values that cannot be are all reported by validate, each at its line or that of its secret's block, without a connection", async () => {
    const text = textIn(join(__dirname, "mistaken.tf"));
    world.write(text);
    world.emulator.resetLog();
    const output = await world.run("validate", 1);
    expect(output).toMatch(/With when = "never" no commit is deployed[\s\S]*Remove one of the two/);
    expect(output).toContain("configuration.port: expected a whole number");
    expect(output).toContain("configuration.ip_allow_list[1]: expected text or a map");
    world.write(text.replace("4 / 3", "99999999"));
    expect(await world.run("validate", 1)).toContain("Port must be a number from 1 to 65535");
    const found = positions(output);
    expect(found.map((one) => Number(one.split(":")[0])).sort((a, b) => a - b)).toEqual(
      [
        "name = null",
        "port",
        "ip_allow_list",
        "delete",
        "commit",
        "when",
        `"rnv_variable"`,
        `"rnv_variables"`,
      ].map((needle) => at(text, needle)),
    );
    expect(output).toContain("value_wo has no value_wo_version");
    expect(output).toContain("values: expected no variable without a name");
    expect(output).not.toMatch(/= "(x|LITERAL)"/);
    expect(world.emulator.log).toEqual([]);
  }, 30_000);

  it("a value that the catalog does not offer is an error of the plan, at its line, with what is available", async () => {
    const text = `resource "rnv_service" "a" {\n  name = "a"\n  kind = "web"\n  configuration {\n    plan = "startr"\n    region = "mars"\n  }\n}\n`;
    world.write(text);
    const output = await world.run("plan", 1);
    expect(positions(output).sort()).toEqual([
      `${at(text, "plan")}: Plan "startr" does not exist`,
      `${at(text, "region")}: Region "mars" does not exist`,
    ]);
    expect(output).toContain('Did you mean "starter"?');
    expect(world.writes()).toEqual([]);
  }, 30_000);

  it("settings that cannot be are errors of the provider block", async () => {
    for (const most of ["0", "1 / 3"]) {
      world.write(
        `resource "rnv_project" "a" { name = "a" }\n`,
        `base_url = "http://example.com/api/v1"\nmax_concurrency = ${most}`,
      );
      const output = await world.run("validate", 1);
      expect(output).toContain("without encryption");
      expect(output).toContain("max_concurrency: expected a whole number from 1 to 256");
    }
    world.write(`resource "rnv_project" "a" { name = "a" }\n`);
    const attached = world.environment;
    world.environment = { RNV_API_KEY: "" };
    expect(await world.run("plan", 1)).toContain("api_key is not set");
    for (const key of ["LITERAL key", "rnv_LITERAL"]) {
      world.write(`resource "rnv_project" "a" { name = "a" }\n`, `api_key = "${key}"`);
      const output = await world.run("plan", 1);
      expect(output).toMatch(/api_key does not hold an API key|Set api_key, RNV_API_KEY or/);
      expect(output).not.toContain(key);
    }
    world.environment = attached;
  }, 30_000);

  it("a secret in a value, a bound that does not count and an impossible time zone are warnings", async () => {
    const text = `resource "rnv_service" "a" {\n  name = "a"\n  kind = "cron"\n  configuration {\n    repository = "https://me:hunter2@git.example.com/a"\n    timezone = "Mars"\n  }\n}\nresource "rnv_deployment" "a" {\n  service_id = rnv_service.a.id\n  when = "always"\n  timeout = "5m"\n  timeouts {\n    create = "9m"\n  }\n}\n`;
    world.write(text);
    const output = await world.run("plan");
    expect(output).toContain("Warning: configuration.repository holds a secret");
    expect(output).toContain("Warning: timeouts.create counts in place of timeout");
    expect(output).toContain('Warning: Time zone "Mars" does not exist');
    expect(output.match(/hunter2/g)).toHaveLength(1);
  }, 30_000);
});
