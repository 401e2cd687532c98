import { type Address, typeOf as typeNameOf } from "../../../src/model/address";
import { type DesiredResource, defaultLifecycle, type Lifecycle } from "../../../src/model/desired";
import type { LiveResource } from "../../../src/model/live";
import type { ResourceType } from "../../../src/model/resource-type";
import type { RecordedResource } from "../../../src/model/state";
import type { DesiredValue, Plain } from "../../../src/model/value";
import { type Decision, decideNothing } from "../../../src/plan/decision";
import type { ResourceInstance } from "../../../src/plan/instances";
import { at, range } from "../../support/plan-world";

type Values = Readonly<Record<string, Plain>>;

/** A type with the fields `name`, `plan` and those of the group `configuration`, two of which begin alike. */
export const typeWith = (more: Partial<ResourceType> = {}): ResourceType =>
  ({
    ...{ type: "service", parents: [{ type: "project", attribute: "projectId" }], groups: ["configuration"] },
    ...{ follows: [], removal: "delete", removedWithParent: false, nameAttribute: "name", manifest: {} },
    rules: {
      name: { change: "update" },
      plan: { change: "update" },
      "configuration.port": { change: "update" },
      "configuration.portal": { change: "update" },
      kind: { change: "replace" },
      token: { change: "update", secret: true },
      preserve: { change: "local" },
      projectId: { change: "replace" },
      archived: { change: "update", alwaysManaged: true },
    },
    computed: { id: { stable: true }, url: { stable: true, movesWith: ["name"] }, state: { stable: false } },
    defaults: () => new Map(),
    ...more,
  }) as unknown as ResourceType;

export const liveOf = (values: Values, more: Partial<LiveResource> = {}): LiveResource => ({
  ...{ type: "service", id: "s1", name: "api", parentId: "p1", computed: new Map() },
  attributes: new Map(Object.entries(values)),
  ...more,
});

export const recordOf = (
  applied: RecordedResource["applied"],
  more: Partial<RecordedResource> = {},
): RecordedResource => ({
  ...{ type: "service", id: "s1", name: "api", dependsOn: [], applied, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete", writes: 1 },
  ...more,
});

export interface InstanceGiven {
  readonly address?: string;
  readonly type?: ResourceType;
  readonly declared?: Readonly<Record<string, DesiredValue>>;
  readonly lifecycle?: Partial<Lifecycle>;
  readonly desired?: Partial<DesiredResource>;
  readonly recorded?: RecordedResource;
  readonly live?: LiveResource;
  readonly read?: ResourceInstance["read"];
  readonly defaults?: Values;
  readonly parent?: string;
  readonly removed?: boolean;
  readonly previousAddress?: string;
}

/** An instance of `service.api`: what is declared, recorded and live beside each other; it is not archived by default. */
export function instanceOf(given: InstanceGiven = {}): ResourceInstance {
  const address = at(given.address ?? "service.api");
  const attributes = new Map(
    Object.entries(given.declared ?? {}).map(([path, value]) => [path, { value, range }]),
  );
  const desired: DesiredResource = {
    ...{ address, type: typeNameOf(address), attributes, dependsOn: [], range },
    lifecycle: { ...defaultLifecycle, ...given.lifecycle },
    ...given.desired,
  };
  return {
    ...{
      address,
      type: given.type ?? typeWith(),
      defaults: new Map(Object.entries({ archived: false, ...given.defaults })),
    },
    ...(given.declared && { desired }),
    ...(given.recorded && { recorded: given.recorded }),
    ...(given.live && { live: given.live }),
    read: given.read ?? (given.live ? { kind: "found", live: given.live } : { kind: "absent" }),
    ...(given.parent !== undefined && { parent: at(given.parent) }),
    ...(given.previousAddress !== undefined && { previousAddress: at(given.previousAddress) }),
    removed: given.removed ?? given.declared === undefined,
  };
}

/** The decision to do `action` about an instance, whose declared values are all known. */
export const decisionOf = (
  action: Decision["action"],
  given: InstanceGiven = {},
  more: Partial<Decision> = {},
): Decision => ({
  ...decideNothing(instanceOf(given), new Map(Object.entries(given.declared ?? {})) as Decision["resolved"]),
  action,
  ...more,
});

/** Decisions by address. */
export const decisionsOf = (...decisions: readonly Decision[]): ReadonlyMap<Address, Decision> =>
  new Map(decisions.map((decision) => [decision.instance.address, decision]));

/** Changes of these fields, as far as tests look at them. */
export const changesOf = (...paths: readonly string[]): Decision["attributes"] =>
  paths.map((path) => ({ path }) as Decision["attributes"][number]);
