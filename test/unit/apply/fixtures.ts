import type { Reads, Resource } from "../../../src/api/reads";
import type { RecoveryContext } from "../../../src/apply/run";
import { type ManualClock, manualClock } from "../../../src/emulator/testing";
import type { Address } from "../../../src/model/address";
import type { ApplyEvent } from "../../../src/model/apply-event";
import type { LiveResource } from "../../../src/model/live";
import type { Intent, RecordedResource, State } from "../../../src/model/state";

export const api = "service.shop.api" as Address;
export const shop = "project.shop" as Address;
export const rollout = "deployment.shop.api" as Address;
/** Where every manual clock begins. */
export const start = Date.UTC(2026, 0, 1);
export const timeAt = (milliseconds: number): string => new Date(start + milliseconds).toISOString();

export const liveOf = (id: string, more: Partial<LiveResource> = {}): LiveResource => ({
  ...{ type: "service", id, name: "api", parentId: "p1", attributes: new Map(), computed: new Map() },
  ...more,
});

export const recordOf = (id: string, more: Partial<RecordedResource> = {}): RecordedResource => ({
  ...{ type: "service", id, name: "api", dependsOn: [], applied: {}, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete", writes: 3 },
  ...more,
});

/** The creation of the service `api` in the project `p1`, sent when the clock began. */
export const intentOf = (more: Partial<Intent> = {}): Intent => ({
  ...{ seq: 1, runId: "r", address: api, type: "service", operation: "createService", method: "POST" },
  ...{ path: "/workspaces/w/projects/p1/services", key: "key", bodyDigest: "digest", name: "api" },
  ...{ parentId: "p1", at: timeAt(0) },
  ...more,
});

export const stateOf = (
  resources: Readonly<Record<Address, RecordedResource>>,
  open: readonly Intent[],
  fences: Readonly<Record<string, readonly string[]>> = {},
): State => ({
  ...{ format: "rnv-state", version: 1, lineage: "l", serial: 1, workspaceId: "w", baseUrl: "http://b" },
  ...{ keyId: null, resources, outputs: {}, open },
  run: { id: "r", planDigest: "d", credential: "mine", startedAt: timeAt(0), fences },
});

/** A resource type that can do no more than is said. */
export const typeOf = (more: Partial<Resource>): Resource =>
  ({ type: "service", parents: [], groups: [], rules: {}, computed: {}, follows: [], ...more }) as Resource;

export interface Recovering extends RecoveryContext {
  readonly clock: ManualClock;
  readonly events: ApplyEvent[];
  readonly said: string[];
}

/** The recovery of `state` by a run with the API key of the run that was cut short. */
export function recovering(
  state: State,
  types: readonly Resource[],
  more: Partial<RecoveryContext> = {},
): Recovering {
  const events: ApplyEvent[] = [];
  const said: string[] = [];
  return {
    state,
    types: new Map(types.map((type) => [type.type, type])),
    reads: { invalidate: () => undefined } as unknown as Reads,
    credential: () => "mine",
    wait: true,
    emit: (event) => events.push(event),
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    events,
    said,
    ...more,
    clock: (more.clock as ManualClock | undefined) ?? manualClock({ sleepMoves: true }),
  };
}
