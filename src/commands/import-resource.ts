import type { Resource } from "../api/resource";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, addressOf, nameOf, parseAddress, typeOf } from "../model/address";
import { defaultLifecycle } from "../model/desired";
import type { LiveResource } from "../model/live";
import type { RecordedResource, State } from "../model/state";
import { resourceTypes, typeNamed } from "../resources";
import { emptyState } from "../state/fold";
import type { Connection, Context, Outcome } from "./context";
import { holdLock } from "./hold-lock";
import { newLineage } from "./new-lineage";

export interface ImportRequest {
  readonly address: string;
  /** Id of the live thing. */
  readonly id: string;
  readonly lockTimeoutMs: number;
}

export interface ImportOutcome extends Outcome {
  readonly recorded?: RecordedResource;
}

/** `rnv import`: records something live under an address. Writes the state only, never the service. */
export async function importResource(context: Context, request: ImportRequest): Promise<ImportOutcome> {
  const address = parseAddress(request.address);
  const type = address && typeNamed(typeOf(address));
  if (!address || !type) throw new DiagnosticsError([unusable(request.address)]);
  return holdLock(context, { command: "import", timeoutMs: request.lockTimeoutMs }, async (session) => {
    const { workspaceId, baseUrl } = context;
    const state = session.state ?? emptyState({ lineage: newLineage(context), workspaceId, baseUrl });
    refuseIfRecorded(state, address, type, request.id);
    const connection = await context.connect();
    const live = await readLive(connection, state, address, type, request.id);
    const recorded = recordOf(state, address, type, live);
    await session.commit({ ...state, resources: { ...state.resources, [address]: recorded } });
    return { recorded, diagnostics: [], exitCode: 0, sources: new Map<string, string>() };
  });
}

function unusable(text: string): Diagnostic {
  const names = resourceTypes.map(({ type }) => type);
  const hint = didYouMean(text.split(".")[0] ?? "", names) ?? "an address looks like service.shop.api";
  return error("command.usage", `"${text}" is not an address of something that can be imported`, { hint });
}

function refuseIfRecorded(state: State, address: Address, { type }: Resource, id: string): void {
  const taken = state.resources[address];
  const owner = Object.entries(state.resources).find(([, one]) => one.type === type && one.id === id)?.[0];
  if (owner === undefined && taken === undefined) return;
  const summary =
    owner === undefined ? `${address} is recorded with id ${taken?.id}` : `${id} is recorded as ${owner}`;
  const hint =
    owner === undefined || owner === address
      ? `nothing to do, or remove the record first: rnv state rm ${address}`
      : `rnv state mv ${owner} ${address}`;
  throw new DiagnosticsError([error("state.conflict", summary, { address, hint })]);
}

async function readLive(
  { reads }: Connection,
  state: State,
  address: Address,
  type: Resource,
  id: string,
): Promise<LiveResource> {
  const parent = parentOf(address, type);
  const parentId = parent && state.resources[parent]?.id;
  if (parent !== undefined && parentId === undefined) {
    const hint = `import ${parent} first`;
    throw new DiagnosticsError([
      error("state.address_unknown", `${parent} is not recorded`, { address, hint }),
    ]);
  }
  const name = nameOf(address).split(".").at(-1) ?? "";
  const read = await type.read(reads, { address, id, name, declared: new Map(), parentId });
  if (read.kind !== "found") {
    const why = read.kind === "unchecked" ? read.reason : `there is no ${type.type} with id ${id}`;
    throw new DiagnosticsError([error("live.import_missing", `${address}: ${why}`, { address })]);
  }
  if (type.parents.length > 0 && read.live.parentId !== (parentId ?? null)) {
    const where =
      parent === undefined ? "lies in a project: its address names that too" : `does not lie in ${parent}`;
    const summary = `${type.type} ${id} ${where}`;
    throw new DiagnosticsError([
      error("live.import_missing", summary, { address, hint: "check the address" }),
    ]);
  }
  return read.live;
}

/** The address around one: `service.shop.api` lies in `project.shop`, `deployment.shop.api` in `service.shop.api`. */
function parentOf(address: Address, { parents, manifest }: Resource): Address | undefined {
  const names = nameOf(address).split(".");
  const outer = manifest.shape === "single" ? names : names.slice(0, -1);
  const [parent] = parents;
  return parent === undefined || outer.length === 0 ? undefined : addressOf(parent.type, ...outer);
}

function recordOf(state: State, address: Address, type: Resource, live: LiveResource): RecordedResource {
  const parent = parentOf(address, type);
  const { preventDestroy, onRemove } = defaultLifecycle;
  return {
    type: type.type,
    id: live.id,
    name: live.name,
    ...(parent !== undefined && state.resources[parent] ? { parent } : {}),
    dependsOn: [],
    // Nothing was applied by us yet: the first plan says what it takes over.
    applied: {},
    computed: Object.fromEntries(live.computed),
    ...(live.updatedAt === undefined ? {} : { updatedAt: live.updatedAt }),
    preventDestroy,
    onRemove,
    writes: 0,
  };
}
