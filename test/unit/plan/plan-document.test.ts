import { Secret } from "../../../src/model/secret";
import { UnreadSecret } from "../../../src/model/value";
import { planDocument } from "../../../src/plan/document";
import { compareWithSaved, readSavedPlan, savePlan } from "../../../src/plan/saved-plan";
import { declare, desiredOf, range, reference, World } from "../../support/plan-world";

const shop = (branch = "dev", token = "t0ken-text") => [
  declare("project.shop"),
  declare("service.shop.api", { kind: "web", "configuration.branch": branch }),
  declare("variable.shop.api.TOKEN", { value: new Secret(token) }),
];
const outputs = new Map([["url", { value: reference("service.shop.api", "url"), range }]]);

function settled(): World {
  const world = new World();
  world.settle(desiredOf(shop()));
  return world;
}

const resource = (world: World, address: string, ...args: Parameters<World["plan"]>) =>
  (planDocument(world.plan(...args)).resource_changes as unknown as Record<string, never>[]).find(
    (change) => change.address === address,
  );

describe("a plan as JSON", () => {
  it("tells what there will be as Terraform does: unknown values left out, secrets null, what ends not at all", () => {
    const planned = (...args: Parameters<World["plan"]>) =>
      planDocument(settled().plan(...args)).planned_values as never as {
        outputs: object;
        root_module: { resources: { address: string }[] };
      };
    expect(planDocument(new World().plan(desiredOf(shop(), { outputs }))).planned_values).toEqual({
      outputs: { url: { sensitive: false } },
      root_module: {
        resources: [
          {
            ...{ address: "project.shop", mode: "managed", type: "project", name: "shop" },
            ...{ values: { name: "shop" }, sensitive_values: {} },
          },
          {
            ...{ address: "service.shop.api", mode: "managed", type: "service", name: "shop.api" },
            ...{
              values: { kind: "web", name: "api", configuration: { branch: "dev" } },
              sensitive_values: {},
            },
          },
          {
            ...{
              address: "variable.shop.api.TOKEN",
              mode: "managed",
              type: "variable",
              name: "shop.api.TOKEN",
            },
            ...{ values: { key: "TOKEN", value: null }, sensitive_values: { value: true } },
          },
        ],
      },
    });
    const unchanged = planned(desiredOf(shop()));
    expect(unchanged.root_module.resources.map(({ address }) => address)).toEqual(
      shop().map(({ address }) => address),
    );
    expect(planned(desiredOf(shop("main"))).root_module.resources[1]).toMatchObject({
      values: { configuration: { branch: "main" } },
    });
    expect(planned(desiredOf([]), { mode: "destroy" }).root_module.resources).toEqual([]);
  });

  it("names every action in Terraform's words", () => {
    const world = settled();
    const actions = (address: string, ...args: Parameters<World["plan"]>) =>
      (resource(world, address, ...args)?.change as { actions?: string[] } | undefined)?.actions;
    expect(
      actions("service.shop.api", desiredOf(shop()), { replace: ["service.shop.api" as never] }),
    ).toEqual(["delete", "create"]);
    expect(actions("project.shop", desiredOf([]), { mode: "destroy" })).toEqual(["delete"]);
    expect(actions("project.shop", desiredOf(shop()))).toEqual(["no-op"]);
    const id = world.id("service.shop.api");
    world.recorded.clear();
    const adopted = resource(world, "service.shop.api", desiredOf(shop("main")), { adopt: true });
    expect(adopted).toMatchObject({ change: { actions: ["update"], importing: { id } } });
  });

  it("has a code for the reason of a create, a deletion and a replacement", () => {
    const reasonOf = (world: World, address: string, ...args: Parameters<World["plan"]>) =>
      resource(world, address, ...args)?.action_reason;
    const world = settled();
    world.lose("variable.shop.api.TOKEN");
    expect(reasonOf(world, "variable.shop.api.TOKEN", desiredOf(shop()))).toBe("create_because_missing");
    expect(reasonOf(new World(), "project.shop", desiredOf(shop()))).toBeUndefined();
    const api = "service.shop.api";
    expect(reasonOf(settled(), api, desiredOf(shop().slice(0, 1)))).toBe("delete_because_no_resource_config");
    const replace = { replace: [api as never] };
    expect(reasonOf(settled(), api, desiredOf(shop()), replace)).toBe("replace_by_request");
    const other = [declare("project.shop"), declare(api, { kind: "static" })];
    expect(reasonOf(settled(), api, desiredOf(other))).toBe("replace_because_cannot_update");
  });

  it("names the secrets that its digests leave out, and of outputs what they do", () => {
    const unread = declare("variable.shop.api.TOKEN", { value: new UnreadSecret("TOKEN is not set") });
    const desired = desiredOf([...shop().slice(0, 2), unread]);
    const change = resource(new World(), "variable.shop.api.TOKEN", desired);
    expect(change).toMatchObject({ unbound_values: ["value"], declared_digest: expect.any(String) });
    const unchanged = resource(settled(), "variable.shop.api.TOKEN", desired);
    expect(unchanged).not.toHaveProperty("unbound_values");
    const [absent, known, secret] = [
      { kind: "absent" },
      { kind: "value", value: "b" },
      { kind: "secret" },
    ] as const;
    const document = planDocument({
      ...settled().plan(desiredOf(shop())),
      outputs: [
        { name: "gone", before: known, after: absent },
        { name: "hidden", before: secret, after: secret },
      ],
      plannedOutputs: { hidden: secret, shown: known },
    });
    expect(document.output_changes).toMatchObject({
      gone: { actions: ["delete"], before: "b", after: null },
      hidden: { actions: ["update"], before: null, after: null, after_sensitive: true },
    });
    expect(document.planned_values).toMatchObject({
      outputs: { hidden: { sensitive: true }, shown: { sensitive: false, value: "b" } },
    });
    expect(JSON.stringify(document.planned_values)).not.toContain('"sensitive":true,"value"');
  });
});

describe("a saved plan", () => {
  const world = settled();
  const plan = world.plan(desiredOf(shop("main")));
  const text = savePlan(plan, { files: ["rnv.yaml"] });
  const saved = readSavedPlan(text).document;

  it("reads back what was saved, and equals the same plan made again", () => {
    expect(saved?.request).toEqual({ ...plan.options, files: ["rnv.yaml"] });
    expect(saved && compareWithSaved(saved, world.plan(desiredOf(shop("main"))))).toBeUndefined();
  });

  const staleOver = (other: ReturnType<World["plan"]>) => saved && compareWithSaved(saved, other);

  it("is stale once something else changes, a secret text included", () => {
    expect(staleOver(world.plan(desiredOf(shop("other"))))?.address).toBe("service.shop.api");
    expect(staleOver(world.plan(desiredOf(shop())))?.summary).toContain("no longer needs to change");
    const secret = world.plan(desiredOf(shop("main", "another-text")));
    expect(staleOver(secret)).toMatchObject({ address: "variable.shop.api.TOKEN" });
    const first = readSavedPlan(savePlan(secret, { files: [] })).document;
    const third = world.plan(desiredOf(shop("main", "a-third-text")));
    expect(first && compareWithSaved(first, third)).toMatchObject({ address: "variable.shop.api.TOKEN" });
  });

  it("is stale under another state, workspace or options", () => {
    expect(staleOver({ ...plan, binding: { ...plan.binding, serial: 9 } })?.summary).toContain("serial");
    expect(staleOver({ ...plan, options: { ...plan.options, adopt: true } })?.summary).toContain("adopt");
  });

  it("is not stale because of what it does not touch", () => {
    const live = { ...plan, unmanaged: [{ type: "service", id: "x", name: "x" }] };
    expect(staleOver(live)).toBeUndefined();
  });
});
