import type { Catalog, CatalogPlan } from "../../../src/model/catalog";
import type { Offered } from "../../../src/model/live";
import type { CheckContext } from "../../../src/model/resource-type";
import type { ResolvedValue } from "../../../src/model/value";
import { Unknown } from "../../../src/model/value";
import { service } from "../../../src/resources/service";
import { checkService } from "../../../src/resources/service/checks";

const plan = (id: string, kinds: readonly string[], usd: number): CatalogPlan => ({
  id,
  name: id,
  kinds,
  usd,
  ngn: usd * 1500,
});

const catalog: Catalog = {
  plans: [plan("free", ["web", "static"], 0), plan("starter", ["web"], 7)],
  databasePlans: [plan("free", ["postgres"], 3), plan("large", ["postgres"], 60)],
  defaults: { region: "auto", runtime: "auto", plan: "free" },
  regions: [{ id: "lagos", name: "Lagos" }],
  runtimes: ["node", "python"],
  serviceTypes: [
    { id: "web", name: "Web", runtime: true },
    { id: "static", name: "Static", runtime: false },
    { id: "postgres", name: "Postgres", runtime: true },
  ],
  capabilities: {},
  pricesAreEstimates: true,
};

const empty: Catalog = {
  ...catalog,
  plans: [],
  databasePlans: [],
  regions: [],
  runtimes: [],
  serviceTypes: [],
};

const check = (attributes: Record<string, ResolvedValue>, offered = catalog) =>
  checkService(new Map(Object.entries({ kind: "web", ...attributes })), offered);

describe("what a service asks for", () => {
  it.each([
    ["kind", "webs", 'did you mean "web"?; available: web, static, postgres'],
    ["configuration.region", "lagoss", 'did you mean "lagos"?; available: lagos'],
    ["configuration.runtime", "nodejs", 'did you mean "node"?; available: node, python'],
    ["configuration.plan", "startr", 'did you mean "starter"?; available for web: free, starter'],
  ])("names what is available for %s", (attribute, value, hint) => {
    expect(check({ [attribute]: value })).toMatchObject([{ code: "plan.not_on_offer", attribute, hint }]);
  });

  it("cannot take a plan of another kind", () => {
    expect(check({ kind: "static", "configuration.plan": "starter" })).toEqual([
      {
        code: "plan.not_on_offer",
        summary: 'plan "starter" is not available for kind "static"',
        hint: "available for static: free",
        attribute: "configuration.plan",
      },
    ]);
  });

  it("is reported once when the kind itself is not available", () => {
    const found = check({ kind: "wbe", "configuration.plan": "starter" });
    expect(found.map(({ attribute }) => attribute)).toEqual(["kind"]);
  });

  it("may name a default that the list leaves out", () => {
    expect(check({ "configuration.region": "auto", "configuration.runtime": "auto" })).toEqual([]);
  });

  it("is not judged by empty lists or while it is unknown", () => {
    expect(check({ kind: "any", "configuration.plan": "any", "configuration.region": "any" }, empty)).toEqual(
      [],
    );
    expect(check({ kind: new Unknown([]), "configuration.plan": new Unknown([]) })).toEqual([]);
  });

  it("cannot have fewer instances at most than at least", () => {
    const replicas = { "configuration.minReplicas": 3, "configuration.maxReplicas": 2 };
    expect(check(replicas)).toMatchObject([
      { code: "plan.invalid_combination", attribute: "configuration.minReplicas" },
    ]);
    expect(check({ ...replicas, "configuration.maxReplicas": 3 })).toEqual([]);
    expect(check({ "configuration.minReplicas": 9 })).toEqual([]);
  });

  it("has an environment only inside a project", () => {
    expect(check({ environment: "Production" })).toMatchObject([{ attribute: "environment" }]);
    expect(check({ environment: "Production", projectId: "p" })).toEqual([]);
    expect(check({ environment: "Production", projectId: new Unknown([]) })).toEqual([]);
  });

  describe("in a project", () => {
    const offered = [
      { id: "1", name: "Production", isDefault: true },
      { id: "2", name: "Staging", isDefault: false },
      { id: "3", name: "Staging", isDefault: false },
    ];
    const inProject = (
      values: object,
      environments: readonly Offered[] = offered,
      more: Partial<CheckContext> = {},
    ) =>
      checkService(new Map(Object.entries({ projectId: "p", kind: "web", ...values })), catalog, {
        ...{ isNew: true, isParentNew: false, offers: { environment: environments } },
        ...more,
      });

    it.each([
      {},
      { environment: "Production" },
      { environment: "1" },
      { environment: "3" },
      { environment: new Unknown([]) },
    ])("has an environment that the project has: %j", (values) => expect(inProject(values)).toEqual([]));

    it("has no environment that the project has not", () => {
      expect(inProject({ environment: "Prodution" })).toEqual([
        {
          code: "plan.not_on_offer",
          summary: 'the project has no environment "Prodution"',
          hint: 'did you mean "Production"?; it has: Production, Staging, Staging; others are made in the dashboard',
          attribute: "environment",
        },
      ]);
    });

    it("must say which one is meant of two that bear the name", () => {
      expect(inProject({ environment: "Staging" })).toMatchObject([
        { summary: 'the project has 2 environments called "Staging"', hint: "name one by its id: 2, 3" },
      ]);
    });

    it("has only Production where the project is created as well", () => {
      const created = { isParentNew: true };
      const production = [{ name: "Production", isDefault: true }];
      expect(inProject({ environment: "Production" }, production, created)).toEqual([]);
      expect(inProject({}, production, created)).toEqual([]);
      expect(inProject({ environment: "Staging" }, production, created)).toMatchObject([
        { hint: expect.stringContaining("a new project has only Production") },
      ]);
      expect(inProject({ environment: "1" }, production, created)).toHaveLength(1);
    });

    it("must name one where none is for those that name none", () => {
      const others = offered.slice(1);
      expect(inProject({}, others)).toMatchObject([{ hint: expect.stringContaining("write `environment`") }]);
      expect(inProject({}, others, { isNew: false })).toEqual([]);
    });
  });
});

describe("the monthly price of a service", () => {
  const cost = (attributes: Record<string, ResolvedValue>) =>
    service.monthlyCost?.(new Map(Object.entries(attributes)), catalog);

  it("is the price of the plan for its kind times the instances", () => {
    const starter = { kind: "web", "configuration.plan": "starter", "configuration.scaling": "manual" };
    expect(cost({ ...starter, "configuration.replicas": 3 })).toEqual({ usd: 21, ngn: 31_500 });
    expect(cost({ kind: "postgres", "configuration.plan": "free" })).toEqual({ usd: 3, ngn: 4500 });
  });

  it.each<[Record<string, ResolvedValue>, number]>([
    [{ replicas: 3 }, 3],
    [{ replicas: 0 }, 0],
    [{ replicas: 3, scaling: "manual", minReplicas: 2 }, 3],
    [{ replicas: 3, scaling: "auto", minReplicas: 2 }, 2],
    [{ replicas: 3, scaling: "auto" }, 1],
    [{ replicas: -1 }, 1],
    [{ replicas: "3" }, 1],
  ])("is that of %j: %d instances", (configuration, count) => {
    const paths = Object.entries(configuration).map(([field, value]) => [`configuration.${field}`, value]);
    const starter = { kind: "web", "configuration.plan": "starter", ...Object.fromEntries(paths) };
    expect(cost(starter)).toEqual({ usd: 7 * count, ngn: 10_500 * count });
  });

  it("is not known for a plan that the catalog does not list", () => {
    expect(cost({ kind: "web", "configuration.plan": "gold" })).toBeUndefined();
    expect(cost({ kind: "web", "configuration.plan": new Unknown([]) })).toBeUndefined();
  });
});
