import type { OnRemove } from "../../src/model/desired";
import { fc } from "../support/fixed-seed";
import { declare, desiredOf, types, World } from "../support/plan-world";
import { inSoak } from "../support/soak";

/** One service of a random manifest. */
interface ServiceSpec {
  readonly kind: "web" | "static";
  readonly project: 0 | 1 | undefined;
  readonly preventDestroy: boolean;
  readonly onRemove: OnRemove;
}

const serviceSpec: fc.Arbitrary<ServiceSpec> = fc.record({
  kind: fc.constantFrom("web", "static"),
  project: fc.constantFrom(0, 1, undefined),
  preventDestroy: fc.boolean(),
  onRemove: fc.constantFrom("delete", "archive", "retain"),
});

const manifest = fc.array(fc.option(serviceSpec, { nil: undefined }), { maxLength: 5 });

const desiredFrom = (specs: readonly (ServiceSpec | undefined)[]) =>
  desiredOf([
    ...specs.flatMap((spec, i) => {
      if (spec === undefined) return [];
      const { kind, project, preventDestroy, onRemove } = spec;
      const name = project === undefined ? `s${i}` : `p${project}.s${i}`;
      const lifecycle = { preventDestroy, ignoreChanges: [], onRemove };
      return [declare(`service.${name}`, { kind }, { lifecycle }), declare(`deployment.${name}`)];
    }),
    declare("project.p0"),
    declare("project.p1"),
  ]);

describe("the laws of planning", () => {
  it("every deletion of a service or project is confirmed by name or guarded", () => {
    fc.assert(
      fc.property(manifest, manifest, (first, second) => {
        const world = new World();
        world.settle(desiredFrom(first));
        const { changes } = world.plan(desiredFrom(second), { adopt: true, allowEmpty: true });
        for (const { action, blockedBy, type, onRemove } of changes) {
          const isLoss = action === "replace" || (action === "delete" && onRemove !== "archive");
          if (isLoss && types.get(type)?.removedWithParent === false) expect(blockedBy).toBeDefined();
        }
      }),
      { numRuns: inSoak(60, 12) },
    );
  });
});
