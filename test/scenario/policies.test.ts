import { join } from "node:path";
import { approve, failing, oneScenario } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = (replicas: number) => textIn(join(__dirname, "policies-manifest.yaml"), { replicas });
const policies = textIn(join(__dirname, "policies.yaml"));

/** DESIGN section 14: a failed mandatory policy, or an overridable one without its override, is exit 4, and nothing is applied. */
describe("policies", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest(1));
    scenario.write("rnv.policy.yaml", policies);
  });
  const services = () => scenario.emulator.store.services().length;

  it("stop plan and apply, and nothing is written", async () => {
    const planned = await scenario.run("plan", "-json");
    expect(planned.code).toBe(4);
    const document = JSON.parse(planned.stdout);
    expect(document.applyable).toBe(false);
    expect(document.checks).toEqual([
      expect.objectContaining({ policy: "replicas", status: "failed", address: "service.shop.api" }),
      expect.objectContaining({ policy: "health", status: "failed", level: "advisory" }),
    ]);
    expect(document.checks[0].range).toMatchObject({ file: "rnv.yaml", line: 4 });
    const applied = await scenario.run("apply", ...approve);
    expect(applied.code).toBe(4);
    expect(applied.stderr).toContain("policy replicas of service.shop.api: web services need two replicas");
    expect(applied.stderr).toContain("if that is meant: --override-policy replicas");
    expect(services()).toBe(0);
    const markdown = await scenario.run("plan", "--format", "markdown");
    expect(markdown.stdout).toContain("Policies: 2 failed.");
  });

  it("are overridden by name, and a saved plan carries that", async () => {
    const unknown = await scenario.run("plan", "--override-policy", "replica");
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain('did you mean "replicas"?');
    const planned = await scenario.run("plan", "--override-policy", "replicas", "-out", "p.rnvplan");
    expect(planned.code).toBe(0);
    expect(planned.stdout).toContain("Policies: 1 overridden, 1 failed.");
    expect(await scenario.run("apply", "p.rnvplan")).toMatchObject({ code: 0 });
    expect(services()).toBe(1);
  });

  it("cannot be overridden where they are mandatory, nor left out where RNV_POLICY names them", async () => {
    scenario.write(
      "platform.yaml",
      policies
        .replace(/replicas:\n {4}level: overridable/, "two:\n    level: mandatory")
        .replace("health:", "checked:"),
    );
    const env = { RNV_POLICY: "platform.yaml" };
    const refused = await scenario.runWith(
      { env },
      "plan",
      "--override-policy",
      "replicas",
      "--override-policy",
      "two",
    );
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("the policy two is mandatory and cannot be overridden");
    scenario.write("rnv.yaml", manifest(2));
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    const gone = await scenario.runWith({ env: { RNV_POLICY: "elsewhere" } }, "plan");
    expect(gone.code).toBe(1);
  });

  it("are errors of theirs and never pass where they throw or loop", async () => {
    const list = `[${Array.from({ length: 60 }, (_, i) => i).join(",")}]`;
    const nested = ["a", "b", "c", "d", "e", "f"].reduceRight(
      (inner, name) => `${list}.all(${name}, ${inner})`,
      "a >= 0",
    );
    scenario.write(
      "rnv.policy.yaml",
      `policies:
  throws: { level: overridable, each: service, require: "1 / (service.configuration.replicas - 2) > 0", message: x }
  loops: { level: mandatory, each: plan, require: "${nested}", message: x }
`,
    );
    const planned = await scenario.run("plan", "-json", "--override-policy", "throws");
    expect(planned.code).toBe(4);
    expect(planned.stderr).toContain("nothing overrides a policy that cannot be evaluated");
    expect(JSON.parse(planned.stdout).checks).toEqual([
      expect.objectContaining({
        policy: "throws",
        status: "error",
        message: "it cannot be evaluated: division by zero",
      }),
      expect.objectContaining({
        policy: "loops",
        status: "error",
        message: expect.stringContaining("takes longer than"),
        range: expect.objectContaining({ file: "rnv.policy.yaml", line: 3 }),
      }),
    ]);
  });

  it("are built in for cost", async () => {
    scenario.write("rnv.policy.yaml", "policies: {}\n");
    scenario.write("rnv.yaml", manifest(2).replace("replicas: 2", "replicas: 2, plan: starter"));
    expect(await scenario.run("plan", "--max-monthly-increase", "100usd")).toMatchObject({ code: 0 });
    const dear = await scenario.run("plan", "--max-monthly-total", "1usd");
    expect(dear.code).toBe(4);
    expect(dear.stderr).toContain(
      "policy max-monthly-total: the plan costs USD 14 a month, and USD 1 is the limit",
    );
    expect(dear.stderr).toContain("if that is meant: give --max-monthly-total another amount");
    const limited = ["--max-monthly-total", "1usd", "--override-policy", "max-monthly-total"] as const;
    expect((await scenario.run("plan", ...limited)).stderr).toContain(
      "give --max-monthly-total another amount instead",
    );
    expect(await scenario.run("plan", "--max-monthly-total", "lots")).toMatchObject({ code: 1 });
    await scenario.run("plan", "-out", "p.rnvplan");
    const nothing = await scenario.run("policy", "check", "p.rnvplan");
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toContain("there are no policies to judge by");
  });

  it("never pass by what a saved plan leaves out", async () => {
    const notHeld = {
      source: ["service", 'service.parts.all(part, part.source != "value")'],
      has: ["service", "!has(service.configuration.ipAllowList)"],
      optional: ["service", 'service.configuration.?autoDeploy.orValue("none") == "none"'],
      unchanged: ["variable", "!variable.declared"],
    };
    const held = { declared: ["service", "service.declared && service.configuration.replicas == 2"] };
    const policyFile = (rules: Record<string, readonly string[]>): string =>
      Object.entries(rules)
        .map(
          ([name, [each, require]]) =>
            `  ${name}: { level: mandatory, each: ${each}, require: '${require}', message: x }\n`,
        )
        .reduce((text, rule) => text + rule, "policies:\n");
    scenario.write("rnv.policy.yaml", "policies: {}\n");
    scenario.write("rnv.yaml", manifest(2).replace("runtime: node", "plan: starter"));
    scenario.write("asked.yaml", policyFile({ ...notHeld, ...held }));
    const results = (text: string) =>
      Object.fromEntries(JSON.parse(text).checks.map((check: { policy: string }) => [check.policy, check]));
    const live = results((await scenario.run("plan", "--policy", "asked.yaml", "-json")).stdout);
    expect(await scenario.run("plan", "-out", "held.rnvplan")).toMatchObject({ code: 0 });
    const check = await scenario.run("policy", "check", "--policy", "asked.yaml", "held.rnvplan", "--json");
    const offline = results(check.stdout);
    expect(check.code).toBe(4);
    for (const name of Object.keys(notHeld)) {
      expect([name, live[name].status, offline[name].status]).toEqual([name, "failed", "error"]);
      expect(offline[name].message).toContain("the saved plan does not hold `");
    }
    expect(offline.declared.status).toBe("passed");
    scenario.write("kept.yaml", policyFile({ kept: ["change", "!change.declared"] }));
    await scenario.run("plan", "-destroy", "-out", "destroy.rnvplan");
    const destroyed = await scenario.run("policy", "check", "--policy", "kept.yaml", "destroy.rnvplan");
    expect(destroyed).toMatchObject(failing(4, "does not hold `declared`"));
    // A change is shown where it is declared; nothing in the saved plan says where what does not change is.
    expect(offline.source.range).toMatchObject({ file: "rnv.yaml", line: 7 });
    expect(offline.unchanged).not.toHaveProperty("range");
    expect(check.stderr).toContain("  --> rnv.yaml:7\n");
    expect(check.stderr).not.toMatch(/--> *\n/);
  });

  it("show no secret", () => {
    expect(
      scenario.files().some(({ path, text }) => !path.endsWith("rnv.yaml") && text.includes("canary")),
    ).toBe(false);
  });
});

/** Interface, "Catalog": `usd`, `ngn`: "number". */
describe("a price below zero", () => {
  const scenario = oneScenario();

  it.each([-50, "7", undefined])("passes no limit of cost in a plan of the catalog: %p", async (usd) => {
    scenario.write("rnv.yaml", `services:\n  api: { kind: web, configuration: { plan: starter } }\n`);
    const edit = (body: object) => {
      const { plans = [], ...rest } = body as { readonly plans?: readonly object[] };
      return { ...rest, plans: plans.map((plan) => ({ ...plan, usd })) };
    };
    scenario.fail(({ path }) => (path.endsWith("/catalog") ? { kind: "edited", edit } : undefined));
    for (const limit of ["--max-monthly-increase=1usd", "--max-monthly-total=1usd"]) {
      const { code, stderr } = await scenario.run("plan", limit);
      expect({ code, stderr }).toEqual(failing(1, "error[api.malformed]"));
      expect(stderr).toContain("plans.0.usd");
    }
    scenario.fail();
  });
});
