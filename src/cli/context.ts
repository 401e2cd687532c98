import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { createHttpTransport, type HttpTransportOptions, isLoopback } from "../api/http-transport";
import { embeddedUrl, type Transport, type WireRequest } from "../api/transport";
import type { Connection, Context } from "../commands/context";
import { embeddedTransport, openConnection } from "../commands/open-connection";
import { stateAddress } from "../declaration/state-place";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../diagnostics/diagnostic";
import { usualManifest } from "../manifest/find-files";
import type { ApplyEvent } from "../model/apply-event";
import { stageText } from "../model/stage";
import type { State } from "../model/state";
import type { Target } from "../model/target";
import type { ProcessEnvironment } from "../model/text";
import { systemClock } from "../model/time";
import { version } from "../model/version";
import { aliveBy } from "../state/alive-by";
import { loadStateKey } from "../state/key";
import { openBackend } from "../state/open-backend";
import { readStandardInput } from "./files";
import { formatOf, type Invocation, listOf, namesOf } from "./invocation";
import { isJob, repositoryOf, startedBy } from "./job";
import { systemTicker, type WaitNotice, watchWaiting } from "./progress";
import { report, repositoryPath } from "./report";
import { readSettings, type Settings } from "./settings";

export function settingsOf({ environment, options, cwd, stack, stage, profile }: Invocation): Settings {
  const state = typeof options.state === "string" ? options.state : undefined;
  const settings = readSettings(environment, { state, cwd, stack, stage });
  return profile?.problem ? { ...settings, diagnostics: [profile.problem] } : settings;
}

const told = new WeakSet<AbortSignal>();

/**
 * Names the workspace and the profile of a run, once and first. A pipe gets the line on standard error, and only for a
 * profile: settings of the environment were given for this run.
 */
export function tellTarget(invocation: Invocation): void {
  const { terminal, options, profile, signal } = invocation;
  const { baseUrl, workspaceId, diagnostics } = settingsOf(invocation);
  if (told.has(signal) || formatOf(options) !== "text" || hasErrors(diagnostics)) return;
  told.add(signal);
  const host = baseUrl === "embedded" ? "the embedded service" : new URL(baseUrl).host;
  const line = `Workspace ${workspaceId} on ${host}${profile ? ` (profile ${profile.name})` : ""}\n`;
  if (terminal.width !== undefined) terminal.out(line);
  else if (profile) terminal.err(line);
}

interface OpenContext extends Context {
  readonly hasWritten: () => boolean;
  readonly close: () => Promise<void>;
}

export const sourcesOf = ({ environment, cwd, options, terminal, stack, stage }: Invocation) => ({
  environment,
  cwd,
  stack,
  stage: stage === undefined ? ("any" as const) : (stage ?? undefined),
  untrusted: options.untrusted === true,
  standardInput: () => readStandardInput(terminal),
});

/** Opens the capabilities of one invocation. Nothing is opened before a command asks for it. */
export function openContext(
  invocation: Invocation,
  emit: (event: ApplyEvent) => void = () => {},
): OpenContext {
  const { environment, cwd, signal, options, stack, stage, terminal } = invocation;
  const settings = settingsOf(invocation);
  // The workspace that the state must belong to. Verbs that only read or correct a state work without.
  const origin = { baseUrl: settings.baseUrl, workspaceId: settings.workspaceId };
  const machine = { host: hostname(), pid: process.pid, clock: systemClock, randomBytes };
  const steps = { inFlight: 0, hasWritten: false };
  const watch = (host: string): WaitNotice =>
    watchWaiting({
      host,
      say: (line) => {
        // A live view shows steps in flight with their time already.
        if (!terminal.live || steps.inFlight === 0) terminal.err(`${line}\n`);
      },
      ...systemTicker,
    });
  const stateServer = openStateServer(environment, watch("the state's server"));
  let connection: Promise<Connection> | undefined;
  return {
    ...sourcesOf(invocation),
    ...origin,
    ...machine,
    startedBy: (files) => startedBy(environment, cwd, files),
    repository: { name: repositoryOf(environment, cwd), isJob: isJob(environment) },
    credential: settings.credential,
    refusedState: refusedState(settings, environment),
    backend: openBackend(settings.state, {
      environment,
      stack: stack?.name,
      ...origin,
      stage: stage && { name: stageText(stage), takesUnnamed: stage.takesUnnamed === true },
      ...machine,
      isAlive: aliveBy((pid, signal) => process.kill(pid, signal)),
      openTransport: stateServer.open,
    }),
    connect: () => {
      connection ??= connect(settings, invocation, watch, steps);
      return connection;
    },
    stateKey: (create) => {
      const path = join(settings.stateFolder, "state.key");
      const salt = settings.workspaceId || undefined;
      return loadStateKey({ environment, path, create, salt, randomBytes });
    },
    emit: (event) => {
      if (event.type === "start") steps.inFlight += 1;
      if (event.type === "done" || event.type === "failed") steps.inFlight -= 1;
      emit(event);
    },
    say: (line) => terminal.err(`${line}\n`),
    ...(terminal.live && options.json !== true && { progress: (line) => terminal.err(`${line}\n`) }),
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

async function connect(
  settings: Settings,
  invocation: Invocation,
  watch: (host: string) => WaitNotice,
  steps: { hasWritten: boolean },
): Promise<Connection> {
  const { apiKey, workspaceId, gaps } = settings;
  const { cwd, environment, signal, options, terminal } = invocation;
  if (hasErrors(settings.diagnostics) || apiKey === undefined)
    throw new DiagnosticsError(settings.diagnostics);
  report(invocation, settings.diagnostics);
  const isEmbedded = settings.baseUrl === "embedded";
  const waiting = watch(isEmbedded ? "the embedded service" : new URL(settings.baseUrl).host);
  const { answerTimeout, parallelism } = options;
  const limits = typeof answerTimeout === "number" ? { exchangeTimeoutMs: answerTimeout } : {};
  const open = () => createHttpTransport({ environment, onLoad: disableWasmOptimizer, ...limits });
  const transport = isEmbedded
    ? embeddedTransport(cwd, environment)
    : (invocation.openTransport?.(open) ?? open());
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
    say: (line) => terminal.err(`${line}\n`),
    userAgent: `rnv/${version}`,
    ...(typeof parallelism === "number" && { maxConcurrency: parallelism }),
    onWait: waiting.onWait,
    onDeprecation: ({ endsOn, link }) => {
      const summary = `the platform will remove a part of its API that rnv ${version} uses`;
      const when = endsOn === undefined ? "It names no date." : `It ends on ${endsOn}.`;
      const hint = `update rnv${link === undefined ? "" : `; the platform says more at ${link}`}`;
      report(invocation, [warning("api.deprecated", summary, { detail: when, hint })]);
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

export async function withContext<T>(
  invocation: Invocation,
  work: (context: OpenContext) => Promise<T>,
  emit?: (event: ApplyEvent) => void,
): Promise<T> {
  const context = openContext(invocation, emit);
  const { signal, terminal } = invocation;
  const finishing = "Finishing requests in progress. Press Ctrl-C again to quit now.";
  const tell = () => terminal.err(`\n${context.hasWritten() ? finishing : "Cancelled."}\n`);
  signal.addEventListener("abort", tell, { once: true });
  try {
    return await work(context);
  } finally {
    signal.removeEventListener("abort", tell);
    await context.close();
  }
}

/** The address of the state that was given; empty where it is the default one. */
export const givenAddress = ({ options, environment }: Invocation): string =>
  typeof options.state === "string" ? options.state : (environment.RNV_STATE ?? "").trim();

export function manifestsOf({ cwd, options }: Pick<Invocation, "cwd" | "options">): readonly string[] {
  const files = listOf(options.file);
  return files.length > 0 ? files : [usualManifest(cwd).file ?? "rnv.yaml"];
}

export function targetOf(invocation: Invocation): Target {
  const { cwd, environment, options, stage } = invocation;
  const given = typeof options.state === "string" ? options.state : stage?.state;
  const files = manifestsOf(invocation).map((file) => repositoryPath(file, cwd, environment) ?? file);
  const names = namesOf(invocation);
  const state = stateAddress(given ?? givenAddress(invocation), names);
  return { manifest: files.join(","), ...names, state, environment };
}

export const stateOf = (invocation: Invocation): Promise<State | undefined> =>
  withContext(invocation, ({ backend }) => backend.read());
