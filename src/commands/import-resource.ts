import type { Connection } from "../api/connection";
import type { Reads, Resource } from "../api/reads";
import { recordOfWritten } from "../apply/record";
import type { LoadedManifest } from "../declaration/load-request";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { writeManifest } from "../manifest/write";
import { type Address, addressOf, nameOf, parseAddress, typeOf, uuidPattern } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { DesiredResource } from "../model/desired";
import type { LiveResource, ReadResult } from "../model/live";
import { stageText } from "../model/stage";
import type { RecordedResource, State } from "../model/state";
import { GeneratedSecret, isPlain, type Plain, unmasked } from "../model/value";
import { placedElsewhere } from "../plan/decide-declared";
import { importableTypes, resourceTypes, typeNamed } from "../resources";
import type { Context, Outcome } from "./context";
import { blockOf } from "./export-manifest";
import { holdLock, refuseNewState, withEdit } from "./hold-lock";
import type * as library from "./library/types";
import { knownSecrets, load } from "./load";
import { newState } from "./recover-and-read";

interface ImportRequest extends Omit<library.ImportRequest, "manifest"> {
  readonly lockTimeoutMs: number;
}

export interface ImportOutcome extends Outcome {
  readonly recorded?: RecordedResource;
}

interface ImportTarget {
  readonly address: Address;
  readonly type: Resource;
  readonly id: string;
  /** `project.shop` of `service.shop.api`. */
  readonly parent: Address | undefined;
}

interface Importing extends ImportTarget {
  readonly context: Context;
  readonly connection: Connection;
  readonly state: State;
  readonly loaded: LoadedManifest;
  readonly declared: DesiredResource | undefined;
}

/**
 * `rnv import`: records a live resource under an address that the manifest declares; under any other the next plan
 * would delete it. Writes the state only, never the platform.
 */
export async function importResource(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  const target = targetOf(request);
  const loaded = await load(context, request.files ?? [], "skip");
  const { diagnostics } = loaded;
  const isMissing = diagnostics.every(
    ({ code }) => code === "manifest.not_found" || code === "stack.not_found",
  );
  if (hasErrors(diagnostics) && !isMissing) return { diagnostics, exitCode: 1 };
  refuseNewState(context);
  return holdLock(context, { command: "import", timeoutMs: request.lockTimeoutMs }, async (session) => {
    const state = session.state ?? newState(context);
    refuseInstance(context, target.address);
    refuseIfRecorded(state, target);
    const connection = await context.connect();
    connection.redact(await knownSecrets(context, loaded.desired, state));
    connection.reads.remember(state);
    const declared = loaded.desired?.resources.get(target.address);
    const importing = { ...target, context, connection, state, loaded, declared };
    const live = await readLive(importing);
    if (declared === undefined) throw new DiagnosticsError([await undeclared(importing, live)]);
    const recorded = importedRecord(importing, declared, live);
    const { address, id: after } = target;
    const imported = { ...state, resources: { ...state.resources, [address]: recorded } };
    const run = { command: "import", touched: [{ address, after }] };
    await session.commit(withEdit(context, run, imported, connection.runId));
    return { recorded, diagnostics, exitCode: 0 };
  });
}

function targetOf({ address: text, id }: ImportRequest): ImportTarget {
  const address = parseAddress(text);
  const type = address && importableTypes.find((one) => one.type === typeOf(address));
  if (!address || !type) {
    const names = importableTypes.map((one) => one.type);
    const hint = didYouMean(text.split(".")[0] ?? "", names) ?? `an address begins with ${names.join(", ")}`;
    throw failure("command.usage", `"${text}" is not an address of something that can be imported`, { hint });
  }
  if (!uuidPattern.test(id))
    throw failure("command.usage", `"${id}" is not an id: ids are UUIDs`, {
      address,
      hint: `where its name is as declared, no id is needed: rnv apply --adopt`,
    });
  return { address, type, id: id.toLowerCase(), parent: parentOf(address, type) };
}

/** The sweep of an instance deletes all that its state records: also a resource of another stage. */
function refuseInstance({ stage = "any" }: Context, address: Address): void {
  if (stage === "any" || stage.id === undefined) return;
  const hint = "rnv apply --adopt takes over what has the name that this instance declares";
  const summary = `${address}: nothing is imported into ${stageText(stage)}, an instance of a stage`;
  throw failure("guard.stage", summary, { address, hint });
}

function refuseIfRecorded(state: State, { address, type: { type }, id }: ImportTarget): void {
  const recorded = state.resources[address];
  const owner = Object.entries(state.resources).find(([, one]) => one.type === type && one.id === id)?.[0];
  if (owner === undefined && recorded === undefined) return;
  const summary =
    owner === undefined ? `${address} is recorded with id ${recorded?.id}` : `${id} is recorded as ${owner}`;
  const free = `nothing to do, or remove the record first: rnv state rm ${owner ?? address}`;
  const isPart = owner !== undefined && leavesParent(state, owner as Address, address);
  const hint = recorded ? free : isPart ? "check the id" : `rnv state mv ${owner} ${address}`;
  throw failure("state.conflict", summary, { address, hint });
}

async function readLive(importing: Importing): Promise<LiveResource> {
  const { context, connection, state, address, type, id, parent, declared: desired } = importing;
  const parentId = parent && state.resources[parent]?.id;
  if (parent !== undefined && parentId === undefined)
    throw failure("state.address_unknown", `${parent} is not recorded`, {
      address,
      hint: `import ${parent} first`,
    });
  const declared = new Map<string, Plain>();
  for (const [path, { value }] of desired?.attributes ?? []) if (isPlain(value)) declared.set(path, value);
  const named = declared.get(type.nameAttribute ?? "");
  const name = typeof named === "string" ? named : (nameOf(address).split(".").at(-1) ?? "");
  const look = async (reads: Reads): Promise<readonly ReadResult[]> => {
    const read = await type.read(reads, { address, id, name, declared, parentId });
    return read.kind === "gone" && read.ending === undefined ? [] : [read];
  };
  const [read = { kind: "gone" } as const] =
    (await connection.reads.pollUntilVisible(look, { since: context.clock.elapsed(), forMs: 2000 })) ?? [];
  if (read.kind === "unchecked")
    throw failure("live.import_missing", `${address}: ${read.reason}`, { address });
  if (read.kind !== "found" || read.live.id !== id) {
    const where = type.removedWithParent && parent !== undefined ? ` in ${parent}` : "";
    throw failure("live.import_missing", `${address}: there is no ${type.type} with id ${id}${where}`, {
      address,
      hint: "check the id; what was made a moment ago may not be shown yet: then run the command again",
    });
  }
  if (type.parents.length > 0 && read.live.parentId !== (parentId ?? null)) {
    const where =
      parent === undefined ? "is in a project: its address names that too" : `is not in ${parent}`;
    const hint = "check the address";
    throw failure("live.import_missing", `${type.type} ${id} ${where}`, { address, hint });
  }
  const get = (path: string) => desired?.attributes.get(path)?.value;
  const elsewhere = desired && placedElsewhere({ address, type, desired }, read.live, { get });
  if (elsewhere) throw new DiagnosticsError([elsewhere]);
  return read.live;
}

/** Returns the error for an undeclared address, which the next plan would delete, with the block to declare. */
async function undeclared(
  { connection: { reads, mask }, loaded: { desired, merged }, address, type, id }: Importing,
  live: LiveResource,
): Promise<Diagnostic> {
  const of = [...(desired?.resources.keys() ?? [])].filter((one) => typeOf(one) === type.type);
  const meant = didYouMean(address, of);
  const names = nameOf(address).split(".");
  const block = blockOf(live, names, (await reads.catalog()) as Catalog, mask);
  const isStack = desired !== undefined && merged === undefined;
  const addTo = isStack ? "add it to the stack" : "add it to the manifest";
  const where = desired === undefined ? "write it to rnv.yaml" : addTo;
  return error(
    "live.import_undeclared",
    `${address} is not declared: ${desired === undefined ? "there is no manifest" : "the next plan would delete what is imported there"}`,
    {
      address,
      detail: `${isStack ? "As a manifest would write it" : "To declare it"}:\n${writeManifest([block], resourceTypes).trimEnd()}`,
      hint: `${meant === undefined ? "" : `${meant} If not, `}${where}, then: rnv import ${address} ${id}`,
    },
  );
}

/** Returns true if `to` is in another resource than `from`, which is part of its resource and cannot move. */
export function leavesParent({ resources }: State, from: Address, to: Address): boolean {
  const type = typeNamed(typeOf(from));
  const parent = type?.removedWithParent ? parentOf(to, type) : undefined;
  return parent !== undefined && parent in resources && parent !== resources[from]?.parent;
}

/** Returns the parent's address: `project.shop` of `service.shop.api`, `service.shop.api` of `deployment.shop.api`. */
function parentOf(address: Address, { parents, manifest }: Resource): Address | undefined {
  const names = nameOf(address).split(".");
  const outer = manifest.shape === "single" ? names : names.slice(0, -1);
  const [parent] = parents;
  return parent === undefined || outer.length === 0 ? undefined : addressOf(parent.type, ...outer);
}

function importedRecord(
  { context: { clock }, connection: { reads, mask }, state, parent }: Importing,
  { attributes, lifecycle: { preventDestroy, onRemove } }: DesiredResource,
  live: LiveResource,
): RecordedResource {
  const isRecorded = parent !== undefined && state.resources[parent] !== undefined;
  // Only generated values are kept as they are. The first plan shows all others.
  const kept = [...attributes].flatMap(([path, { value }]) =>
    value instanceof GeneratedSecret ? [[path, { fingerprint: value.fingerprint }]] : [],
  );
  return recordOfWritten({ reads, clock }, live, {
    parent: isRecorded ? parent : undefined,
    computed: unmasked(Object.fromEntries(live.computed), mask),
    preventDestroy,
    onRemove,
    applied: Object.fromEntries(kept),
  });
}
