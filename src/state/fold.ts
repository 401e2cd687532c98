import type { Address } from "../model/address";
import { deletedFrom, withDeleted } from "../model/freshness";
import type { Intent, JournalEntry, RecordedResource, State } from "../model/state";

/** The state before anything is recorded; serial 0 until its first commit. */
export const emptyState = (origin: {
  readonly lineage: string;
  readonly workspaceId: string;
  readonly baseUrl: string;
}): State => ({
  format: "rnv-state",
  version: 1,
  lineage: origin.lineage,
  serial: 0,
  workspaceId: origin.workspaceId,
  baseUrl: origin.baseUrl,
  keyId: null,
  resources: {},
  outputs: {},
  run: null,
  open: [],
});

/** The state with journal entries taken in, in their order. Neither argument is changed. */
export function fold(state: State, entries: readonly JournalEntry[]): State {
  if (entries.length === 0) return state;
  const resources: Record<Address, RecordedResource> = { ...state.resources };
  const open = new Map<number, Intent>(state.open.map((intent) => [intent.seq, intent]));
  const deleted: ReturnType<typeof deletedFrom>[] = [];
  let { outputs, run, keyId } = state;
  for (const entry of entries) {
    switch (entry.kind) {
      case "run":
        run = entry.run;
        keyId = entry.keyId ?? keyId;
        break;
      case "intent":
        open.set(entry.intent.seq, entry.intent);
        break;
      case "outcome":
        open.delete(entry.seq);
        break;
      case "resource":
        if (entry.resource === null) {
          const before = resources[entry.address];
          if (before && entry.deletedAt !== undefined)
            deleted.push(deletedFrom(entry.address, before, entry.deletedAt));
          delete resources[entry.address];
        } else resources[entry.address] = entry.resource;
        break;
      case "outputs":
        outputs = entry.outputs;
        break;
      case "end":
        run = null;
        break;
    }
  }
  const lately = withDeleted(state.deleted, deleted);
  return {
    ...{ ...state, keyId, resources, outputs, run, open: [...open.values()] },
    ...(lately && { deleted: lately }),
  };
}
