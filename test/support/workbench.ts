import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openConnection } from "../../src/api/connection";
import { defaultGaps, type GapSettings } from "../../src/api/gaps";
import type { Transport } from "../../src/api/transport";
import { type RuntimeOutcome, type RuntimeRequest, runtimeAction } from "../../src/commands/act-on-service";
import { type ApplyOutcome, type ApplyRequest, apply } from "../../src/commands/apply";
import type { Context } from "../../src/commands/context";
import { planRequest } from "../../src/commands/context";
import { type DriftOutcome, type DriftRequest, drift } from "../../src/commands/drift";
import { type PlanOutcome, plan } from "../../src/commands/plan";
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  embeddedApiKey,
  embeddedWorkspaceId,
} from "../../src/emulator/emulator";
import type { Fault } from "../../src/emulator/faults";
import { type ManualClock, manualClock } from "../../src/emulator/testing";
import type { ApplyEvent } from "../../src/model/apply-event";
import { Secret } from "../../src/model/secret";
import type { State } from "../../src/model/state";
import type { Clock } from "../../src/model/time";
import type { StateBackend } from "../../src/state/backend";
import { keyIdOf } from "../../src/state/key";
import type { Origin } from "../../src/state/recorded";
import { createLocalBackend } from "../../src/state/stores/local-backend";
import { type Death, dyingContext } from "./dying-context";
import { MemoryDisk } from "./memory-disk";
import { readingsHere } from "./readings";

export interface WorkbenchOptions {
  readonly emulator?: EmulatorOptions;
  readonly gaps?: Partial<GapSettings>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the state lies; default: in memory, which takes no time. */
  readonly disk?: MemoryDisk | "file system";
  /** Changes what is sent and answered. */
  readonly transport?: (honest: Transport) => Transport;
  /** The key of fingerprints; default: always the same. */
  readonly stateKey?: Context["stateKey"];
  /** Where the state lies instead of the folder. */
  readonly backend?: (around: { readonly clock: Clock; readonly folder: string } & Origin) => StateBackend;
}

/** A workspace on the embedded platform with a folder, a state and a clock of its own, all in this process. */
export type ActionRequest = Partial<RuntimeRequest> & Pick<RuntimeRequest, "action">;

export interface Workbench {
  readonly folder: string;
  readonly emulator: Emulator;
  readonly clock: ManualClock;
  readonly events: ApplyEvent[];
  /** Lines that tell why reads are repeated. */
  readonly said: readonly string[];
  readonly context: Context;
  write(file: string, text: string): void;
  /** Puts the text of a state where a bench with a memory disk reads it. */
  putState(text: string): void;
  plan(request?: Partial<ApplyRequest>): Promise<PlanOutcome>;
  /** Action and address of each change that the next apply makes; a plan with an error fails. */
  acting(request?: Partial<ApplyRequest>): Promise<string[]>;
  /** Approves everything, and confirms no deletion, unless the request says otherwise. */
  apply(request?: Partial<ApplyRequest>, changed?: Partial<Context>): Promise<ApplyOutcome>;
  /** Writes `rnv.yaml` and applies it, without a finding. */
  applied(text: string, ...how: Parameters<Workbench["apply"]>): Promise<void>;
  /** Applies, and interrupts the run once it waits for something. */
  interrupt(request?: Partial<ApplyRequest>): Promise<ApplyOutcome>;
  /** Answers requests, told as `METHOD path`, with a fault: all of them or the first few. No arguments end it. */
  fail(request?: RegExp, fault?: Fault | (() => Fault), times?: number): void;
  drift(request?: Partial<DriftRequest>): Promise<DriftOutcome>;
  /** Applies in a process that dies with one of its writes; resolves at its death, or when it ended before. */
  applyUntilDeath(death: Death, request?: Partial<ApplyRequest>): Promise<unknown>;
  /** Runs an action; on `service.shop.api`, waited for and not confirmed, unless said. */
  act(request: ActionRequest, changed?: Partial<Context>): Promise<RuntimeOutcome>;
  /** The same in a process that dies with one of its writes. */
  actUntilDeath(death: Death, request: ActionRequest): Promise<unknown>;
  /** The recorded state. */
  state(): Promise<State | undefined>;
  /** The names of the services, sorted. */
  names(): string[];
  /** Method and path of every write the service saw since the last `resetLog`. */
  writes(): string[];
  /** Removes its folder before the run ends: for a suite that makes thousands. */
  remove(): void;
}

const baseUrl = "http://127.0.0.1:1/api/v1";
const origin = { workspaceId: embeddedWorkspaceId, baseUrl };
/** The key of fingerprints of every bench. */
export const stateKey = new Uint8Array(32).fill(7);

export function createWorkbench(options: WorkbenchOptions = {}): Workbench {
  const folder = mkdtempSync(join(tmpdir(), "rnv-bench-"));
  const clock = manualClock({ sleepMoves: true });
  const { disk: chosen = new MemoryDisk() } = options;
  const disk = chosen === "file system" ? undefined : chosen;
  const emulator = createEmulator({
    ...{ clock, ...options.emulator },
    readings: readingsHere(options.emulator?.readings),
  });
  const events: ApplyEvent[] = [];
  const said: string[] = [];
  let seed = 1;
  const context: Context = {
    cwd: folder,
    environment: options.environment ?? {},
    baseUrl,
    workspaceId: embeddedWorkspaceId,
    credential: () => "0123456789abcdef",
    host: "bench",
    pid: process.pid,
    clock,
    randomBytes: (size) => {
      const bytes = new Uint8Array(size);
      for (let i = 0; i < size; i += 1) {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        bytes[i] = seed >>> 16;
      }
      return bytes;
    },
    backend:
      options.backend?.({ clock, folder, ...origin }) ??
      createLocalBackend({
        path: join(folder, ".rnv", "state.json"),
        disk,
        host: "bench",
        pid: process.pid,
        isAlive: () => true,
        clock,
        ...origin,
      }),
    connect: async () =>
      openConnection({
        ...{ baseUrl, apiKey: new Secret(embeddedApiKey), workspaceId: embeddedWorkspaceId },
        transport: options.transport?.(emulator.transport()) ?? emulator.transport(),
        ...{ clock, random: () => 0.5, signal: new AbortController().signal },
        runId: Buffer.from(context.randomBytes(16)).toString("hex"),
        gaps: { ...defaultGaps, ...options.gaps },
        say: (line) => said.push(line),
      }),
    stateKey:
      options.stateKey ?? (async () => ({ key: stateKey, keyId: keyIdOf(stateKey), diagnostics: [] })),
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
  };
  const requestOf = (request: Partial<ApplyRequest>): ApplyRequest => ({
    ...planRequest,
    lockTimeoutMs: 0,
    parallelism: 10,
    approve: async () => ({ confirmedDeletes: [] }),
    ...request,
  });
  const actionOf = (request: ActionRequest): RuntimeRequest => ({
    ...{ address: "service.shop.api", wait: true, timeoutMs: 600_000, lockTimeoutMs: 0 },
    ...{ confirm: async () => undefined, onGoingOn: () => undefined, onWaiting: () => undefined },
    ...request,
  });
  const bench: Workbench = {
    folder,
    emulator,
    clock,
    events,
    said,
    context,
    write: (file, text) => writeFileSync(join(folder, file), text),
    putState: (text) => disk?.put(join(folder, ".rnv", "state.json"), text),
    plan: (request = {}) => plan(context, requestOf(request)),
    acting: async (request = {}) => {
      const { plan: made, diagnostics } = await plan(context, requestOf(request));
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      if (made === undefined || errors.length > 0)
        throw new Error(`not planned: ${errors.map(({ summary }) => summary)}`);
      const changes = made.changes.filter(({ action }) => action !== "no-op");
      return changes.map(({ action, address }) => `${action} ${address}`);
    },
    apply: (request = {}, changed = {}) => apply({ ...context, ...changed }, requestOf(request)),
    applied: async (text, ...how) => {
      bench.write("rnv.yaml", text);
      expect(await bench.apply(...how)).toMatchObject({ exitCode: 0, diagnostics: [] });
    },
    interrupt: (request = {}) => {
      const interruption = new AbortController();
      const emit = ({ type }: ApplyEvent): void => {
        if (type === "waiting") interruption.abort();
      };
      return bench.apply(request, { signal: interruption.signal, emit });
    },
    fail: (request, fault, times = Number.POSITIVE_INFINITY) => {
      let left = times;
      emulator.setFaults((_, { method, path }) => {
        if (!request?.test(`${method} ${path}`) || left-- <= 0) return undefined;
        return typeof fault === "function" ? fault() : fault;
      });
    },
    drift: (request = {}) => drift(context, { ...planRequest, ...request }),
    applyUntilDeath: (death, request = {}) => {
      const dying = dyingContext(context, death);
      return Promise.race([apply(dying.context, requestOf(request)), dying.died]);
    },
    act: (request, changed = {}) => runtimeAction({ ...context, ...changed }, actionOf(request)),
    actUntilDeath: (death, request) => {
      const dying = dyingContext(context, death);
      return Promise.race([runtimeAction(dying.context, actionOf(request)), dying.died]);
    },
    state: () => context.backend.read(),
    names: () =>
      emulator.store
        .services()
        .map(({ name }) => name)
        .sort(),
    writes: () =>
      emulator.log.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return bench;
}
