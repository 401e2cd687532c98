import { error } from "../../../src/diagnostics/diagnostic";
import { Secret } from "../../../src/model/secret";
import { sha256 } from "../../../src/model/text";
import { canonicalJson, UnreadSecret } from "../../../src/model/value";
import { planDocument } from "../../../src/plan/document";
import type { AttributeChange, Change, OutputChange, Plan } from "../../../src/plan/plan";
import { compareWithSaved, readSavedPlan, savePlan } from "../../../src/plan/saved-plan";
import { at, options, range } from "../../support/plan-world";
import { type InstanceGiven, instanceOf, liveOf, recordOf } from "./fixtures";

const value = (of: string) => ({ kind: "value", value: of }) as const;
const absent = { kind: "absent" } as const;
const secret = { kind: "secret" } as const;
const edit = (path: string, more: Partial<AttributeChange> = {}): AttributeChange => ({
  ...{ path, before: value("a"), after: value("b"), cause: "edit", forcesReplacement: false },
  ...more,
});

const changeOf = (
  action: Change["action"],
  more: Partial<Change> = {},
  given: InstanceGiven = {},
): Change => {
  const { address, desired, recorded, live, defaults } = instanceOf(given);
  return {
    ...{ address, type: "service", action, name: "api", attributes: [], released: [], effects: [] },
    ...{ dependsOn: [], withParent: false, onRemove: "delete", binding: null },
    ...more,
    instance: {
      resolved: new Map(Object.entries(given.declared ?? {})),
      ...{ desired, recorded, live, defaults, fingerprints: {} },
      ...more.instance,
    },
  } as Change;
};
const planOf = (changes: readonly Change[], more: Partial<Plan> = {}): Plan => ({
  ...{
    options,
    changes,
    outputs: [],
    plannedOutputs: {},
    unmanaged: [],
    standing: [],
    unchecked: [],
    diagnostics: [],
  },
  summary: { add: 0, change: 0, destroy: 0, adopt: 0, forget: 0 },
  cost: { before: { usd: 0, ngn: 0 }, after: { usd: 0, ngn: 0 }, estimate: false },
  binding: { lineage: "l", serial: 1, workspaceId: "w", baseUrl: "b" },
  ...more,
});
const documentOf = (change: Change) =>
  (planDocument(planOf([change])).resource_changes as never as readonly Record<string, unknown>[])[0];

describe("a finding in JSON", () => {
  it("has its place where it has one", () => {
    const found = error("plan.cycle", "a ring", { range });
    const none = error("plan.cycle", "a ring");
    expect(planDocument(planOf([], { diagnostics: [found, none] })).diagnostics).toEqual([
      { severity: "error", code: "plan.cycle", summary: "a ring", range },
      { severity: "error", code: "plan.cycle", summary: "a ring" },
    ]);
  });
});

describe("a change in JSON", () => {
  it("is a replacement by need where one of its fields needs it, else by request", () => {
    const reason = (...forced: readonly boolean[]) =>
      documentOf(
        changeOf("replace", {
          attributes: forced.map((forcesReplacement, at) => edit(`f${at}`, { forcesReplacement })),
        }),
      )?.action_reason;
    expect([reason(true, false), reason(false, true)]).toEqual(
      Array(2).fill("replace_because_cannot_update"),
    );
    expect([reason(), reason(false)]).toEqual(Array(2).fill("replace_by_request"));
  });

  it("is the same however its fields are ordered", () => {
    const text = (...paths: readonly string[]) => {
      const values = Object.fromEntries(paths.map((one) => [one, one]));
      return JSON.stringify(documentOf(changeOf("update", {}, { declared: values, live: liveOf(values) })));
    };
    expect(text("plan", "kind", "name")).toBe(text("kind", "name", "plan"));
  });

  it("has the actions of Terraform", () => {
    const actions = (action: Change["action"], more: Partial<Change> = {}) =>
      (documentOf(changeOf(action, more))?.change as { actions: unknown } | undefined)?.actions;
    expect([actions("create"), actions("update"), actions("replace"), actions("delete")]).toEqual([
      ...[["create"], ["update"], ["delete", "create"], ["delete"]],
    ]);
    expect([actions("adopt"), actions("forget"), actions("no-op")]).toEqual([
      ["no-op"],
      ["forget"],
      ["no-op"],
    ]);
    expect(actions("adopt", { attributes: [edit("plan")] })).toEqual(["update"]);
  });

  it("has a code for its reason", () => {
    const reason = (...args: Parameters<typeof changeOf>) => documentOf(changeOf(...args))?.action_reason;
    expect(reason("replace", { attributes: [edit("kind", { forcesReplacement: true })] })).toBe(
      "replace_because_cannot_update",
    );
    expect(reason("replace", { attributes: [edit("plan")] })).toBe("replace_by_request");
    expect(reason("delete")).toBe("delete_because_no_resource_config");
    expect(reason("create", { missing: true })).toBe("create_because_missing");
    for (const [action, more] of [
      ["create", {}],
      ["update", { missing: true }],
      ["no-op", {}],
    ] as const)
      expect(reason(action, more)).toBeUndefined();
  });

  it("names what forces a replacement, what is imported, and what it comes from", () => {
    const attributes = [
      edit("configuration.port", { forcesReplacement: true, from: ["service.web.url"], range }),
      edit("plan", { placement: true }),
    ];
    expect(documentOf(changeOf("replace", { attributes }))).toMatchObject({
      change: { replace_paths: [["configuration", "port"]] },
      attributes: [
        {
          path: "configuration.port",
          cause: "edit",
          before: value("a"),
          after: value("b"),
          forces_replacement: true,
          from: ["service.web.url"],
          range,
        },
        { path: "plan", placement: true },
      ],
    });
    expect(documentOf(changeOf("adopt", { id: "s1" }))).toMatchObject({
      change: { importing: { id: "s1" } },
    });
    for (const change of [changeOf("adopt"), changeOf("update", { id: "s1" })])
      expect(documentOf(change)).not.toHaveProperty("change.importing");
    expect(documentOf(changeOf("update", { attributes }))).not.toHaveProperty("change.replace_paths");
  });

  it("shows what is there before and after, live before recorded, and of secrets that they are", () => {
    const recorded = recordOf({ plan: "old", name: "api", token: { fingerprint: "f" } });
    const live = liveOf({ plan: "live" });
    const given = { declared: { plan: "x" }, recorded, live };
    const shown = documentOf(
      changeOf(
        "update",
        { id: "s1", attributes: [edit("name", { before: value("api"), after: value("web") })] },
        given,
      ),
    );
    expect(shown).toMatchObject({
      change: {
        before: { plan: "live", name: "api", token: null },
        after: { plan: "live", name: "web", token: null },
        ...{ before_sensitive: { token: true }, after_sensitive: { token: true }, after_unknown: {} },
      },
    });
    expect(documentOf(changeOf("delete", { id: "s1" }, given))).toMatchObject({
      change: { before: { plan: "live" }, after: null },
    });
    expect(documentOf(changeOf("forget", { id: "s1" }, given))).toMatchObject({ change: { after: null } });
    expect(documentOf(changeOf("create", { attributes: [edit("plan", { before: absent })] }))).toMatchObject({
      change: { before: null, after: { plan: "b" } },
    });
    const gone = changeOf("no-op", { attributes: [] });
    expect(documentOf(gone)).toMatchObject({ change: { before: null } });
  });

  it("is bound to what is declared, but for secrets that nobody can compare", () => {
    const digest = (
      declared: InstanceGiven["declared"],
      instance: object = {},
      action: Change["action"] = "update",
    ) =>
      documentOf(
        changeOf(
          action,
          { instance: { ...changeOf(action, {}, { declared }).instance, ...instance } as never },
          { declared },
        ),
      );
    const plain = digest({ plan: "a" });
    expect(plain?.declared_digest).toEqual(expect.any(String));
    expect(digest({ plan: "b" })?.declared_digest).not.toBe(plain?.declared_digest);
    expect(digest({ plan: "a" }, { fingerprints: { token: "f" } })?.declared_digest).not.toBe(
      plain?.declared_digest,
    );
    expect(digest({ plan: "a" }, {}, "no-op")).not.toHaveProperty("declared_digest");
    const unread = digest({ plan: "a", token: new UnreadSecret("x") });
    expect(unread?.unbound_values).toEqual(["token"]);
    expect(unread?.declared_digest).toBe(plain?.declared_digest);
    expect(plain).not.toHaveProperty("unbound_values");
    expect(JSON.stringify(digest({ token: new Secret("a-token") }))).not.toContain("a-token");
  });
});

describe("a plan in JSON", () => {
  const guard = { code: "guard.delete_unconfirmed", summary: "", hint: "" } as const;

  it("is applyable where nothing stands against it", () => {
    const applyable = (changes: readonly Change[], more: Partial<Plan> = {}) => {
      const { applyable: is, errored } = planDocument(planOf(changes, more));
      return [is, errored];
    };
    const diagnostics = [error("plan.cycle", "a ring")];
    expect(applyable([])).toEqual([true, false]);
    expect(applyable([changeOf("update"), changeOf("delete", { guard })])).toEqual([false, false]);
    expect(applyable([changeOf("update")], { diagnostics })).toEqual([false, true]);
    expect(applyable([changeOf("delete", { guard })], { diagnostics })).toEqual([false, true]);
  });

  it("has of each change what there is, and no word for what there is not", () => {
    const bare = documentOf(changeOf("update"));
    for (const key of ["construct", "blocked_by", "lifecycle", "unbound_values", "previous_address"])
      expect(bare).not.toHaveProperty(key);
    const construct = { path: "Stack/api", in: "project.shop" };
    const binding = { id: "s1", updatedAt: null, digest: "d" };
    expect(documentOf(changeOf("delete", { construct, guard, binding }))).toMatchObject({
      ...{ construct, blocked_by: guard, binding },
    });
    expect(bare?.binding).toBeNull();
    expect(planDocument(planOf([]))).not.toHaveProperty("standing");
    const standing = [
      { address: at("service.api"), code: "suspended", class: "running", summary: "s" },
    ] as const;
    expect(planDocument(planOf([], { standing })).standing).toEqual(standing);
  });

  it("has no digest and no unbound secret of what does not change", () => {
    const given = { declared: { token: new UnreadSecret("x") } };
    expect(documentOf(changeOf("no-op", {}, given))).not.toHaveProperty("unbound_values");
    expect(documentOf(changeOf("update", {}, given))).toMatchObject({ unbound_values: ["token"] });
  });

  it("has the planned values: known ones, none of what ends, and of outputs what they will be", () => {
    const plannedOutputs = { url: value("b"), key: secret, open: { kind: "unknown" } } as const;
    const planned = planDocument(
      planOf(
        [
          changeOf("delete", {}, { recorded: recordOf({ plan: "pro" }) }),
          changeOf(
            "update",
            { attributes: [edit("plan")] },
            { address: "service.web", declared: { plan: "b" } },
          ),
        ],
        { plannedOutputs },
      ),
    ).planned_values as never as Record<string, Record<string, unknown>>;
    expect(planned.outputs).toEqual({
      url: { sensitive: false, value: "b" },
      key: { sensitive: true },
      open: { sensitive: false },
    });
    expect(planned.root_module?.resources).toMatchObject([{ address: "service.web", values: { plan: "b" } }]);
  });

  it("has two sides: none before a create, none after an end, the same where nothing changes", () => {
    const sides = (action: Change["action"], more: Partial<Change>, given: InstanceGiven) => {
      const shown = documentOf(changeOf(action, more, given))?.change as Record<string, unknown> | undefined;
      return [shown?.before, shown?.after];
    };
    const recorded = recordOf({ plan: "a" });
    const attributes = [edit("plan")];
    expect(sides("create", { attributes }, { declared: { plan: "b" } })).toEqual([null, { plan: "b" }]);
    expect(sides("create", { attributes }, { declared: { plan: "b" }, recorded })).toEqual([
      null,
      { plan: "b" },
    ]);
    expect(sides("update", { id: "s1", attributes }, { recorded })).toEqual([{ plan: "a" }, { plan: "b" }]);
    expect(sides("update", { id: "s1" }, {})).toEqual([{}, {}]);
    expect(sides("update", { attributes }, { recorded })).toEqual([{ plan: "a" }, { plan: "b" }]);
    expect(sides("no-op", { id: "s1", attributes }, { recorded })).toEqual([{ plan: "a" }, { plan: "a" }]);
    expect(sides("forget", { id: "s1" }, { recorded })).toEqual([{ plan: "a" }, null]);
    const added = [edit("plan", { before: absent })];
    expect(sides("update", { id: "s1", attributes: added }, { live: liveOf({ kind: "web" }) })).toEqual([
      {},
      { plan: "b" },
    ]);
    const fingerprint = recordOf({ token: { fingerprint: "f" } });
    expect(sides("update", { id: "s1" }, { recorded: fingerprint })).toEqual([
      { token: null },
      { token: null },
    ]);
  });
});

describe("outputs in JSON", () => {
  it("have what they do, their values, and nothing of a secret", () => {
    const output = (before: OutputChange["before"], after: OutputChange["after"]) => {
      const outputs = [{ name: "url", before, after }];
      return (planDocument(planOf([], { outputs })).output_changes as never as Record<string, unknown>).url;
    };
    const open = { after_unknown: false, before_sensitive: false, after_sensitive: false };
    expect(output(absent, value("b"))).toEqual({ actions: ["create"], before: null, after: "b", ...open });
    expect(output(value("a"), absent)).toEqual({ actions: ["delete"], before: "a", after: null, ...open });
    expect(output(value("a"), value("b"))).toMatchObject({ actions: ["update"], before: "a", after: "b" });
    expect(output(secret, secret)).toMatchObject({
      before: null,
      after: null,
      before_sensitive: true,
      after_sensitive: true,
    });
    expect(output(value("a"), { kind: "unknown" })).toMatchObject({ after: null, after_unknown: true });
  });
});

describe("drift in JSON", () => {
  it("shows what was recorded and what is live, and what is gone as deleted", () => {
    const drift = [edit("plan", { before: value("recorded"), after: value("live"), cause: "drift" })];
    const given = { recorded: recordOf({ plan: "recorded", name: "api" }), live: liveOf({ plan: "live" }) };
    const shown = (more: Partial<Change>) =>
      (
        planDocument(planOf([changeOf("no-op", { id: "s1", ...more }, given)]))
          .resource_drift as never as readonly unknown[]
      )[0];
    expect(shown({ drift })).toMatchObject({
      ...{ address: "service.api", mode: "managed", type: "service", name: "api" },
      change: {
        actions: ["update"],
        before: { plan: "recorded", name: "api" },
        after: { plan: "live", name: "api" },
      },
      attributes: [{ path: "plan", cause: "drift" }],
    });
    expect(shown({ drift, missing: true })).toMatchObject({ change: { actions: ["delete"], after: null } });
  });
});

describe("a saved plan", () => {
  const update = (more: Partial<Change> = {}, address = "service.api") =>
    changeOf(
      "update",
      { id: "s1", attributes: [edit("plan", { range })], ...more },
      { address, declared: { plan: "b" } },
    );
  const saved = (plan: Plan) => {
    const { document } = readSavedPlan(savePlan(plan, { files: ["rnv.yaml"] }));
    if (!document) throw new Error("damaged");
    return document;
  };
  const compared = (before: readonly Change[], after: readonly Change[], more: Partial<Plan> = {}) =>
    compareWithSaved(saved(planOf(before)), planOf(after, more));

  it("is damaged by a byte, and by another format", () => {
    const text = savePlan(planOf([update()]), { files: [] });
    expect(readSavedPlan(text).diagnostics).toEqual([]);
    for (const other of [`${text} `, text.replace("service.api", "service.web"), "", "{}", '{"saved":null}'])
      expect(readSavedPlan(other)).toMatchObject({ diagnostics: [{ code: "plan.damaged" }] });
  });

  it("is damaged where its format or its version is another, although its checksum holds", () => {
    const sealed = (saved: object) =>
      `${canonicalJson({ checksum: sha256(canonicalJson(saved as never)), saved: saved as never })}\n`;
    const whole = saved(planOf([]));
    expect(readSavedPlan(sealed(whole)).diagnostics).toEqual([]);
    for (const other of [{ version: 2 }, { format: "rnv-state" }, { format: "x", version: 2 }])
      expect(readSavedPlan(sealed({ ...whole, ...other }))).toMatchObject({
        diagnostics: [{ code: "plan.damaged" }],
      });
    for (const text of ["", "not JSON", "null\n", "{}\n"])
      expect(readSavedPlan(text).document).toBeUndefined();
  });

  it("that is out of date names the first of what differs, by address and by name", () => {
    const two = (more: Partial<Change>) => [update(more, "service.b"), update(more, "service.a")];
    expect(compared(two({}), two({ onRemove: "retain", withParent: true }))).toMatchObject({
      address: "service.a",
      summary: expect.stringContaining("on_remove"),
    });
    expect(compared(two({}), [])).toMatchObject({ address: "service.a" });
  });

  it("holds for the same plan, wherever in a file it is declared", () => {
    expect(compared([update()], [update()])).toBeUndefined();
    const moved = edit("plan", { range: { ...range, start: 9 } });
    expect(
      compared([update({ released: [moved] })], [update({ attributes: [moved], released: [edit("plan")] })]),
    ).toBeUndefined();
    expect(compared([update(), changeOf("no-op", {}, { address: "service.b" })], [update()])).toBeUndefined();
  });

  it("is out of date for another state, other options, changes and outputs, and names the first", () => {
    const told = (...args: Parameters<typeof compared>) => compared(...args)?.summary;
    expect(compared([update()], [update({ attributes: [edit("name")] })])).toMatchObject({
      code: "plan.stale",
      address: "service.api",
    });
    const binding = { lineage: "l", serial: 2, workspaceId: "w", baseUrl: "b" };
    expect(told([], [], { binding })).toContain("its serial is another");
    expect(told([], [], { options: { ...options, adopt: true } })).toContain("its adopt is another");
    expect(told([], [update()])).toContain("service.api would change now");
    expect(told([update()], [])).toContain("service.api no longer needs to change");
    expect(told([update()], [update({ onRemove: "retain" })])).toContain("on_remove");
    expect(told([changeOf("no-op")], [changeOf("no-op", { previousAddress: at("service.old") })])).toContain(
      "would change now",
    );
    expect(told([changeOf("no-op")], [changeOf("adopt", { id: "s1" })])).toContain("would change now");
    expect(told([], [], { outputs: [{ name: "url", before: absent, after: value("b") }] })).toContain(
      "output url is another",
    );
    // What runs because of other changes is told after those.
    const reacts = (more: Partial<Change>) => update({ reason: "x", ...more }, "service.a");
    const causes = (more: Partial<Change>) => update(more, "service.b");
    expect(
      told([reacts({}), causes({})], [reacts({ onRemove: "retain" }), causes({ onRemove: "retain" })]),
    ).toContain("service.b");
    expect(told([reacts({}), causes({})], [reacts({ onRemove: "retain" }), causes({})])).toContain(
      "service.a",
    );
  });

  it("that was made without a secret holds where the secret is there now", () => {
    const recorded = recordOf({ token: { fingerprint: "f" } });
    const of = (token: unknown, fingerprints: object) =>
      update({
        instance: {
          ...update().instance,
          ...{ resolved: new Map([["token", token]]), fingerprints, recorded },
        } as never,
      });
    expect(compared([of(new UnreadSecret("x"), {})], [of(new Secret("y"), { token: "f" })])).toBeUndefined();
    expect(
      compared([of(new Secret("y"), { token: "f" })], [of(new Secret("z"), { token: "g" })]),
    ).toMatchObject({ code: "plan.stale" });
  });
});
