import { createHash } from "node:crypto";
import type { WireRequest, WireResponse } from "../../src/api/transport";
import type { ApplyRequest } from "../../src/commands/apply";
import type { Context } from "../../src/commands/context";
import type { Diagnostic } from "../../src/diagnostics/diagnostic";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import type { Clock } from "../../src/model/time";
import type { Plan } from "../../src/plan/plan";
import type { Rnv } from "./build-rnv";
import { apiKeys, baseUrl, type Machine, statePath, workspaceId } from "./machine";
import { ProcessDisk } from "./process-disk";
import type { StateMishap, StateRequest } from "./remote-faults";
import type { Command } from "./scenarios";

/** What goes wrong with one request: on its way or at the service, or in what comes back. */
export interface RequestMishap {
  readonly name: string;
  readonly fault?: Fault;
  readonly rewrite?: (response: WireResponse) => WireResponse;
}

export interface DiskMishap {
  readonly code?: string;
  /** Only the first half of the bytes is taken. */
  readonly short?: true;
}

/** What goes wrong in one process. Requests, disk calls and points are counted from 0. */
export interface Mishaps {
  readonly request?: (index: number, request: SeenRequest) => RequestMishap | undefined;
  readonly disk?: (index: number, name: string) => DiskMishap | undefined;
  /** Of requests to the server of the state. */
  readonly state?: (index: number, request: StateRequest) => StateMishap | undefined;
  /** A moment between two effects: `kill` ends the process there, a function runs while it stands still. */
  readonly point?: (index: number, label: string) => "kill" | (() => Promise<void>) | undefined;
}

export interface SentWrite {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly key?: string;
  /** What went wrong with it. */
  readonly mishap?: string;
}

/** How a command ended, as the command line tells it; `killed` has neither code nor findings. */
export interface Ended {
  readonly killed: boolean;
  readonly exitCode: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Something was thrown that was not foreseen. */
  readonly bug?: string;
  readonly plan?: Plan;
}

const key = new Uint8Array(32).fill(7);
const mostRequests = 4000;

/** A new one each time: one for all would hold on to everything that ever waited for it. */
const never = (): Promise<never> => new Promise(() => {});

/** One run of rnv on a machine, from its start until it ends or is killed. */
export class Process {
  readonly pid: number;
  readonly sent: SentWrite[] = [];
  readonly events: unknown[] = [];
  /** Plans that it was given approval for. */
  readonly approved: Plan[] = [];
  requests = 0;
  stateRequests = 0;
  diskCalls = 0;
  points = 0;
  #dead = false;
  #die: () => void = () => {};
  readonly #death = new Promise<void>((resolve) => {
    this.#die = resolve;
  });

  constructor(
    private readonly rnv: Rnv,
    readonly machine: Machine,
    private readonly mishaps: Mishaps = {},
    private readonly apiKey: string = apiKeys[0],
  ) {
    this.pid = machine.newPid();
  }

  apply(request: Partial<ApplyRequest>): Promise<Ended> {
    return this.run((context) => this.rnv.apply(context, this.#request(request)));
  }

  /** Carries out what a person would type, with everything it asks confirmed. */
  carryOut(request: Partial<ApplyRequest>, command: Command = "apply"): Promise<Ended> {
    if (command === "apply") return this.apply(request);
    if (command === "saved") return this.run((context) => this.#applySaved(context, request));
    return this.run((context) =>
      this.rnv.runtimeAction(context, {
        ...command,
        wait: true,
        timeoutMs: 40_000,
        lockTimeoutMs: 0,
        confirm: async ({ name }) => name,
        onWaiting: () => {},
        onGoingOn: () => {},
      }),
    );
  }

  async #applySaved(context: Context, request: Partial<ApplyRequest>) {
    const whole = this.#request(request);
    const planned = await this.rnv.plan(context, { ...whole, isSaved: true });
    if (!planned.plan || planned.exitCode !== 0) return planned;
    const savedPlan = this.rnv.savePlan(planned.plan, { files: whole.files });
    return this.rnv.apply(context, { ...whole, savedPlan });
  }

  plan(request: Partial<ApplyRequest>): Promise<Ended> {
    return this.run((context) => this.rnv.plan(context, this.#request(request)));
  }

  /** Runs a command to its end and turns what it throws into what the command line would tell. */
  async run(
    command: (context: Context) => Promise<{ exitCode: number; diagnostics: readonly Diagnostic[] }>,
  ): Promise<Ended> {
    const work = command(this.#context()).then(
      (outcome): Ended => ({ killed: false, ...outcome }),
      (cause: unknown) => this.#endedBy(cause),
    );
    const ended = await Promise.race([
      work,
      this.#death.then((): Ended => ({ killed: true, exitCode: -1, diagnostics: [] })),
    ]);
    this.#dead = true;
    this.machine.running.delete(this.pid);
    this.machine.note(`${this.pid} exit ${ended.exitCode} ${ended.diagnostics.map(({ code }) => code)}`);
    return ended;
  }

  #endedBy(cause: unknown): Ended {
    const about = cause as { name?: string; diagnostics?: readonly Diagnostic[]; exitCode?: number };
    if (about.diagnostics !== undefined)
      return { killed: false, exitCode: about.exitCode ?? 1, diagnostics: about.diagnostics };
    if (about.name === "ApiError")
      return { killed: false, exitCode: 1, diagnostics: [this.rnv.diagnosticOf(cause)] };
    return { killed: false, exitCode: 1, diagnostics: [], bug: String((cause as Error)?.stack ?? cause) };
  }

  #request(request: Partial<ApplyRequest>): ApplyRequest {
    return {
      ...this.rnv.planRequest,
      lockTimeoutMs: 0,
      parallelism: 10,
      approve: async (plan) => {
        this.approved.push(plan);
        return { confirmedDeletes: [] };
      },
      ...request,
    };
  }

  #context(): Context {
    const { rnv, machine } = this;
    const clock: Clock = {
      now: () => machine.clock.now() + machine.clockSkew,
      elapsed: () => machine.clock.elapsed(),
      sleep: async (milliseconds, signal) => {
        if (this.#dead) return never();
        await machine.clock.sleep(milliseconds, signal);
        return this.#dead ? never() : undefined;
      },
    };
    return {
      cwd: "/",
      environment: {},
      baseUrl,
      workspaceId,
      credential: () => createHash("sha256").update(this.apiKey).digest("hex").slice(0, 16),
      host: "machine",
      pid: this.pid,
      clock,
      randomBytes: machine.random.bytes,
      backend:
        machine.remote?.backend(rnv, {
          pid: this.pid,
          clock,
          step: this.#step,
          mishap: (request) => this.#stateMishap(request),
        }) ??
        rnv.createLocalBackend({
          path: statePath,
          disk: new ProcessDisk(machine, this.#step, (name) => this.#diskMishap(name)),
          host: "machine",
          pid: this.pid,
          isAlive: (pid) => machine.running.has(pid),
          clock,
          workspaceId,
          baseUrl,
        }),
      connect: async () =>
        rnv.openConnection({
          ...{ baseUrl, workspaceId, clock, gaps: rnv.defaultGaps },
          apiKey: new rnv.Secret(this.apiKey),
          transport: { send: this.#exchange, close: async () => {} },
          random: machine.random.next,
          signal: new AbortController().signal,
        }),
      stateKey: async () => ({ key, keyId: rnv.keyIdOf(key), diagnostics: [] }),
      emit: (event) => this.events.push(event),
      signal: new AbortController().signal,
    };
  }

  /** One effect on the world, with a point before it and one after it. */
  readonly #step = async <T>(label: string, effect: () => Promise<T>): Promise<T> => {
    await this.#point(`${label} <`);
    try {
      return await effect();
    } finally {
      await this.#point(`${label} >`);
    }
  };

  async #point(label: string): Promise<void> {
    if (this.#dead) return never();
    const index = this.points;
    this.points += 1;
    const act = this.mishaps.point?.(index, label);
    if (act === "kill") {
      this.machine.note(`${this.pid} killed at ${label}`);
      this.#dead = true;
      this.machine.running.delete(this.pid);
      this.#die();
      return never();
    }
    if (act !== undefined) {
      this.machine.note(`${this.pid} stands still at ${label}`);
      await act();
    }
  }

  #diskMishap(name: string): DiskMishap | undefined {
    const index = this.diskCalls;
    this.diskCalls += 1;
    return this.mishaps.disk?.(index, name);
  }

  #stateMishap(request: StateRequest): StateMishap | undefined {
    const index = this.stateRequests;
    this.stateRequests += 1;
    return this.mishaps.state?.(index, request);
  }

  readonly #exchange = (request: WireRequest): Promise<WireResponse> => {
    const seen = seenOf(request);
    return this.#step(`${seen.method} ${seen.path}`, async () => {
      const mishap = this.mishaps.request?.(this.requests, seen);
      this.requests += 1;
      if (this.requests > mostRequests) throw new Error("the run does not end");
      if (request.method !== "GET")
        this.sent.push({
          method: request.method,
          path: seen.path,
          body: request.body ?? "",
          key: seen.idempotencyKey,
          mishap: mishap?.name,
        });
      const about = `${this.pid} ${seen.method} ${seen.path}${mishap ? ` [${mishap.name}]` : ""}`;
      try {
        const answer = await this.machine.handle(request, mishap?.fault);
        const told = mishap?.rewrite?.(answer) ?? answer;
        this.machine.note(`${about} ${told.status}`);
        return told;
      } catch (cause) {
        this.machine.note(`${about} ${(cause as { code?: string }).code}`);
        throw cause;
      }
    });
  };
}

function seenOf(request: WireRequest): SeenRequest {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: pathname.replace(/^\/api\/v1/, ""),
    query: search.slice(1),
    body: request.body,
    idempotencyKey: request.headers["idempotency-key"],
  };
}
