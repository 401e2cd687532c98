import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = (lifecycle: string, replicas = 2) =>
  textIn(join(__dirname, "conditions.yaml"), { replicas, lifecycle });
const pre = (condition: string) =>
  `          precondition: [{ condition: ${JSON.stringify(condition)}, message: two replicas }]`;
const post = (condition: string) =>
  `          postcondition: [{ condition: ${JSON.stringify(condition)}, message: not healthy }]`;
const twoReplicas = pre("service.configuration.replicas >= 2");

/** DESIGN section 14: conditions of a service, in the language of policies. */
describe("conditions of a service", () => {
  // The conditions read what the service calls healthy.
  const scenario = eachScenario({ readings: { statusWords: "seen" } });
  const services = () => scenario.emulator.store.services().length;

  it("stop a plan that does not meet what must hold before it, and nothing is written", async () => {
    scenario.write("rnv.yaml", manifest(twoReplicas, 1));
    const planned = await scenario.run("plan", "-json");
    const document = JSON.parse(planned.stdout);
    expect({ code: planned.code, applyable: document.applyable }).toEqual({ code: 4, applyable: false });
    expect(document.checks).toEqual([
      expect.objectContaining({
        policy: "precondition",
        status: "failed",
        address: "service.shop.api",
        level: "mandatory",
      }),
    ]);
    const applied = await scenario.run("apply", ...approve);
    expect({ code: applied.code, services: services() }).toEqual({ code: 4, services: 0 });
    expect(applied.stderr).toContain(
      "error[guard.condition]: precondition of service.shop.api: two replicas",
    );
    expect(applied.stderr).toContain("--> rnv.yaml:9:");
    expect((await scenario.run("apply", "--override-policy", "precondition", ...approve)).code).not.toBe(0);
    await scenario.applied(manifest(twoReplicas));
    expect(JSON.parse((await scenario.run("plan", "-json")).stdout).checks).toEqual([
      expect.objectContaining({ policy: "precondition", status: "passed", address: "service.shop.api" }),
    ]);
  });

  it("are not asked of what a plan leaves alone, nor of a destruction", async () => {
    scenario.write("rnv.yaml", manifest(twoReplicas));
    await scenario.run("apply", ...approve);
    scenario.write("rnv.yaml", manifest(twoReplicas, 1));
    await scenario.applies("-target", "service.shop.web");
    expect((await scenario.run("plan", "-target", "service.shop.api")).code).toBe(4);
    expect((await scenario.run("plan", "-refresh-only")).code).toBe(0);
    const destroyed = await scenario.run(
      ...(["destroy", ...approve] as const),
      ...[
        "--confirm-delete",
        "service.shop.api",
        "--confirm-delete",
        "service.shop.web",
        "--confirm-delete",
        "project.shop",
      ],
    );
    expect({ code: destroyed.code, services: services() }).toEqual({ code: 0, services: 0 });
  });

  it("end an apply with exit 7 while what must hold after it does not, every time, and keep what was done", async () => {
    scenario.write("rnv.yaml", manifest(post("service.healthStatus == 'good'")));
    const applied = await scenario.run("apply", ...approve);
    expect({ code: applied.code, services: services() }).toEqual({ code: 7, services: 2 });
    expect(applied.stderr).toContain(
      "error[apply.condition_failed]: postcondition of service.shop.api: not healthy",
    );
    expect(applied.stdout).not.toContain("Apply complete");
    expect((await scenario.run("history")).stdout).toContain("(exit 7)");
    scenario.forget();
    const again = await scenario.run("apply", ...approve);
    expect({ code: again.code, writes: scenario.requests() }).toEqual({ code: 7, writes: [] });
    // A plan looks at what is before an apply.
    expect((await scenario.run("plan", "-detailed-exitcode")).code).toBe(0);
    await scenario.applied(
      manifest(
        post("service.healthStatus == 'ready' && service.configuration.replicas == 2 && service.url != ''"),
      ),
    );
  });

  it("are type-checked when they are read, without a secret and without what only an apply can know", async () => {
    const told = async (lifecycle: string) => {
      scenario.write("rnv.yaml", manifest(lifecycle));
      const { code, stderr } = await scenario.run("validate");
      return `${code} ${/^error\[(.*)$/m.exec(stderr)?.[1] ?? ""}`;
    };
    expect(await told(pre("service.configuration.replica >= 2"))).toMatch(
      /^1 policy\.invalid\]: .*No such key: replica/,
    );
    expect(await told(pre("service.healthStatus == 'ready'"))).toMatch(
      /^1 policy\.invalid\]: .*No such key: healthStatus/,
    );
    expect(await told(post("service.healthStatus == 2"))).toMatch(/^1 policy\.invalid\]: .*no such overload/);
    expect(await told("          precondition: [{ condition: 'true' }]")).toMatch(
      /^1 manifest\.missing_key\]: .* lacks message/,
    );
    expect(await told("          postcondition: { condition: 'true', message: x }")).toMatch(
      /^1 manifest\.invalid_type\]: .* must be a list/,
    );
    expect(await told("          postconditions: []")).toMatch(/^1 manifest\.unknown_key\]/);
    expect(await told(post("service.parts.all(p, p.source != 'canary-secret-1')"))).toBe("0 ");
    for (const { text } of scenario.files().filter(({ path }) => !path.endsWith("rnv.yaml")))
      expect(text).not.toContain("canary-secret-1");
  });
});
