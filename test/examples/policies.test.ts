import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commonFields, memberViews } from "../../src/plan/policy/views";
import { oneScenario } from "../support/cli";

const folder = join(__dirname, "../../examples/policies");
const good = readFileSync(join(folder, "rnv.yaml"), "utf8");

/** Each of the ten policies has a plan that passes and one that fails in `policies.rnvtest.yaml`, as their users would test them. */
describe("examples/policies", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.policy.yaml", readFileSync(join(folder, "rnv.policy.yaml"), "utf8"));
  });
  const env = { DATABASE_PASSWORD: "canary" };

  it("holds what its tests and those of examples/gitops say", async () => {
    const { code, stdout } = await scenario.run("test", join(folder, ".."));
    expect(stdout).not.toContain("FAIL");
    expect(stdout).toMatch(/^20 tests: 20 passed/m);
    expect(code).toBe(0);
    const tested = readFileSync(join(folder, "policies.rnvtest.yaml"), "utf8");
    for (const [, name] of readFileSync(join(folder, "rnv.policy.yaml"), "utf8").matchAll(
      /^ {2}([a-z-]+):$/gm,
    )) {
      expect(tested).toContain(`${name}: passed`);
      expect(tested).toContain(`${name}: failed`);
    }
  });

  it("passes as it is, and judges all ten", async () => {
    scenario.write("rnv.yaml", good);
    const saved = await scenario.runWith({ env }, "plan", "--stage", "production", "-out", "p.rnvplan");
    expect(saved.stdout).toContain("Policies: 10 passed.");
    const checked = await scenario.run("policy", "check", "p.rnvplan");
    expect(checked).toMatchObject({ code: 4, stdout: "Policies: 9 passed, 1 could not be evaluated.\n" });
    expect(checked.stderr).toContain("secrets-from-a-manager of service.shop.api: it cannot be evaluated");
    scenario.write(
      "strict.yaml",
      'policies: { no-create: { level: mandatory, each: change, require: change.action != "create", message: no } }\n',
    );
    const strict = await scenario.run("policy", "check", "--policy", "strict.yaml", "p.rnvplan");
    expect(strict.code).toBe(4);
    expect(strict.stderr).toContain("policy no-create of deployment.shop.api: no");
    expect(strict.stderr).toMatch(/The same for project\.shop, service\.shop\.api, /);
  });

  it("has a table of all that an expression sees, and expressions that can be read", async () => {
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const row = (start: string): string => readme.split("\n").find((line) => line.startsWith(start)) ?? "";
    const fieldsOf = (name: string) => memberViews.find((view) => view.name === name)?.fields ?? {};
    const lists = [
      [row("| `plan`"), fieldsOf("Plan")],
      [row("| `plan`"), fieldsOf("Summary")],
      [row("| `plan`"), fieldsOf("TotalCost")],
      [row("| `change`"), fieldsOf("Change")],
      [row("| `change`"), fieldsOf("Field")],
      [row("| `service`"), commonFields],
      [readme, fieldsOf("Part")],
      [readme, fieldsOf("Money")],
    ] as const;
    for (const [text, shape] of lists) {
      expect(Object.keys(shape)).not.toEqual([]);
      for (const name of Object.keys(shape)) expect(text).toContain(`\`${name}\``);
    }
    const expressions = [...readme.matchAll(/`((?:plan\.cost|has\(|service\.configuration\.\?)[^`]*)`/g)].map(
      ([, found = ""]) => (found.endsWith('("")') ? `${found} == ""` : found),
    );
    expect(expressions).toHaveLength(3);
    scenario.write("rnv.yaml", good);
    const policy = (require: string, i: number) =>
      `  p${i}: { level: advisory, each: service, require: '${require}', message: x }\n`;
    scenario.write("readme.yaml", `policies:\n${expressions.map(policy).join("")}`);
    const options = ["--stage", "production", "--policy", "readme.yaml"] as const;
    expect(await scenario.runWith({ env }, "plan", ...options)).toMatchObject({ code: 0 });
  });
});
