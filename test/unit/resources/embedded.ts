import { createClient } from "../../../src/api/client";
import { createEndpoints, type Endpoints } from "../../../src/api/endpoints";
import type { Reads, Resource } from "../../../src/api/reads";
import { createReads } from "../../../src/api/reads";
import type { Send } from "../../../src/api/send";
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  embeddedApiKey,
} from "../../../src/emulator/emulator";
import { type ManualClock, manualClock } from "../../../src/emulator/testing";
import type { Address } from "../../../src/model/address";
import type { Pending } from "../../../src/model/live";
import type { CreateInput, OperationStatus, ReadTarget } from "../../../src/model/resource-operations";
import { Secret } from "../../../src/model/secret";

export interface Embedded {
  readonly emulator: Emulator;
  readonly clock: ManualClock;
  readonly endpoints: Endpoints;
  /** What the service shows now: nothing is cached from one call to the next. */
  readonly reads: () => Reads;
  /** Methods of the requests since the last look, with their paths below the workspace. */
  readonly requests: () => string[];
}

/** The real client on the embedded platform, with a clock that jumps over every wait. */
export function embedded(options: EmulatorOptions = {}): Embedded {
  const clock = manualClock({ sleepMoves: true });
  const emulator = createEmulator({ clock, ...options });
  const client = createClient({
    baseUrl: "http://127.0.0.1:1/api/v1",
    apiKey: new Secret(embeddedApiKey),
    transport: emulator.transport(),
    clock,
    random: Math.random,
  });
  let writes = 0;
  const keyed: Send = (request, sendOptions) =>
    client.send(request.keyed ? { ...request, idempotencyKey: `key-${writes++}` } : request, sendOptions);
  const endpoints = createEndpoints(keyed, emulator.workspaceId);
  return {
    emulator,
    clock,
    endpoints,
    reads: () => createReads(endpoints),
    requests: () => {
      const sent = emulator.log.map(({ method, path }) => {
        const [, below = path] = path.split(`/workspaces/${emulator.workspaceId}`);
        return `${method} ${below.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`;
      });
      emulator.resetLog();
      return sent;
    },
  };
}

type Values = Readonly<Record<string, unknown>>;

const asMap = <Map_ extends CreateInput["attributes"]>(values: Values): Map_ =>
  new Map(Object.entries(values)) as unknown as Map_;

export const createInput = (name: string, values: Values, more: Partial<CreateInput> = {}): CreateInput => ({
  address: `thing.${name}` as Address,
  name,
  attributes: asMap(values),
  ...more,
});

export const target = (name: string, more: Partial<ReadTarget> & { values?: Values } = {}): ReadTarget => ({
  address: `thing.${name}` as Address,
  name,
  declared: asMap(more.values ?? {}),
  ...more,
});

/** Looks again and again, as apply would, until the write has ended. */
export async function settled(
  { reads, clock }: Embedded,
  type: Resource,
  pending: Pending,
): Promise<Exclude<OperationStatus, { kind: "waiting" }> & { readonly notes: readonly string[] }> {
  const notes: string[] = [];
  for (let next = pending, looks = 0; looks < 100; looks += 1) {
    const seen = await type.poll(reads(), next);
    if (seen.kind !== "waiting") return { ...seen, notes };
    notes.push(seen.note ?? seen.status);
    next = seen.next ?? next;
    clock.advance(250);
  }
  throw new Error(`still waiting: ${notes.at(-1)}`);
}
