import type { ReactionContext } from "../../../src/model/resource-type";
import { decideAll } from "../../../src/plan/decide";
import { at, desiredOf, World } from "../../support/plan-world";
import { type InstanceGiven, instanceOf, liveOf, recordOf, typeWith } from "./fixtures";

/** What a type that reacts is told of a part of `service.api`. */
function told(given: InstanceGiven, around?: InstanceGiven) {
  const seen: ReactionContext[] = [];
  const reason = (context: ReactionContext): null => {
    seen.push(context);
    return null;
  };
  const type = typeWith({ type: "deployment", removedWithParent: true, reacts: { reason } as never });
  const part = instanceOf({ address: "deployment.api", type, declared: {}, ...given });
  const parent = around && instanceOf({ address: "service.api", ...around });
  const instances = new Map([...(parent ? [parent] : []), part].map((one) => [one.address, one]));
  decideAll(new World().input(desiredOf([])), instances, [...instances.keys()], new Set(instances.keys()));
  return seen[0] as ReactionContext;
}

describe("what a type that reacts is told", () => {
  const live = liveOf({ plan: "free" });
  const recorded = recordOf({});

  it("has what is live of it, and nothing of what is gone or goes with its parent", () => {
    expect(told({ live, recorded }).live).toBe(live);
    expect(told({ live }).live).toBe(live);
    expect(told({ recorded, read: { kind: "gone" } }).live).toBeUndefined();
    const parent = at("service.api");
    const created = { declared: { plan: "pro" } };
    expect(told({ live, recorded, parent }, created).live).toBeUndefined();
  });

  it("has its parent as it will be, and what is declared there", () => {
    const parent = at("service.api");
    const context = told({ live, recorded, parent }, { declared: { plan: "pro" }, live, recorded });
    expect(context.parent?.get("plan")).toBe("pro");
    expect(["plan", "kind"].map((path) => context.parentDeclares?.(path))).toEqual([true, false]);
    const alone = told({ live, recorded });
    expect([alone.parent, alone.parentDeclares?.("plan"), alone.upstream]).toEqual([undefined, false, []]);
  });
});
