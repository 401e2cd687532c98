import { recordedAfter } from "../../src/apply/change-context";
import { type Address, addressOf, nameOf, typeOf } from "../../src/model/address";
import type { Catalog } from "../../src/model/catalog";
import {
  type Desired,
  type DesiredAttribute,
  type DesiredResource,
  defaultLifecycle,
} from "../../src/model/desired";
import type { LiveResource, ReadResult } from "../../src/model/live";
import type { AppliableValue } from "../../src/model/resource-operations";
import type { ResourceType } from "../../src/model/resource-type";
import { Secret } from "../../src/model/secret";
import type { RecordedResource, State } from "../../src/model/state";
import {
  type DesiredValue,
  GeneratedSecret,
  isPlain,
  type Plain,
  type ResolvedValue,
  Template,
} from "../../src/model/value";
import { asksForRun } from "../../src/plan/decision";
import { applyMoves } from "../../src/plan/instances";
import { makePlan } from "../../src/plan/make-plan";
import {
  type Change,
  instanceOf,
  type Plan,
  type PlanInput,
  type PlannedInstance,
  type PlanOptions,
} from "../../src/plan/plan";
import { resolveValue } from "../../src/plan/resolve";
import { resourceTypes } from "../../src/resources";

export const types: ReadonlyMap<string, ResourceType> = new Map(
  resourceTypes.map((type) => [type.type, type]),
);
export const key = new Uint8Array(32).fill(7);
export const at = (text: string): Address => text as Address;
export const range = { file: "rnv.yaml", start: 0, end: 1 };

export const catalog: Catalog = {
  plans: [
    { id: "free", name: "Free", kinds: ["web", "static"], usd: 0, ngn: 0 },
    { id: "starter", name: "Starter", kinds: ["web", "static"], usd: 7, ngn: 7000 },
  ],
  databasePlans: [],
  defaults: {
    branch: "main",
    buildCommand: "",
    plan: "free",
    port: 8000,
    privateNetworking: true,
    ignorePaths: [],
  },
  regions: [{ id: "auto", name: "Auto" }],
  runtimes: ["auto", "node"],
  serviceTypes: [
    { id: "web", name: "Web", runtime: true },
    { id: "static", name: "Static", runtime: false },
  ],
  capabilities: {},
  pricesAreEstimates: true,
};

export const options: PlanOptions = {
  mode: "apply",
  targets: [],
  excludes: [],
  replace: [],
  adopt: false,
  allowEmpty: false,
  confirmedDeletes: [],
};

export const reference = (address: string, attribute: string): Template =>
  new Template([{ address: at(address), attribute }], false);

/** A declared resource: its parent follows from the address, and its name and parent attribute are filled in. */
export function declare(
  address: string,
  values: Readonly<Record<string, DesiredValue>> = {},
  more: Partial<DesiredResource> = {},
): DesiredResource {
  const type = types.get(typeOf(at(address)));
  const parent = parentOf(at(address));
  const link = type?.parents.find((one) => parent && one.type === typeOf(parent));
  const attributes = new Map<string, DesiredAttribute>();
  if (link && parent) attributes.set(link.attribute, { value: reference(parent, "id"), range });
  if (type?.nameAttribute) attributes.set(type.nameAttribute, { value: lastOf(address), range });
  for (const [path, value] of Object.entries(values)) attributes.set(path, { value, range });
  return {
    address: at(address),
    type: typeOf(at(address)),
    attributes,
    ...(parent && { parent }),
    lifecycle: defaultLifecycle,
    range,
    ...more,
    dependsOn: [...referredTo(attributes), ...(more.dependsOn ?? [])],
  };
}

/** As everything that reads a desired state has it. */
const referredTo = (attributes: ReadonlyMap<string, DesiredAttribute>): Address[] =>
  [...attributes.values()].flatMap(({ value }) =>
    value instanceof Template ? value.references.map(({ address }) => address) : [],
  );

const lastOf = (address: string): string => address.slice(address.lastIndexOf(".") + 1);

function parentOf(address: Address): Address | undefined {
  const names = nameOf(address).split(".");
  switch (typeOf(address)) {
    case "service":
      return names.length > 1 ? addressOf("project", names[0] as string) : undefined;
    case "variable":
      return addressOf("service", ...names.slice(0, -1));
    case "deployment":
      return addressOf("service", ...names);
    case "layout":
      return addressOf("project", ...names);
    default:
      return undefined;
  }
}

export const desiredOf = (resources: readonly DesiredResource[], more: Partial<Desired> = {}): Desired => ({
  resources: new Map(resources.map((resource) => [resource.address, resource])),
  data: new Map(),
  moved: [],
  removed: [],
  outputs: new Map(),
  ...more,
});

/** A service in memory with what is recorded of it: enough to apply a plan to and to plan again. */
export class World {
  readonly live = new Map<string, LiveResource>();
  readonly recorded = new Map<Address, RecordedResource>();
  #clock = 0;

  input(desired: Desired, chosen: Partial<PlanOptions> = {}): PlanInput {
    const state: State = {
      format: "rnv-state",
      version: 1,
      lineage: "lineage",
      serial: 1,
      workspaceId: "w",
      baseUrl: "https://example.com/api/v1",
      keyId: null,
      resources: Object.fromEntries(this.recorded),
      outputs: {},
      run: null,
      open: [],
    };
    const { recorded } = applyMoves(state.resources, desired);
    const addresses = [...recorded.keys(), ...desired.resources.keys()];
    const reads = new Map(addresses.map((address) => [address, this.#read(address, desired, recorded)]));
    return {
      desired,
      state,
      workspaceId: "w",
      baseUrl: state.baseUrl,
      reads,
      inventory: [...this.live.values()],
      catalog,
      types: resourceTypes,
      // As `rnv destroy` does; a plan of it is confirmed by name.
      options: { ...options, confirmsAll: chosen.mode === "destroy", ...chosen },
      fingerprintKey: key,
    };
  }

  plan(desired: Desired, chosen: Partial<PlanOptions> = {}): Plan {
    return makePlan(this.input(desired, chosen));
  }

  /** Applies a plan in an order that its dependencies allow; fails when they allow none. */
  apply(plan: Plan): Address[] {
    const todo = new Map(plan.changes.map((change) => [change.address, change]));
    const done: Address[] = [];
    while (todo.size > 0) {
      const ready = [...todo.values()].filter((change) => change.dependsOn.every((on) => !todo.has(on)));
      if (ready.length === 0) throw new Error(`no way forward: ${[...todo.keys()].join(", ")}`);
      for (const change of ready) {
        this.#carryOut(change, instanceOf(plan, change));
        todo.delete(change.address);
        if (change.action !== "no-op") done.push(change.address);
      }
    }
    return done;
  }

  /** Declares, applies and expects nothing to be left. */
  settle(desired: Desired, chosen: Partial<PlanOptions> = {}): void {
    this.apply(this.plan(desired, chosen));
  }

  /** Someone else changes a live thing. */
  touch(address: string, values: Readonly<Record<string, Plain>>, name?: string): void {
    const id = this.id(address);
    const found = this.live.get(id) as LiveResource;
    const attributes = new Map([...found.attributes, ...Object.entries(values)]);
    this.live.set(id, { ...found, name: name ?? found.name, attributes, updatedAt: this.#now() });
  }

  lose(...addresses: readonly string[]): void {
    for (const address of addresses) this.live.delete(this.id(address));
  }

  id(address: string): string {
    return (this.recorded.get(at(address)) as RecordedResource).id;
  }

  #now(): string {
    this.#clock += 1;
    return new Date(1_700_000_000_000 + this.#clock * 1000).toISOString();
  }

  #read(address: Address, desired: Desired, recorded: typeof this.recorded): ReadResult {
    const id = recorded.get(address)?.id ?? desired.resources.get(address)?.importId?.id;
    if (id !== undefined) {
      const live = this.live.get(id);
      if (live) return { kind: "found", live };
      return { kind: "gone", ...(this.live.size === 0 && { isUnproven: true }) };
    }
    const parent = desired.resources.get(address)?.parent;
    const within = parent && this.#read(parent, desired, recorded);
    if (within && within.kind !== "found") return { kind: "absent" };
    const declared = types.get(typeOf(address))?.nameAttribute;
    const name = declared && desired.resources.get(address)?.attributes.get(declared)?.value;
    const matches = [...this.live.values()].filter(
      (live) =>
        live.type === typeOf(address) &&
        live.parentId === (within?.live.id ?? null) &&
        live.attributes.get("archived") !== true &&
        live.name === (name ?? lastOf(address)),
    );
    if (matches.length > 1) return { kind: "ambiguous", ids: matches.map((live) => live.id) };
    return matches[0] ? { kind: "found", live: matches[0] } : { kind: "absent" };
  }

  #carryOut(change: Change, instance: PlannedInstance): void {
    const { address, action, previousAddress } = change;
    if (previousAddress && instance.recorded) {
      this.recorded.delete(previousAddress);
      this.recorded.set(address, instance.recorded);
    }
    if (change.retains) {
      this.#retain(change);
      return;
    }
    if (action === "delete" || action === "replace") this.#remove(change);
    if (action === "forget") this.recorded.delete(address);
    if (action === "delete" || action === "forget") return;
    const isNew = action === "create" || action === "replace";
    if (action === "no-op" && !instance.recorded) return;
    const id = isNew ? `${address}#${this.#now()}` : (instance.live?.id ?? instance.recorded?.id ?? "");
    const sends = isNew || action === "update" || (action === "adopt" && change.attributes.length > 0);
    const values = new Map<string, AppliableValue>();
    if (sends)
      for (const [path, { value }] of instance.desired?.attributes ?? [])
        values.set(path, this.#known(value));
    if (sends) this.#write(change, id, values, isNew);
    const live = this.live.get(id);
    const type = types.get(change.type) as ResourceType;
    this.recorded.set(
      address,
      recordedAfter({
        run: {
          reads: { contentAt: () => ({}) },
          defaults: () => type.defaults(catalog),
          fingerprintKey: key,
        },
        change,
        instance,
        type,
        id,
        ...(live && { live }),
        values: sends ? values : (instance.resolved as ReadonlyMap<string, ResolvedValue>),
        ...(instance.recorded && { previous: instance.recorded }),
        writes: (instance.recorded?.writes ?? 0) + (asksForRun(change, type) ? 1 : 0),
        ...(type.reacts && { inputs: this.#inputs(change.parent, type) }),
      }),
    );
  }

  #write(change: Change, id: string, values: ReadonlyMap<string, AppliableValue>, isNew: boolean): void {
    const type = types.get(change.type) as ResourceType;
    const attributes = new Map<string, Plain>(
      isNew ? type.defaults(catalog) : (this.live.get(id)?.attributes ?? []),
    );
    const reset = new Set(
      change.attributes.flatMap(({ path, cause }) => (cause === "removed" ? [path] : [])),
    );
    const sentPaths = isNew ? values.keys() : change.attributes.map(({ path }) => path);
    for (const path of sentPaths) {
      if (type.rules[path]?.change === "local") continue;
      const value = reset.has(path) ? type.defaults(catalog).get(path) : values.get(path);
      const sent = value === null ? (type.defaults(catalog).get(path) ?? null) : value;
      if (sent !== undefined && !(sent instanceof Secret)) attributes.set(path, sent);
    }
    const named = type.nameAttribute && attributes.get(type.nameAttribute);
    const parentId = type.parents
      .map(({ attribute }) => attributes.get(attribute))
      .find((one) => one != null);
    this.live.set(id, {
      type: change.type,
      id,
      name: typeof named === "string" ? named : change.liveName,
      parentId: typeof parentId === "string" ? parentId : null,
      attributes,
      computed: new Map<string, Plain>([
        ["id", id],
        ["url", `https://${id}`],
        ["internalHost", `${id}.internal`],
      ]),
      updatedAt: this.#now(),
    });
  }

  /** What is archived, and what holds it, stays recorded with its parts. */
  #retain({ address, id = "", action }: Change): void {
    const live = this.live.get(id);
    if (action === "delete" && live)
      this.live.set(id, { ...live, attributes: new Map([...live.attributes, ["archived", true]]) });
    for (const [other, resource] of this.recorded)
      if (other === address || (resource.parent === address && types.get(resource.type)?.removedWithParent))
        this.recorded.set(other, { ...resource, retained: true });
  }

  #remove({ address, id, liveName: name }: Change): void {
    const live = id === undefined ? undefined : this.live.get(id);
    this.recorded.delete(address);
    if (!live) return;
    if (live.name !== name) throw new Error(`confirm of ${address} is "${name}"`);
    for (const part of [...this.live.values()].filter((one) => one.parentId === live.id)) {
      if (types.get(part.type)?.removedWithParent) this.live.delete(part.id);
      else throw new Error(`${address} still holds ${part.id}`);
    }
    this.live.delete(live.id);
  }

  #known(value: DesiredValue): AppliableValue {
    if (value instanceof GeneratedSecret) return new Secret("x".repeat(value.length));
    const known = resolveValue(value, ({ address, attribute }) => {
      const live = this.live.get(this.id(address));
      const found =
        attribute === "id" ? live?.id : (live?.computed.get(attribute) ?? live?.attributes.get(attribute));
      if (found === undefined) throw new Error(`${address}.${attribute} is not known`);
      return found;
    });
    if (known instanceof Secret || isPlain(known)) return known;
    throw new Error("unknown");
  }

  #inputs(parent: Address | undefined, type: ResourceType): Record<string, number> {
    const inputs: Record<string, number> = {};
    for (const [address, one] of this.recorded)
      if (address === parent || (one.parent === parent && type.follows.includes(one.type)))
        inputs[one.id] = one.writes;
    return inputs;
  }
}

/** `address action` of everything that changes. */
export const actionsOf = (plan: Plan): string[] =>
  plan.changes
    .filter(({ action }) => action !== "no-op")
    .map(({ address, action }) => `${action} ${address}`);

export const codesOf = (plan: Plan): string[] => plan.diagnostics.map(({ code }) => code);

export const changeOf = (plan: Plan, address: string): Change =>
  plan.changes.find((change) => change.address === address) as Change;
