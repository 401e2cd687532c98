import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf, typeOf } from "../model/address";
import type { Desired } from "../model/desired";
import type { RecordedResource } from "../model/state";

/** What is recorded, under the addresses that the manifest now uses. */
export interface MovedState {
  readonly recorded: ReadonlyMap<Address, RecordedResource>;
  /** New address to the one it was recorded under, for what moved. */
  readonly previous: ReadonlyMap<Address, Address>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Renames recorded resources as `moved` says. What is recorded inside of one that moved goes along
 * (`variable.shop.web.X` with `service.shop.web`), unless its old address is still declared. A move whose source
 * is not recorded has happened before and is ignored.
 */
export function applyMoves(
  resources: Readonly<Record<Address, RecordedResource>>,
  desired: Pick<Desired, "moved" | "resources">,
): MovedState {
  const before = new Map<Address, RecordedResource>();
  for (const key in resources) {
    const address = key as Address;
    before.set(address, resources[address] as RecordedResource);
  }
  if (desired.moved.length === 0) return { recorded: before, previous: new Map(), diagnostics: [] };

  const diagnostics: Diagnostic[] = [];
  const explicit = new Map<Address, Address>();
  for (const { from, to, range } of desired.moved) {
    const problem = moveProblem(from, to, before, desired);
    if (problem) diagnostics.push(error("manifest.moved", problem, { address: from, range }));
    else explicit.set(from, to);
  }

  const names = new Map<Address, Address>();
  const newAddress = (address: Address): Address => {
    const known = names.get(address);
    if (known) return known;
    names.set(address, address);
    const named = explicit.has(address)
      ? lastOf(address, explicit)
      : movedAlong(address, before.get(address)?.parent, newAddress, desired);
    names.set(address, named);
    return named;
  };

  const recorded = new Map<Address, RecordedResource>();
  const previous = new Map<Address, Address>();
  for (const [address, resource] of before) {
    const to = newAddress(address);
    if (to !== address) previous.set(to, address);
    recorded.set(to, {
      ...resource,
      ...(resource.parent && { parent: newAddress(resource.parent) }),
      dependsOn: resource.dependsOn.map(newAddress),
    });
  }
  return { recorded, previous, diagnostics };
}

function moveProblem(
  from: Address,
  to: Address,
  before: ReadonlyMap<Address, RecordedResource>,
  desired: Pick<Desired, "resources">,
): string | undefined {
  if (!before.has(from)) return undefined;
  if (typeOf(from) !== typeOf(to)) return `${from} cannot become ${to}: a move keeps the type`;
  if (desired.resources.has(from)) return `${from} has moved to ${to} but is still declared`;
  if (before.has(to)) return `${from} cannot move to ${to}: that is recorded already`;
  return undefined;
}

/** Follows a chain of moves to its end; a ring ends where it began. */
function lastOf(address: Address, moves: ReadonlyMap<Address, Address>): Address {
  const seen = new Set([address]);
  let last = address;
  for (let next = moves.get(last); next && !seen.has(next); next = moves.get(next)) {
    seen.add(next);
    last = next;
  }
  return last;
}

function movedAlong(
  address: Address,
  parent: Address | undefined,
  newAddress: (address: Address) => Address,
  desired: Pick<Desired, "resources">,
): Address {
  if (!parent || desired.resources.has(address)) return address;
  const newParent = newAddress(parent);
  if (newParent === parent) return address;
  const name = nameOf(address);
  if (name === nameOf(parent)) return addressOf(typeOf(address), nameOf(newParent));
  if (!name.startsWith(`${nameOf(parent)}.`)) return address;
  return addressOf(typeOf(address), `${nameOf(newParent)}${name.slice(nameOf(parent).length)}`);
}
