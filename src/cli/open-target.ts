import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { createHttpTransport, type HttpTransportOptions, isLoopback } from "../api/http-transport";
import { embeddedUrl, type Transport, type WireRequest } from "../api/transport";
import type { Connection, Context } from "../commands/context";
import { embeddedTransport, openConnection } from "../commands/open-connection";
import type { TargetOutcome } from "../commands/targets";
import type { CrossValue } from "../declaration/load-request";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../diagnostics/diagnostic";
import type { State } from "../model/state";
import type { ProcessEnvironment } from "../model/text";
import { systemClock } from "../model/time";
import { version } from "../model/version";
import { aliveBy } from "../state/alive-by";
import { loadStateKey } from "../state/key";
import { openBackend } from "../state/open-backend";
import { readStandardInput } from "./files";
import { isJob, repositoryOf, startedBy } from "./job";
import { systemTicker, type WaitNotice, watchWaiting } from "./progress";
import { report, type Screen } from "./screen";
import { readSettings, type Settings } from "./settings";
import type { Target } from "./target";

const told = new WeakSet<AbortSignal>();

/**
 * Names the workspace and the profile of a run, once and first. A pipe gets the line on standard error, and only for a
 * profile: settings of the environment were given for this run.
 */
export function tellTarget({ target, screen }: Run): void {
  const { terminal, format, signal } = screen;
  const { profile } = target;
  const { baseUrl, workspaceId, diagnostics } = readSettings(target);
  if (told.has(signal) || format !== "text" || hasErrors(diagnostics)) return;
  told.add(signal);
  const host = baseUrl === "embedded" ? "the embedded service" : new URL(baseUrl).host;
  const line = `Workspace ${workspaceId} on ${host}${profile ? ` (profile ${profile.name})` : ""}\n`;
  if (terminal.width !== undefined) terminal.tell(line);
  else if (profile) terminal.note(line);
}

interface OpenContext extends Context {
  readonly hasWritten: () => boolean;
  readonly close: () => Promise<void>;
}

/** What a target is read from. */
export const sourcesOf = ({ target, screen }: Pick<Run, "target" | "screen">) => ({
  environment: target.environment,
  cwd: target.cwd,
  untrusted: target.untrusted,
  synthesized: target.synthesized,
  stack: target.unit,
  stage: target.readStage,
  standardInput: () => readStandardInput(screen.terminal),
});

/** Opens the capabilities of a target. Nothing is opened before a command asks for it. */
export function openTarget(target: Target, screen: Screen): OpenContext {
  const { environment, cwd, stack, stage, readStage, takesUnnamed } = target;
  const { terminal, signal } = screen;
  const settings = readSettings(target);
  // The workspace that the state must belong to. Verbs that only read or correct a state work without.
  const origin = { baseUrl: settings.baseUrl, workspaceId: settings.workspaceId };
  const machine = { host: hostname(), pid: process.pid, clock: systemClock, randomBytes };
  const steps = { inFlight: 0, hasWritten: false };
  const watch = (host: string): WaitNotice =>
    watchWaiting({
      host,
      say: (line) => {
        // A live view shows steps in flight with their time already.
        if (!terminal.live || steps.inFlight === 0) terminal.note(`${line}\n`);
      },
      ...systemTicker,
    });
  const stateServer = openStateServer(environment, watch("the state's server"));
  let connection: Promise<Connection> | undefined;
  return {
    ...sourcesOf({ target, screen }),
    ...origin,
    ...machine,
    startedBy: (files) => startedBy(environment, cwd, files),
    repository: { name: repositoryOf(environment, cwd), isJob: isJob(environment) },
    credential: settings.credential,
    refusedState: refusedState(settings, environment),
    backend: openBackend(settings.state, {
      environment,
      stack,
      ...origin,
      stage: readStage === "any" ? undefined : stage === undefined ? null : { name: stage, takesUnnamed },
      ...machine,
      isAlive: aliveBy((pid, signal) => process.kill(pid, signal)),
      openTransport: stateServer.open,
    }),
    connect: () => {
      connection ??= connect(settings, { target, screen, watch, steps });
      return connection;
    },
    stateKey: (create) => {
      const path = join(settings.stateFolder, "state.key");
      const salt = settings.workspaceId || undefined;
      return loadStateKey({ environment, path, create, salt, randomBytes });
    },
    emit: ({ type }) => {
      if (type === "start") steps.inFlight += 1;
      if (type === "done" || type === "failed") steps.inFlight -= 1;
    },
    say: (line) => terminal.note(`${line}\n`),
    ...(terminal.live && screen.format !== "json" && { progress: (line) => terminal.note(`${line}\n`) }),
    hasWritten: () => steps.hasWritten,
    signal,
    close: async () => {
      await stateServer.close();
      await (await connection?.catch(() => undefined))?.close();
    },
  };
}

function openStateServer(environment: ProcessEnvironment, waiting: WaitNotice) {
  let opened: Transport | undefined;
  return {
    open: (limits: HttpTransportOptions): Transport => {
      const transport = createHttpTransport({ environment, ...limits });
      opened = transport;
      return { ...transport, send: (request) => waiting.during(() => transport.send(request)) };
    },
    close: async (): Promise<void> => {
      waiting.close();
      await opened?.close();
    },
  };
}

interface ConnectParts {
  readonly target: Target;
  readonly screen: Screen;
  readonly watch: (host: string) => WaitNotice;
  readonly steps: { hasWritten: boolean };
}

async function connect(
  settings: Settings,
  { target, screen, watch, steps }: ConnectParts,
): Promise<Connection> {
  const { apiKey, workspaceId, gaps } = settings;
  const { cwd, environment, answerTimeoutMs, parallelism } = target;
  const { terminal, signal } = screen;
  if (hasErrors(settings.diagnostics) || apiKey === undefined)
    throw new DiagnosticsError(settings.diagnostics);
  report(screen, settings.diagnostics);
  const isEmbedded = settings.baseUrl === "embedded";
  const waiting = watch(isEmbedded ? "the embedded service" : new URL(settings.baseUrl).host);
  const limits = answerTimeoutMs === undefined ? {} : { exchangeTimeoutMs: answerTimeoutMs };
  const open = () => createHttpTransport({ environment, onLoad: disableWasmOptimizer, ...limits });
  const transport = isEmbedded
    ? embeddedTransport(cwd, environment)
    : (target.openTransport?.(open) ?? open());
  const send = (request: WireRequest) => {
    if (request.method !== "GET") steps.hasWritten = true;
    return waiting.during(() => transport.send(request));
  };
  const connection = openConnection({
    baseUrl: isEmbedded ? embeddedUrl : settings.baseUrl,
    apiKey,
    transport: { ...transport, send },
    clock: systemClock,
    random: Math.random,
    runId: randomBytes(16).toString("hex"),
    ...{ workspaceId, gaps, signal },
    say: (line) => terminal.note(`${line}\n`),
    userAgent: `rnv/${version}`,
    ...(parallelism !== undefined && { maxConcurrency: parallelism }),
    onWait: waiting.onWait,
    onDeprecation: ({ endsOn, link }) => {
      const summary = `the platform will remove a part of its API that rnv ${version} uses`;
      const when = endsOn === undefined ? "It names no date." : `It ends on ${endsOn}.`;
      const hint = `update rnv${link === undefined ? "" : `; the platform says more at ${link}`}`;
      report(screen, [warning("api.deprecated", summary, { detail: when, hint })]);
    },
  });
  const close = async () => {
    waiting.close();
    await connection.close();
  };
  return { ...connection, close };
}

/**
 * Compiles WebAssembly, which reads HTTP for undici, once and quickly: optimizing it is never repaid in a run. Set earlier,
 * a flag makes V8 discard the compiled code of the modules of Node that undici loads. Node 24 gains nothing by it.
 */
function disableWasmOptimizer(): void {
  if (Number.parseInt(process.versions.node, 10) < 24) setFlagsFromString("--liftoff-only");
}

/** In CI the default state is a file that is gone with the runner, unless an earlier step has put it there. */
function refusedState(
  { baseUrl, state, isDefaultState }: Settings,
  environment: ProcessEnvironment,
): Diagnostic | undefined {
  if (!isDefaultState || !isJob(environment) || state.kind !== "file" || existsSync(state.path))
    return undefined;
  if (!URL.canParse(baseUrl) || isLoopback(new URL(baseUrl).hostname)) return undefined;
  return error("guard.local_state", `${state.path} would be created, and is lost when this job ends`, {
    detail: "The next job would create every resource a second time.",
    hint: "say where the state is kept: RNV_STATE=s3://BUCKET/KEY or https://…, or state: of the stage; RNV_STATE=PATH where a later step keeps the file",
  });
}

/** Outputs of a stack that others may use. */
export type ToldOutputs = ReadonlyMap<string, CrossValue>;

/** How a verb ended on a target. */
export interface TargetEnd extends TargetOutcome {
  /** Of a plan or an apply: outputs for the stacks that come after it. */
  readonly toldOutputs?: ToldOutputs | undefined;
}

/** The run of a verb on a target. */
export interface Run {
  readonly target: Target;
  readonly screen: Screen;
  /** Opened when it is first asked for. */
  readonly context: OpenContext;
}

/** Runs a piece of work on a target, and closes what it has opened. Ctrl-C is answered at once. */
export async function runOn<T>(target: Target, screen: Screen, work: (run: Run) => Promise<T>): Promise<T> {
  const { signal, terminal } = screen;
  let opened: OpenContext | undefined;
  const tell = (): void =>
    terminal.note(
      opened?.hasWritten()
        ? "\nFinishing requests in progress. Press Ctrl-C again to quit now.\n"
        : "\nCancelled.\n",
    );
  const open = (): OpenContext => {
    signal.addEventListener("abort", tell, { once: true });
    return openTarget(target, screen);
  };
  try {
    return await work({
      ...{ target, screen },
      get context() {
        opened ??= open();
        return opened;
      },
    });
  } finally {
    signal.removeEventListener("abort", tell);
    await opened?.close();
  }
}

export const stateOf = (target: Target, screen: Screen): Promise<State | undefined> =>
  runOn(target, screen, ({ context }) => context.backend.read());
