import { existsSync } from "node:fs";
import { resolve } from "node:path";
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
import { filesOf } from "../state/disk";
import { isJob, repositoryOf, startedBy } from "./ci/job";
import { isFile, readStandardInput } from "./files";
import { watchWaiting } from "./progress";
import { report, type Screen, usage } from "./screen";
import { readSettings } from "./settings";
import type { Target } from "./target";

const announced = new WeakSet<AbortSignal>();

/** Prints the workspace and the profile of a run, once. A pipe gets only profiles, on standard error. */
export function announceTarget({ target, screen }: Run): void {
  const { terminal, format, signal } = screen;
  const { profile } = target;
  const { workspaceId, diagnostics, ...settings } = readSettings(target);
  if (announced.has(signal) || format !== "text" || hasErrors(diagnostics)) return;
  announced.add(signal);
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

/** Opens the capabilities of a target, each at its first use. */
export function openTarget(target: Target, screen: Screen): OpenTarget {
  const { environment, cwd, takesUnnamed, answerTimeoutMs: exchangeTimeoutMs, limiter } = target;
  const { terminal, signal } = screen;
  const settings = readSettings(target);
  if (target.isDefaultState && isFile(resolve(cwd, ".rnv")))
    throw usage(".rnv is a file, and rnv keeps its state in a folder of that name", "move the file away");
  const isEmbedded = settings.baseUrl === "embedded";
  const steps = { inFlight: 0, hasWritten: false };
  const say = (line: string): void => terminal.note(`${line}\n`);
  const watch = (host: string) =>
    watchWaiting(host, (line) => {
      // The live view shows the time of steps in flight.
      if (!terminal.live || steps.inFlight === 0) say(line);
    });
  const service = watch(hostOf(settings));
  const stateServer = watch("the state's server");
  const openHttp = (): Transport =>
    createHttpTransport({ environment, onLoad: optimizeLess, exchangeTimeoutMs });
  const opened = openRun({
    ...sourcesOf({ target, screen }),
    settings,
    takesUnnamed,
    signal,
    say,
    warn: (found) => report(screen, [found]),
    startedBy: (files) => startedBy(target, files),
    repository: { name: repositoryOf(target), isJob: isJob(environment) },
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
    limiter,
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
 * Optimizes code only once it ran four times as often as usual: few runs are long enough to repay more. An earlier call
 * would discard cached code of the modules that undici loads. Node 24 optimizes in cheaper steps.
 */
function optimizeLess(): void {
  const node = Number.parseInt(process.versions.node, 10);
  if (node >= 24) return;
  setFlagsFromString("--liftoff-only");
  setFlagsFromString(node < 22 ? "--interrupt-budget=300000" : "--invocation-count-for-turbofan=15000");
}

/** Returns the error for a default state in CI, which the runner deletes, unless an earlier step created the file. */
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

export type SharedOutputs = ReadonlyMap<string, CrossValue>;

export interface TargetEnd extends TargetOutcome {
  readonly sharedOutputs?: SharedOutputs | undefined;
}

export interface Run {
  readonly target: Target;
  readonly screen: Screen;
  readonly context: OpenTarget;
}

function refuseOutputs({ cwd, state, outputs = [] }: Target): void {
  const files = Object.values(filesOf(resolve(cwd, state)));
  const output = outputs.find((file) => files.includes(resolve(cwd, file)));
  if (output !== undefined) throw usage(`${output} belongs to the state`, "name another file");
}

/** Runs work on a target, then closes its context. Reports Ctrl-C immediately. */
export async function runOn<T>(target: Target, screen: Screen, work: (run: Run) => Promise<T>): Promise<T> {
  const { signal, terminal } = screen;
  let opened: OpenTarget | undefined;
  refuseOutputs(target);
  const reportInterrupt = (): void =>
    terminal.note(
      opened?.hasWritten()
        ? "\nFinishing requests in progress. Press Ctrl-C again to quit now.\n"
        : "\nCancelled.\n",
    );
  const open = (): OpenTarget => {
    signal.addEventListener("abort", reportInterrupt, { once: true });
    return openTarget(target, screen);
  };
  try {
    return await work({
      target,
      screen,
      get context() {
        opened ??= open();
        return opened;
      },
    });
  } finally {
    signal.removeEventListener("abort", reportInterrupt);
    await opened?.close();
  }
}

export const stateOf = (target: Target, screen: Screen): Promise<State | undefined> =>
  runOn(target, screen, ({ context }) => context.backend.read());
