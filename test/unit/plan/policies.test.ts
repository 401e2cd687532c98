import { join } from "node:path";
import { SourceFile } from "../../../src/diagnostics/diagnostic";
import { type DesiredResource, defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import type { Plain } from "../../../src/model/value";
import type { Plan, PlannedInstance } from "../../../src/plan/plan";
import { judgePolicy, policyReader, subjectsOf } from "../../../src/plan/policy/judge";
import { resourceTypes } from "../../../src/resources";
import {
  absent,
  address as at,
  change,
  field,
  plan,
  secret,
  unknown,
  value,
} from "../../support/plan-fixture";
import { rowsIn } from "../../support/rows";

const values = (fields: Readonly<Record<string, Plain>>) => new Map(Object.entries(fields));

const range = { file: "rnv.yaml", start: 0, end: 1 };
const declared = (address: string, parent: string): DesiredResource => ({
  ...{ address: at(address), type: address.slice(0, address.indexOf(".")), parent: at(parent) },
  ...{ attributes: new Map(), lifecycle: defaultLifecycle, dependsOn: [], range },
});

/** A shop whose web service changes, whose worker goes, and whose cron job stays as it is. */
const shop: Plan = plan(
  [
    change("update", "service.shop.web", {
      attributes: [
        field("configuration.replicas", value(1), value(3)),
        field("configuration.branch", value("main"), unknown, { cause: "drift" }),
        field("configuration.image", value("a"), absent),
      ],
      effects: ["deploys", "billing"],
      cost: { before: { usd: 7, ngn: 700 }, after: { usd: 9.5, ngn: 950 } },
      instance: {
        desired: declared("service.shop.web", "project.shop"),
        defaults: values({ "configuration.port": 8000, "configuration.region": "auto" }),
        live: {
          ...{ type: "service", id: "s", name: "web", updatedAt: undefined },
          attributes: values({
            ...{ kind: "web", "configuration.replicas": 1 },
            ...{ "configuration.branch": "main", "configuration.image": "a", "configuration.region": "eu" },
          }),
        } as unknown as PlannedInstance["live"],
        resolved: new Map<string, never>(
          Object.entries({
            "configuration.ignorePaths": ["a", "b"],
            "configuration.runtime": "node",
          }) as never,
        ),
        fingerprints: {},
      },
    }),
    change("delete", "service.shop.worker", { removalDeclared: true, effects: ["destructive"] }),
    change("forget", "service.shop.old"),
    change("no-op", "service.shop.cron", {
      instance: {
        ...{ defaults: new Map(), fingerprints: {}, resolved: values({ kind: "cron" }) },
        recorded: { parent: at("project.shop") } as PlannedInstance["recorded"],
      },
    }),
    change("create", "variable.shop.web.TOKEN", {
      attributes: [field("value", absent, secret)],
      instance: {
        desired: {
          ...declared("variable.shop.web.TOKEN", "service.shop.web"),
          attributes: new Map([["value", { value: new Secret("hunter2"), range, source: "env" }]]),
        } as unknown as PlannedInstance["desired"],
        ...{ defaults: new Map(), resolved: new Map([["value", new Secret("hunter2")]]) },
        fingerprints: { value: "print" },
      } as PlannedInstance,
    }),
    change("delete", "variable.shop.web.GONE", {
      instance: {
        ...{ defaults: new Map(), fingerprints: {}, resolved: new Map() },
        recorded: { parent: at("service.shop.web") } as PlannedInstance["recorded"],
      },
    }),
  ],
  {
    summary: { add: 1, change: 1, destroy: 2, adopt: 3, forget: 1 },
    cost: { before: { usd: 7, ngn: 700 }, after: { usd: 9.5, ngn: 950 }, estimate: true },
    unmanaged: [{ type: "service", id: "1", name: "x" }],
  },
);

interface Rule {
  readonly each: string;
  readonly require: string;
  readonly when?: string;
}

const written = new SourceFile("rnv.yaml").range(0, 100);
const expression = (text: string) => ({ text, range: written, start: 10 });

const compile = async (rule: Rule) =>
  policyReader(
    await import("@marcbachmann/cel-js"),
    resourceTypes,
  )([
    {
      ...{ name: "rule", level: "mandatory", each: rule.each, message: "no", range },
      require: expression(rule.require),
      ...(rule.when !== undefined && { when: expression(rule.when) }),
    },
  ]);

/** What a rule says of a plan: `status address: message` of each failure, or that it passed. */
async function judged(rule: Rule, about: Plan = shop, overrides: readonly string[] = []) {
  const { compiled, diagnostics } = await compile(rule);
  expect(diagnostics).toEqual([]);
  const subjects = subjectsOf(about, { stage: "production", types: resourceTypes });
  return compiled.flatMap((one) =>
    judgePolicy(one, subjects(rule.each), new Set(overrides)).map(
      ({ status, address, message }) =>
        `${status}${address === undefined ? "" : ` ${address}`}${message === undefined ? "" : `: ${message}`}`,
    ),
  );
}

describe("the view of a policy", () => {
  it.each(rowsIn(join(__dirname, "policies.tsv")))(
    "has the fields of each %s: %s",
    async (each = "", require = "") => {
      expect(await judged({ each, require })).toEqual(["passed"]);
      expect(await judged({ each, require: `!(${require})` })).not.toEqual(["passed"]);
    },
  );

  it("is neither the text of a secret nor its fingerprint", async () => {
    const { variables } = subjectsOf(shop, { stage: "", types: resourceTypes })("variable")[0] ?? {};
    const read = (one: unknown): unknown => {
      if (typeof one !== "object" || one === null) return `${one}`;
      const fields: [string, unknown][] = [];
      for (const key in one) fields.push([key, read((one as Record<string, unknown>)[key])]);
      for (const key of Object.getOwnPropertyNames(Object.getPrototypeOf(one)))
        if (!(key in Object.prototype)) fields.push([key, read((one as Record<string, unknown>)[key])]);
      return Object.fromEntries(fields);
    };
    expect(read(variables?.variable)).toMatchObject({ address: "variable.shop.web.TOKEN", declared: "true" });
    expect(JSON.stringify(read(variables?.variable))).not.toMatch(/hunter2|print/);
  });
});

describe("a policy", () => {
  const failing = { each: "service", require: "service.kind == 'cron'" };

  it("is not judged where its `when` says no", async () => {
    expect(await judged({ ...failing, when: "service.kind == 'cron'" })).toEqual(["passed"]);
    expect(await judged({ ...failing, when: "service.kind == 'web'" })).toEqual([
      "failed service.shop.web: no",
    ]);
  });
});

describe("an expression", () => {
  it("says where it is wrong, and what it is judged with", async () => {
    const [mistake] = (await compile({ each: "change", require: "change.acton == 'x'" })).diagnostics;
    expect(mistake).toMatchObject({
      ...{ severity: "error", code: "policy.invalid", hint: 'did you mean "action"?' },
      range: { file: "rnv.yaml", start: 17, end: 22 },
    });
    const [wrong] = (await compile({ each: "service", require: "'yes'" })).diagnostics;
    expect(wrong?.hint).toBe("it is judged with `plan` and `service`; secrets are not among their fields");
    const [scope] = (await compile({ each: "servers", require: "true" })).diagnostics;
    expect(scope).toMatchObject({ code: "policy.invalid", range });
    const [far] = (await compile({ each: "x", require: "true" })).diagnostics;
    expect(far?.hint).toBe("one of plan, change, project, service, variable, deployment, layout");
  });
});

it("reads whole numbers as whole, whatever they stand in", async () => {
  const at3 = plan([
    change("create", "layout.shop", {
      attributes: [field("positions", absent, value({ web: { x: 3, y: 0.5, z: [1, null] } }))],
      cost: { before: null, after: null },
    }),
  ]);
  const [subject] = subjectsOf(at3, { stage: "", types: resourceTypes })("layout");
  expect(subject?.variables.layout).toMatchObject({
    positions: { web: { x: 3n, y: 0.5, z: [1n, null] } },
    cost: { usd: 0, ngn: 0 },
  });
  expect(await judged({ each: "layout", require: "layout.positions.web.x == 3" }, at3)).toEqual(["passed"]);
});

it("has nothing that is null, and the empty text for a source and a parent that are not known", () => {
  const [subject] = subjectsOf(
    plan([
      change("create", "service.api", {
        attributes: [field("configuration.port", value(1), value(null))],
        instance: {
          ...{ defaults: new Map([["configuration.port", 80]]), resolved: new Map(), fingerprints: {} },
          live: { attributes: values({ "configuration.port": 1 }) } as unknown as PlannedInstance["live"],
        },
      }),
      change("create", "variable.api.KEY", {
        instance: {
          ...{ defaults: new Map(), resolved: new Map(), fingerprints: {} },
          recorded: { parent: at("service.api") } as PlannedInstance["recorded"],
        },
      }),
    ]),
    { stage: "", types: resourceTypes },
  )("service");
  expect(subject?.range).toBeUndefined();
  expect(subject?.variables.service).toMatchObject({
    ...{ parent: "", declared: false, unknown: [], configuration: { port: 80n } },
    parts: [{ address: "variable.api.KEY", source: "" }],
  });
});
