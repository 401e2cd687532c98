import { embeddedCatalog } from "../../../src/emulator/views";
import { service } from "../../../src/resources/service";
import type { PrivateData } from "../../../src/terraform/private-data";
import { planChange } from "../../../src/terraform/resource/plan-change";
import { emptyValue } from "../../../src/terraform/schema/block";
import { shapeOf } from "../../../src/terraform/schema/terraform-shape";
import {
  asObject,
  setValue,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../../../src/terraform/values";

const type = shapeOf(service);

/** A whole value as Terraform sends it: the fields that are not written in the block are null. */
const value = (attributes: Record<string, TerraformValue>): TerraformObject => {
  const fields = type.block.groups?.[0]?.block.attributes ?? [];
  const hasBlock = Object.keys(attributes).some((path) => path.startsWith("configuration."));
  const block = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const whole = { ...emptyValue(type), ...(hasBlock && { configuration: block }) };
  for (const [path, one] of Object.entries(attributes)) setValue(whole, path.split("."), one);
  return whole;
};

const base = { name: "api", kind: "web" };
const state = (more: Record<string, TerraformValue> = {}) =>
  value({ ...base, id: "id-1", url: "https://api", ...more });

function plan(
  prior: TerraformObject | undefined,
  config: TerraformObject,
  applied: PrivateData["applied"] = {},
) {
  const change = planChange({ type, prior, config, priorPrivate: { applied }, catalog: embeddedCatalog });
  return { ...change, configuration: asObject(change.planned.configuration ?? null) ?? {} };
}

describe("what Terraform plans for a resource", () => {
  it("a create is planned as configured, with what the service decides unknown and the rest unset", () => {
    const { planned, configuration, sent } = plan(
      undefined,
      value({ ...base, "configuration.branch": "main" }),
    );
    expect(planned).toMatchObject({ name: "api", id: unknown, url: unknown, archived: null });
    expect(configuration).toMatchObject({ branch: "main", port: null });
    expect([...sent].sort()).toEqual(["configuration.branch", "kind", "name"]);
  });

  it("nothing is planned where nothing differs, whatever undeclared fields show", () => {
    const prior = state({ "configuration.branch": "main", "configuration.port": 9000 });
    const { planned, acts } = plan(prior, value({ ...base, "configuration.branch": "main" }), {
      "configuration.branch": "main",
    });
    expect(acts).toBe(false);
    expect(planned).toEqual(prior);
  });

  it("a field that is no longer declared goes back to its default, unless it was changed since", () => {
    const applied = { "configuration.branch": "develop", "configuration.port": 9000 };
    const prior = state({ "configuration.branch": "develop", "configuration.port": 9001 });
    const { configuration, sent } = plan(prior, value(base), applied);
    expect(configuration).toMatchObject({ branch: "main", port: 9001 });
    expect([...sent]).toEqual(["configuration.branch"]);
  });

  it("a default that is not known yet, because the provider block is not, is planned as unknown", () => {
    const applied = { "configuration.branch": "develop" };
    const prior = state({ "configuration.branch": "develop", "configuration.port": 9000 });
    const { planned } = planChange({
      ...{ type, prior, config: value(base), priorPrivate: { applied }, catalog: undefined },
    });
    expect(planned.configuration).toMatchObject({ branch: unknown, port: 9000 });
  });

  it("a kind, a project and an environment that change force a replacement", () => {
    for (const [path, other] of [
      ["kind", "worker"],
      ["project_id", "p-2"],
      ["environment", "Staging"],
    ] as const) {
      const prior = state({ project_id: "p-1", environment: "Production" });
      const config = value({ ...base, project_id: "p-1", environment: "Production", [path]: other });
      const applied = { kind: "web", projectId: "p-1", environment: "Production" };
      expect(plan(prior, config, applied).replaced).toHaveLength(1);
    }
  });

  it("a value between which the service makes no difference keeps its old form", () => {
    const prior = state({ "configuration.repository": "https://git.example.com/a/b.git" });
    const config = value({ ...base, "configuration.repository": "https://GIT.example.com/a/b/" });
    const { configuration, acts } = plan(prior, config, {
      "configuration.repository": "https://git.example.com/a/b",
    });
    expect(configuration.repository).toBe("https://git.example.com/a/b.git");
    expect(acts).toBe(false);
  });

  it("what is not known yet is planned as unknown, and is sent", () => {
    const prior = state({ "configuration.branch": "main" });
    const { configuration, sent } = plan(prior, value({ ...base, "configuration.branch": unknown }), {
      "configuration.branch": "main",
    });
    expect(configuration.branch).toBe(unknown);
    expect([...sent]).toEqual(["configuration.branch"]);
  });

  it("the same question has the same answer every time", () => {
    const config = value({ ...base, "configuration.branch": "x", "configuration.ip_allow_list": ["b", "a"] });
    expect(plan(state(), config)).toEqual(plan(state(), config));
  });
});
