import { Consistency } from "../../../src/api/consistent-reads";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Reads, Resource } from "../../../src/api/reads";
import type { ApiRequest, ApiResponse } from "../../../src/api/send";
import type { RecoveryContext, Run } from "../../../src/apply/run";
import { RunJournal } from "../../../src/apply/run-journal";
import { type ManualClock, manualClock } from "../../../src/emulator/testing";
import type { Address } from "../../../src/model/address";
import type { ApplyEvent } from "../../../src/model/apply-event";
import { type DesiredResource, defaultLifecycle } from "../../../src/model/desired";
import type { LiveResource } from "../../../src/model/live";
import { Secret } from "../../../src/model/secret";
import type { Intent, JournalEntry, RecordedResource, RunRecord, State } from "../../../src/model/state";
import type { DesiredValue } from "../../../src/model/value";
import type { Change, PlannedInstance } from "../../../src/plan/plan";
import type { StateSession } from "../../../src/state/backend";
import type { FixedChange } from "../../support/plan-fixture";

export const api = "service.shop.api" as Address;
export const shop = "project.shop" as Address;
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

/** Reads that show nothing: what tests look up is given by their types. */
function fakeReads(clock: ManualClock): Reads {
  const consistency = new Consistency({ clock });
  return {
    invalidate: () => undefined,
    serviceTime: () => undefined,
    contentAt: () => ({}),
    untilVisible: consistency.untilVisible.bind(consistency),
  } as unknown as Reads;
}

/** The recovery of `state` by a run with the API key of the run that was cut short. */
export function recovering(
  state: State,
  types: readonly Resource[],
  more: Partial<RecoveryContext> = {},
): Recovering {
  const events: ApplyEvent[] = [];
  const said: string[] = [];
  const clock = (more.clock as ManualClock | undefined) ?? manualClock({ sleepMoves: true });
  return {
    state,
    types: new Map(types.map((type) => [type.type, type])),
    reads: fakeReads(clock),
    credential: () => "mine",
    wait: true,
    emit: (event) => events.push(event),
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    events,
    said,
    ...more,
    clock,
  };
}

export interface RunGiven {
  readonly resources?: Readonly<Record<Address, RecordedResource>>;
  readonly open?: readonly Intent[];
  readonly fences?: Readonly<Record<string, readonly string[]>>;
  readonly retriableIntents?: readonly Intent[];
  readonly types?: readonly Resource[];
  /** Answers each request, in turn; without one it fails the test. */
  readonly answer?: (request: ApiRequest & { readonly idempotencyKey?: string }) => ApiResponse;
  readonly mode?: Run["mode"];
  readonly lookup?: Run["lookup"];
}

export interface FakeRun extends Run {
  readonly clock: ManualClock;
  /** What was appended to the journal, in order. */
  readonly entries: JournalEntry[];
  readonly requests: (ApiRequest & { readonly idempotencyKey?: string })[];
  readonly events: ApplyEvent[];
}

/** A run over a journal in memory; `run.endpoints(send)` is `{ send }`. */
export function runOf(given: RunGiven = {}): FakeRun {
  const clock = manualClock({ sleepMoves: true });
  const state = stateOf(given.resources ?? {}, given.open ?? [], given.fences);
  const entries: JournalEntry[] = [];
  const requests: FakeRun["requests"] = [];
  const events: ApplyEvent[] = [];
  const session = {
    append: async (more: readonly JournalEntry[]) => void entries.push(...more),
    commit: async (written: State) => written,
  } as unknown as StateSession;
  const journal = new RunJournal(session, state, clock);
  return {
    types: new Map((given.types ?? []).map((type) => [type.type, type])),
    send: async (request) => {
      requests.push(request);
      if (!given.answer) throw new Error(`there is no answer to ${request.operation}`);
      return given.answer(request);
    },
    endpoints: (send) => ({ send }) as unknown as Endpoints,
    reads: fakeReads(clock),
    journal,
    mode: given.mode ?? "apply",
    record: state.run as RunRecord,
    retriableIntents: given.retriableIntents ?? [],
    clock,
    generate: () => new Secret("generated"),
    fingerprintKey: new Uint8Array(32).fill(7),
    defaults: () => new Map(),
    lookup:
      given.lookup ??
      ((address, attribute) => (attribute === "id" ? journal.recorded(address)?.id : undefined)),
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    ...{ entries, requests, events },
  };
}

/** A change of the service `api` that declares `values`, over what is recorded in `run` and what is live. */
export function changeOf(
  action: Change["action"],
  values: Readonly<Record<string, DesiredValue>> | undefined,
  more: Partial<Change> & { readonly instance?: Partial<PlannedInstance> } = {},
): FixedChange {
  const address = more.address ?? api;
  const attributes = new Map(Object.entries(values ?? {}).map(([path, value]) => [path, { value, range }]));
  const desired: DesiredResource = {
    ...{
      address,
      type: more.type ?? "service",
      attributes,
      dependsOn: [],
      lifecycle: defaultLifecycle,
      range,
    },
    ...more.instance?.desired,
  };
  const { instance, ...others } = more;
  return {
    ...{ address, type: "service", action, liveName: "api", released: [], effects: [], dependsOn: [] },
    attributes: Object.keys(values ?? {}).map((path) => ({ path }) as Change["attributes"][number]),
    ...{ withParent: false, onRemove: "delete", binding: null, range: values && range },
    parent: ((values && desired) ?? instance?.recorded)?.parent,
    ...others,
    instance: {
      resolved: new Map(Object.entries(values ?? {})) as PlannedInstance["resolved"],
      ...{ defaults: new Map(), fingerprints: {} },
      ...instance,
      ...(values && { desired }),
    },
  } as FixedChange;
}

export const range = { file: "rnv.yaml", start: 0, end: 1 };
