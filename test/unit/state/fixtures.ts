import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import type { Address } from "../../../src/model/address";
import type { JournalEntry, RecordedResource } from "../../../src/model/state";
import type { Clock } from "../../../src/model/time";
import type { LockHolder } from "../../../src/state/backend";
import { createLocalBackend } from "../../../src/state/stores/local-backend";

export const origin = {
  workspaceId: "0b7c1f6e-0000-4000-8000-000000000001",
  baseUrl: "https://api.test/api/v1",
};

export const holder = (id: string, pid = 100): LockHolder => ({
  id,
  host: "here",
  pid,
  command: "apply",
  since: "2026-01-01T00:00:00.000Z",
});

/** The local state of a process that lives, by a clock that stands still. */
export const localBackend = (
  changed: Partial<Parameters<typeof createLocalBackend>[0]>,
): ReturnType<typeof createLocalBackend> =>
  createLocalBackend({
    ...{ path: "/s/state.json", host: "here", pid: 100, isAlive: () => true, clock: stillClock() },
    ...{ ...origin, ...changed },
  });

/** The error that a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<DiagnosticsError> {
  const cause = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(cause instanceof DiagnosticsError)) throw new Error(`not refused by a diagnostic: ${cause}`);
  return cause;
}

export const problemOf = async (call: Promise<unknown>) => (await refusalOf(call)).diagnostics[0];

/** A clock that moves only when someone sleeps. */
export function stillClock(
  start = Date.parse("2026-01-01T00:01:00.000Z"),
): Clock & { readonly slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    elapsed: () => now,
    async sleep(milliseconds) {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

export const address = (text: string): Address => text as Address;

export const resource = (id: string, more: Partial<RecordedResource> = {}): RecordedResource => ({
  type: "service",
  id,
  name: id,
  dependsOn: [],
  applied: { "configuration.branch": "main", TOKEN: { fingerprint: "abc" } },
  computed: { url: `https://${id}.test` },
  preventDestroy: false,
  onRemove: "delete",
  writes: 1,
  ...more,
});

export const resourceEntry = (at: string, id: string): JournalEntry => ({
  kind: "resource",
  address: address(at),
  resource: resource(id),
});

export const intent = (seq: number): JournalEntry & { readonly kind: "intent" } => ({
  kind: "intent",
  intent: {
    seq,
    runId: "run",
    address: address("service.api"),
    type: "service",
    name: "api",
    operation: "createService",
    method: "POST",
    path: "/workspaces/w/services",
    key: `key-${seq}`,
    bodyDigest: "digest",
    at: "2026-01-01T00:00:00.000Z",
  },
});

export const outcome = (seq: number): JournalEntry => ({ kind: "outcome", seq, result: "done", status: 200 });
