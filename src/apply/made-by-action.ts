import type { Resource } from "../api/resource";
import { type Address, addressOf, nameOf } from "../model/address";
import type { Attributes } from "../model/attributes";
import type { ActionInput, Made } from "../model/resource-operations";
import type { RecordedResource, State } from "../model/state";
import { inputsIn } from "./change-context";
import type { RunJournal } from "./run-journal";

/** What is recorded, wherever it is looked at. */
export type Records = Pick<RunJournal, "recorded" | "inside">;

/** The records of a state that no run changes. */
export function recordsOf({ resources }: State): Records {
  const all = Object.entries(resources) as [Address, RecordedResource][];
  return {
    recorded: (address) => resources[address],
    inside: (parent) => all.filter(([, resource]) => resource.parent === parent),
  };
}

/** The part of the resource at `address` that an action makes anew, where it is recorded. */
export const recordedPart = (
  records: Records,
  address: Address,
  type: string,
): readonly [Address, RecordedResource] | undefined =>
  records.inside(address).find(([, resource]) => resource.type === type);

/**
 * The record of what an action made: the next plan sees that everything was deployed with it. Undefined for an action
 * that leaves the state as it is.
 */
export function madeByAction(
  records: Records,
  types: ReadonlyMap<string, Resource>,
  name: string,
  input: ActionInput,
  { id, madeAt }: Made,
): { readonly address: Address; readonly resource: RecordedResource } | undefined {
  const { address } = input;
  const { makes } = types.get(records.recorded(address)?.type ?? "")?.actions?.[name] ?? {};
  const type = makes && types.get(makes.type);
  if (!makes || !type) return undefined;
  const [at, before] = recordedPart(records, address, type.type) ?? [
    addressOf(type.type, ...nameOf(address).split(".")),
    undefined,
  ];
  const applied = makes.applied(before?.applied ?? {}, input);
  const declared = new Map(Object.entries(applied));
  const pending = type.runs?.pendingOf(id, input.id, declared as Attributes);
  const resource: RecordedResource = {
    ...(before ?? nothingBefore(type.type, address)),
    id,
    ...(madeAt !== undefined && { updatedAt: madeAt }),
    applied,
    writes: (before?.writes ?? 0) + 1,
    inputs: inputsIn(records, address, type),
    ...(pending && { pending: { ...pending, ...(madeAt !== undefined && { madeAt }) } }),
  };
  return { address: at, resource };
}

const nothingBefore = (type: string, parent: Address): Omit<RecordedResource, "id"> => ({
  type,
  name: parent.slice(parent.lastIndexOf(".") + 1),
  parent,
  dependsOn: [],
  applied: {},
  computed: {},
  preventDestroy: false,
  onRemove: "delete",
  writes: 0,
});
