import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPolicies } from "../../../src/commands/check-policies";
import { positionAt } from "../../../src/diagnostics/diagnostic";
import { rowsIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";

/** DESIGN section 14: expressions are type-checked when read, and a mistake has its place. */
describe("a policy file", () => {
  const read = async (text: string, named: readonly string[] = []) => {
    const cwd = newFolder("policy");
    writeFileSync(join(cwd, "rnv.policy.yaml"), text);
    const found = await loadPolicies(cwd, { files: [], policies: named });
    return {
      names: found.compiled.map(({ policy }) => policy.name),
      told: found.diagnostics.map(({ summary, range, hint }) => {
        const { line, column } = positionAt(text, range?.start ?? 0);
        return `${line}:${column} ${summary}${hint?.startsWith("did you mean") ? ` (${hint})` : ""}`;
      }),
    };
  };
  const policy = (each: string, require: string): string =>
    `policies:\n  one:\n    level: mandatory\n    each: ${each}\n    require: ${require}\n    message: no\n`;

  it.each([
    ["service", "service.configuration.replicas >= 2"],
    ["service", "service.kind == 'web' && service.stage == 'production' && service.cost.usd < 50.0"],
    ["service", "service.parts.all(part, part.type != 'variable' || part.source != 'value')"],
    ["deployment", "has(deployment.commit)"],
    ["change", "change.action != 'delete' || change.removed"],
    ["plan", "plan.cost.increase.usd <= 20.0 && plan.summary.destroy == 0"],
  ])("may say of each %s: %s", async (each, require) => {
    expect(await read(policy(each, JSON.stringify(require)))).toEqual({ names: ["one"], told: [] });
  });

  it.each(rowsIn(join(__dirname, "policy-mistakes.tsv")))(
    "is told where it is wrong, for each %s: %s",
    async (each = "", require = "", told = "") => {
      expect(await read(policy(each, require))).toEqual({ names: [], told: [told] });
    },
  );

  it("sees no secret", async () => {
    const { told } = await read(policy("variable", "variable.value == 'x'"));
    expect(told).toEqual(["5:23 the policy one cannot be read: No such key: value"]);
  });

  it("has one policy of each name, and every file that is named", async () => {
    const text = policy("plan", "plan.mode != 'x'");
    const twice = await read(text, ["rnv.policy.yaml"]);
    expect(twice).toEqual({ names: ["one"], told: [] });
    const missing = await read(text, ["platform.yaml"]);
    expect(missing.told).toHaveLength(1);
    const cwd = newFolder("policy");
    writeFileSync(join(cwd, "rules.yaml"), text);
    const other = await read(text, [cwd]);
    expect(other.names).toEqual([]);
    expect(other.told).toEqual(["2:3 duplicate policy one"]);
  });

  it.each(["precondition", "max-monthly-increase", "max-monthly-total"])(
    "calls no policy %s, which is the name of another check",
    async (name) => {
      const taken = await read(policy("plan", "plan.mode != 'x'").replace("one:", `${name}:`));
      expect(taken).toEqual({
        names: [],
        told: [expect.stringContaining("conditions and limits of cost have this one")],
      });
    },
  );
});
