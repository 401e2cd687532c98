import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { createHttpTransport, isLoopback } from "../api/http-transport";
import type { Transport, WireRequest } from "../api/transport";
import { embeddedTransport } from "../commands/open-connection";
import { type OpenContext, openRun, type Settings } from "../commands/open-context";
import type { TargetOutcome } from "../commands/targets";
import type { CrossValue } from "../declaration/load-request";
import { type Diagnostic, error, hasErrors, warning } from "../diagnostics/diagnostic";
import type { State } from "../model/state";
import { version } from "../model/tool-version";
import { isJob, repositoryOf, startedBy } from "./ci/job";
import { readStandardInput } from "./files";
import { type WaitNotice, watchWaiting } from "./progress";
import { report, type Screen } from "./screen";
import { readSettings } from "./settings";
import type { Target } from "./target";

const told = new WeakSet<AbortSignal>();

/**
 * Names the workspace and the profile of a run, once and first. A pipe gets the line on standard error, and only for a
 * profile: settings of the environment were given for this run.
 */
export function tellTarget({ target, screen }: Run): void {
  const { terminal, format, signal } = screen;
  const { profile } = target;
  const { workspaceId, diagnostics, ...settings } = readSettings(target);
  if (told.has(signal) || format !== "text" || hasErrors(diagnostics)) return;
  told.add(signal);
  const line = `Workspace ${workspaceId} on ${hostOf(settings)}${profile ? ` (profile ${profile.name})` : ""}\n`;
  if (terminal.width !== undefined) terminal.tell(line);
  else if (profile) terminal.note(line);
}

const hostOf = ({ baseUrl }: Pick<Settings, "baseUrl">): string => {
  if (baseUrl === "embedded") return "the embedded platform";
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
};

interface OpenTarget extends OpenContext {
  readonly hasWritten: () => boolean;
}

export const sourcesOf = ({ target, screen }: Pick<Run, "target" | "screen">) => ({
  environment: target.environment,
  cwd: target.cwd,
  untrusted: target.untrusted,
  runProgram: target.runProgram,
  synthesized: target.synthesized,
  stack: target.unit,
  stage: target.readStage,
  standardInput: () => readStandardInput(screen.terminal),
});

/** Opens the capabilities of a target. Nothing is opened before a command asks for it. */
export function openTarget(target: Target, screen: Screen): OpenTarget {
  const { environment, cwd, takesUnnamed, answerTimeoutMs: exchangeTimeoutMs, maxConcurrency } = target;
  const { terminal, signal } = screen;
  const settings = readSettings(target);
  const isEmbedded = settings.baseUrl === "embedded";
  const steps = { inFlight: 0, hasWritten: false };
  const say = (line: string): void => terminal.note(`${line}\n`);
  const watch = (host: string): WaitNotice =>
    watchWaiting(host, (line) => {
      // A live view shows steps in flight with their time already.
      if (!terminal.live || steps.inFlight === 0) say(line);
    });
  const service = watch(hostOf(settings));
  const stateServer = watch("the state's server");
  const openHttp = (): Transport =>
    createHttpTransport({ environment, onLoad: disableWasmOptimizer, exchangeTimeoutMs });
  const opened = openRun({
    ...{ ...sourcesOf({ target, screen }), settings, takesUnnamed, signal, say },
    startedBy: (files) => startedBy(environment, cwd, files),
    repository: { name: repositoryOf(environment, cwd), isJob: isJob(environment) },
    refusedState: refusedState(settings, target),
    openTransport: () => {
      report(screen, settings.diagnostics);
      const transport = isEmbedded
        ? embeddedTransport(cwd, environment)
        : (target.openTransport?.(openHttp) ?? openHttp());
      const noting = (request: WireRequest) => {
        if (request.method !== "GET") steps.hasWritten = true;
        return transport.send(request);
      };
      return { ...transport, send: (request) => service.during(() => noting(request)) };
    },
    openStateTransport: (limits) => {
      const transport = createHttpTransport({ environment, ...limits });
      return { ...transport, send: (request) => stateServer.during(() => transport.send(request)) };
    },
    maxConcurrency,
    onWait: service.onWait,
    onDeprecation: ({ endsOn, link }) => {
      const summary = `the platform will remove a part of its API that rnv ${version} uses`;
      const when = endsOn === undefined ? "It names no date." : `It ends on ${endsOn}.`;
      const hint = `update rnv${link === undefined ? "" : `; the platform says more at ${link}`}`;
      report(screen, [warning("api.deprecated", summary, { detail: when, hint })]);
    },
    emit: ({ type }) => {
      if (type === "start") steps.inFlight += 1;
      if (type === "done" || type === "failed") steps.inFlight -= 1;
    },
    progress: terminal.live && screen.format !== "json" ? say : undefined,
  });
  return {
    ...opened,
    hasWritten: () => steps.hasWritten,
    close: async () => {
      for (const waiting of [service, stateServer]) waiting.close();
      await opened.close();
    },
  };
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
  { baseUrl, state }: Settings,
  { environment, isDefaultState }: Target,
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

export interface TargetEnd extends TargetOutcome {
  /** Of a plan or an apply: outputs for the stacks that come after it. */
  readonly toldOutputs?: ToldOutputs | undefined;
}

/** The run of a verb on a target. */
export interface Run {
  readonly target: Target;
  readonly screen: Screen;
  /** Opened when it is first asked for. */
  readonly context: OpenTarget;
}

/** Runs a piece of work on a target, and closes what it has opened. Ctrl-C is answered at once. */
export async function runOn<T>(target: Target, screen: Screen, work: (run: Run) => Promise<T>): Promise<T> {
  const { signal, terminal } = screen;
  let opened: OpenTarget | undefined;
  const tell = (): void =>
    terminal.note(
      opened?.hasWritten()
        ? "\nFinishing requests in progress. Press Ctrl-C again to quit now.\n"
        : "\nCancelled.\n",
    );
  const open = (): OpenTarget => {
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
