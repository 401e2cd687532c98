import type { OnRemove } from "../../src/model/desired";
import type { ReadResult } from "../../src/model/live";
import { Secret } from "../../src/model/secret";
import { type DesiredValue, Template } from "../../src/model/value";
import { planDocument } from "../../src/plan/document";
import { makePlan } from "../../src/plan/make-plan";
import { fc } from "../support/fixed-seed";
import { actionsOf, at, declare, desiredOf, types, World } from "../support/plan-world";
import { inSoak } from "../support/soak";

/** One service of a random manifest; services refer to ones with a smaller number only. */
interface ServiceSpec {
  readonly kind: "web" | "static";
  readonly project: 0 | 1 | undefined;
  readonly branch: string | null | undefined;
  readonly port: number | undefined;
  readonly secrets: readonly string[];
  readonly refersTo: number;
  readonly preventDestroy: boolean;
  readonly onRemove: OnRemove;
}

const serviceSpec: fc.Arbitrary<ServiceSpec> = fc.record({
  kind: fc.constantFrom("web", "static"),
  project: fc.constantFrom(0, 1, undefined),
  branch: fc.constantFrom("main", "dev", "", null, undefined),
  port: fc.constantFrom(0, 80, undefined),
  secrets: fc.uniqueArray(fc.constantFrom("A", "B", "C"), { maxLength: 3 }),
  refersTo: fc.nat(5),
  preventDestroy: fc.boolean(),
  onRemove: fc.constantFrom("delete", "archive", "retain"),
});

const manifest = fc.array(fc.option(serviceSpec, { nil: undefined }), { maxLength: 5 });

function desiredFrom(specs: readonly (ServiceSpec | undefined)[], shuffled = false, isProtected = true) {
  const resources = specs.flatMap((spec, i) => (spec ? resourcesOf(spec, i, specs, isProtected) : []));
  resources.push(declare("project.p0"), declare("project.p1"));
  return desiredOf(shuffled ? resources.reverse() : resources);
}

function resourcesOf(
  spec: ServiceSpec,
  i: number,
  specs: readonly (ServiceSpec | undefined)[],
  isProtected: boolean,
) {
  const name = nameOf(spec, i);
  const values: Record<string, DesiredValue> = { kind: spec.kind };
  if (spec.branch !== undefined) values["configuration.branch"] = spec.branch;
  if (spec.port !== undefined) values["configuration.port"] = spec.port;
  const lifecycle = {
    preventDestroy: isProtected && spec.preventDestroy,
    ignoreChanges: [],
    onRemove: spec.onRemove,
  };
  const other = spec.refersTo < i ? specs[spec.refersTo] : undefined;
  return [
    declare(`service.${name}`, values, { lifecycle }),
    declare(`deployment.${name}`),
    ...spec.secrets.map((secret) =>
      declare(`variable.${name}.${secret}`, { value: new Secret(`${name}-${secret}`) }),
    ),
    ...(other
      ? [
          declare(`variable.${name}.HOST`, {
            value: new Template(
              [{ address: at(`service.${nameOf(other, spec.refersTo)}`), attribute: "url" }],
              true,
            ),
          }),
        ]
      : []),
  ];
}

const nameOf = (spec: ServiceSpec, i: number): string =>
  spec.project === undefined ? `s${i}` : `p${spec.project}.s${i}`;

const everything = { adopt: true, allowEmpty: true } as const;

describe("the laws of planning", () => {
  it("apply then plan is empty, from any manifest to any other", () => {
    fc.assert(
      fc.property(manifest, manifest, (first, second) => {
        const world = new World();
        world.settle(desiredFrom(first));
        expect(actionsOf(world.plan(desiredFrom(first)))).toEqual([]);
        world.apply(world.plan(desiredFrom(second), everything));
        expect(actionsOf(world.plan(desiredFrom(second), everything))).toEqual([]);
      }),
      { numRuns: inSoak(150, 30) },
    );
  });

  it("a plan does not depend on the order of keys", () => {
    fc.assert(
      fc.property(manifest, manifest, (first, second) => {
        const world = new World();
        world.settle(desiredFrom(first));
        const forwards = planDocument(world.plan(desiredFrom(second)));
        expect(JSON.stringify(planDocument(world.plan(desiredFrom(second, true))))).toBe(
          JSON.stringify(forwards),
        );
      }),
      { numRuns: inSoak(60, 12) },
    );
  });

  it("what is neither declared nor recorded never appears in a change", () => {
    fc.assert(
      fc.property(manifest, fc.nat(4), (specs, touched) => {
        const world = new World();
        world.settle(desiredFrom(specs));
        const spec = specs[touched];
        if (!spec) return;
        world.touch(`service.${nameOf(spec, touched)}`, {
          "configuration.startCommand": "x",
          "configuration.maintenance": true,
        });
        expect(actionsOf(world.plan(desiredFrom(specs)))).toEqual([]);
      }),
      { numRuns: inSoak(60, 12) },
    );
  });

  it("a read that fails or shows less never yields a deletion of what is declared", () => {
    const results: readonly ReadResult[] = [
      { kind: "gone" },
      { kind: "absent" },
      { kind: "unchecked", reason: "timeout" },
      { kind: "ambiguous", ids: ["a", "b"] },
    ];
    fc.assert(
      fc.property(manifest, fc.infiniteStream(fc.nat(7)), (specs, chosen) => {
        const world = new World();
        world.settle(desiredFrom(specs));
        const input = world.input(desiredFrom(specs));
        const reads = new Map(
          [...input.reads].map(([address, read]) => [address, results[chosen.next().value] ?? read] as const),
        );
        const { changes } = makePlan({ ...input, reads });
        const own = changes.filter(
          ({ action, withParent }) => action === "delete" || (action === "replace" && !withParent),
        );
        expect(own.map(({ address, guard }) => [address, guard?.code]).filter(([, guard]) => !guard)).toEqual(
          [],
        );
        expect(changes.filter(({ action }) => action === "delete")).toEqual([]);
      }),
      { numRuns: inSoak(100, 20) },
    );
  });

  it("every deletion of a service or project is confirmed by name or guarded", () => {
    fc.assert(
      fc.property(manifest, manifest, (first, second) => {
        const world = new World();
        world.settle(desiredFrom(first));
        for (const { action, guard, type, onRemove } of world.plan(desiredFrom(second), everything).changes) {
          const isLoss = action === "replace" || (action === "delete" && onRemove !== "archive");
          if (isLoss && types.get(type)?.removedWithParent === false) expect(guard).toBeDefined();
        }
      }),
      { numRuns: inSoak(60, 12) },
    );
  });

  it("destroy ends, and leaves only what is protected or kept, or what such a resource refers to", () => {
    fc.assert(
      fc.property(manifest, (specs) => {
        const world = new World();
        world.settle(desiredFrom(specs));
        const plan = world.plan(desiredFrom(specs), { mode: "destroy" });
        world.apply({ ...plan, changes: withoutGuarded(plan.changes) });
        const left = [...world.recorded].filter(([, { type }]) => type === "service");
        const needed = new Set([...world.recorded.values()].flatMap(({ dependsOn }) => dependsOn));
        const isKept = ([address, one]: (typeof left)[number]): boolean =>
          one.preventDestroy || one.retained === true || needed.has(address);
        expect(left.filter((one) => !isKept(one))).toEqual([]);
        for (const [, { parent }] of left) if (parent) expect(world.recorded.has(parent)).toBe(true);
      }),
      { numRuns: inSoak(100, 20) },
    );
  });
});

/** Guarded changes stay undone, and so does what waits for them. */
function withoutGuarded(changes: ReturnType<typeof makePlan>["changes"]) {
  const held = new Set(changes.filter(({ guard }) => guard).map(({ address }) => address));
  for (let size = -1; size !== held.size; ) {
    size = held.size;
    for (const { address, dependsOn } of changes) if (dependsOn.some((on) => held.has(on))) held.add(address);
  }
  return changes.filter(({ address }) => !held.has(address));
}
