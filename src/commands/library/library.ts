import { checkBaseUrl, createHttpTransport } from "../../api/http-transport";
import type { Transport } from "../../api/transport";
import {
  type Diagnostic,
  DiagnosticsError,
  error,
  failure,
  hasErrors,
  warning,
} from "../../diagnostics/diagnostic";
import { manifestJson } from "../../manifest/text/json";
import { programRunner } from "../../manifest/text/run-program";
import { mentionsStage, splitStage } from "../../model/stage";
import { stateAddress } from "../../model/target-location";
import { systemClock } from "../../model/time";
import type * as documents from "../../report/documents";
import { addresses, type Outcome as CommandOutcome, expectedFailure, succeeded } from "../context";
import type { ApplyEvent, DriftDocument, PlanDocument } from "../generated/documents";
import { checkKey, embeddedTransport } from "../open-connection";
import { type OpenContext, openRun, settingsOf } from "../open-context";
import type * as loaded from "./commands";
import { type Requests, readRequest } from "./read-request";
import type {
  ApplyOutcome,
  ApplyRequest,
  Context,
  ContextOptions,
  DeploymentsOutcome,
  DeploymentsRequest,
  DriftOutcome,
  DriftRequest,
  ExportOutcome,
  ExportRequest,
  ImportOutcome,
  ImportRequest,
  ManifestRequest,
  Outcome,
  PlanOutcome,
  PlanRequest,
  StatusOutcome,
  StatusRequest,
  ValidateRequest,
} from "./types";

/** Opens the run of a command. */
type OpenCommand = (command: Pick<OpenContext, "manifest" | "warn">) => OpenContext;

const contexts = new WeakMap<Context, OpenCommand>();

/**
 * Opens a workspace and its state. Throws `DiagnosticsError` for an option that is wrong. Close it in the end.
 * @example
 * const opened = openContext({ cwd, baseUrl, workspaceId, apiKey, state: "rnv.state.json" });
 * const { report } = await drift(opened);
 * await opened.close();
 */
export function openContext(options: ContextOptions): Context {
  readRequest("openContext", options);
  const { cwd, environment = {}, onEvent, signal = new AbortController().signal } = options;
  const state = stateAddress(options.state, options);
  const key = checkKey(options.apiKey, "apiKey");
  const diagnostics = [
    options.baseUrl === "embedded" ? [] : (checkBaseUrl(options.baseUrl) ?? []),
    typeof key === "string" ? [] : key,
    mentionsStage(state) ? error("config.invalid", "state holds ${stage.…}, and `stage` is not given") : [],
  ].flat();
  const settings = settingsOf({ ...options, environment, state, diagnostics });
  if (hasErrors(settings.diagnostics)) throw new DiagnosticsError(settings.diagnostics);
  let own: Transport | undefined;
  const openOwn = (): Transport => {
    own ??=
      options.baseUrl === "embedded"
        ? embeddedTransport(cwd, environment)
        : createHttpTransport({ environment, exchangeTimeoutMs: options.timeoutMs });
    return own;
  };
  const open: OpenCommand = (command) =>
    openRun({
      ...command,
      settings,
      cwd,
      environment,
      signal,
      takesUnnamed: false,
      stage: options.stage === undefined ? undefined : splitStage(options.stage),
      emit: (event) => {
        const { eventDocument } = require("../../report/documents") as typeof documents;
        const told = eventDocument(event, new Date(systemClock.now()).toISOString()) as ApplyEvent;
        // A listener that throws, now or later, stops no apply.
        const tell = async () => onEvent?.(told);
        void tell().catch((cause: unknown) => command.warn?.(notHeard(cause)));
      },
      runProgram: programRunner({ signal }),
      // It stays open for the next command.
      openTransport: () => {
        const transport = options.transport ?? openOwn();
        return { ...transport, close: async () => undefined };
      },
      openStateTransport: (limits) => createHttpTransport({ environment, ...limits }),
    });
  const context = {
    close: async () => {
      contexts.delete(context);
      await own?.close();
    },
  };
  contexts.set(context, open);
  return context;
}

const notHeard = (cause: unknown): Diagnostic =>
  warning("command.undelivered", `onEvent failed: ${cause instanceof Error ? cause.message : cause}`);

/**
 * Makes a plan, as `rnv plan` does: the exact difference to the live service. Takes no lock and writes nothing.
 * @example
 * const { plan: made, diagnostics } = await plan(context, { files: ["rnv.yaml"] });
 */
export const plan = (context: Context, request: PlanRequest = {}): Promise<PlanOutcome> =>
  runCommand(context, "plan", request, async (run, { save: isSaved, ...wishes }, commands) => {
    const asked = { ...wishes, isSaved };
    const { plan: made, revealed, reviewKey: key, exitCode, diagnostics } = await commands.plan(run, asked);
    if (made === undefined) return { exitCode, diagnostics };
    const { files, overridePolicies } = asked;
    const about = { files, stage: made.stage, overridePolicies, revealed, key };
    const savedPlan = isSaved && exitCode === 0 ? commands.savePlan(made, about) : undefined;
    return { exitCode, diagnostics, plan: commands.planDocument(made) as PlanDocument, savedPlan };
  });

/**
 * Applies the manifest or a saved plan, or destroys everything, as `rnv apply` and `rnv destroy` do.
 * @example
 * const { counts } = await apply(context, { confirmedDeletes: ["service.shop.worker"] });
 * const destroyed = await apply(context, { mode: "destroy" });
 */
export const apply = (context: Context, request: ApplyRequest = {}): Promise<ApplyOutcome> =>
  runCommand(context, "apply", request, async (run, { approve = async () => [], ...wishes }, commands) => {
    const outcome = await commands.apply(run, {
      ...wishes,
      approve: async (asked) => {
        const confirmed = await approve(commands.planDocument(asked) as PlanDocument);
        if (!Array.isArray(confirmed ?? [])) throw failure("command.usage", "approve returned no list");
        return confirmed && { confirmedDeletes: addresses("approve", confirmed) };
      },
    });
    const { plan: made, counts, cancelled, exitCode, diagnostics } = outcome;
    const document = made && (commands.planDocument(made) as PlanDocument);
    return { exitCode, diagnostics, plan: document, counts, cancelled };
  });

/**
 * Reports changes made outside of rnv, as `rnv drift` does: a read key is enough.
 * @example
 * const { exitCode, report } = await drift(context, { strict: true });
 */
export const drift = (context: Context, request: DriftRequest = {}): Promise<DriftOutcome> =>
  runCommand(context, "drift", request, async (run, asked, commands) => {
    const outcome = await commands.drift(run, asked);
    const { exitCode, diagnostics, report } = outcome;
    return { exitCode, diagnostics, report: report && (commands.driftDocument(outcome) as DriftDocument) };
  });

/**
 * Reads the releases that recorded services run.
 * @example
 * const { status: running } = await status(context, { address: "service.shop.api" });
 */
export const status = (context: Context, request: StatusRequest = {}): Promise<StatusOutcome> =>
  runCommand(context, "status", request, async (run, asked, commands) => ({
    ...succeeded,
    status: commands.statusDocument(await commands.status(run, asked)),
  }));

/**
 * Lists the newest deployments of a service.
 * @example
 * const found = await deployments(context, { address: "service.shop.api", limit: 10 });
 */
export const deployments = (context: Context, request: DeploymentsRequest): Promise<DeploymentsOutcome> =>
  runCommand(context, "deployments", request, async (run, asked, commands) => {
    const found = await commands.deployments(run, asked);
    return { ...succeeded, deployments: commands.deploymentsDocument(found) };
  });

/**
 * Checks the manifest alone: no request, no state, no secret is read.
 * @example
 * const { diagnostics } = await validate(context, { manifest: { projects: { shop: {} } } });
 */
export const validate = (context: Context, request: ValidateRequest = {}): Promise<Outcome> =>
  runCommand(context, "validate", request, async (run, asked, commands) => commands.validate(run, asked));

/**
 * Writes a manifest of everything live, or of a project.
 * @example
 * const { manifest } = await exportManifest(context, { project: "shop" });
 */
export const exportManifest = (context: Context, request: ExportRequest = {}): Promise<ExportOutcome> =>
  runCommand(context, "exportManifest", request, async (run, asked, commands) => {
    const { exitCode, diagnostics, text } = await commands.exportManifest(run, asked);
    return { exitCode, diagnostics, manifest: text };
  });

/**
 * Records something live under an address that the manifest declares.
 * @example
 * const { recorded } = await importResource(context, { address: "project.shop", id });
 */
export const importResource = (context: Context, request: ImportRequest): Promise<ImportOutcome> =>
  runCommand(context, "importResource", request, async (run, asked, commands) => {
    const { exitCode, diagnostics, recorded } = await commands.importResource(run, asked);
    if (recorded === undefined) return { exitCode, diagnostics };
    const { type, id, name } = recorded;
    return { exitCode, diagnostics, recorded: { type, id, name } };
  });

/** An outcome of the library whose findings still know their ranges. */
type Answer<T extends Outcome> = Omit<T, "diagnostics"> & Pick<CommandOutcome, "diagnostics">;

/** Runs a command with a run of its own, and returns its outcome in any case but a bug, which is thrown. */
async function runCommand<Name extends keyof Requests, T extends Outcome>(
  context: Context,
  name: Name,
  request: unknown,
  work: (run: OpenContext, asked: Requests[Name], commands: typeof loaded) => Promise<Answer<T>>,
): Promise<T> {
  const open = contexts.get(context);
  if (open === undefined) throw new TypeError("the context is closed, or none that openContext opened");
  const commands = require("./commands") as typeof loaded;
  const manifest = (request as ManifestRequest | null)?.manifest;
  const warnings: Diagnostic[] = [];
  const warn = (found: Diagnostic): void => {
    if (warnings.every(({ summary }) => summary !== found.summary)) warnings.push(found);
  };
  // A copy: the program may change its object once the command runs.
  const copied = manifest === undefined ? undefined : manifestJson(manifest);
  const run = open({ manifest: copied, warn });
  const answer = async () => work(run, readRequest(name, request), commands);
  const outcome = await answer()
    .catch((cause: unknown) => {
      const failed = expectedFailure(cause, run.signal.aborted);
      if (failed === undefined) throw cause;
      return failed as Answer<T>;
    })
    .finally(() => run.close());
  const isUnexplained = outcome.exitCode === 130 && !hasErrors(outcome.diagnostics);
  const found = [...outcome.diagnostics, ...(isUnexplained ? [aborted] : []), ...warnings];
  return { ...outcome, diagnostics: found.map(commands.diagnosticData) } as unknown as T;
}

const aborted = error("apply.interrupted", "the call was aborted", { hint: "call it again to continue" });
