import { checkBaseUrl, createHttpTransport } from "../api/http-transport";
import type { Transport } from "../api/transport";
import { stateAddress } from "../declaration/state-place";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import { mentionsStage, splitStage } from "../model/stage";
import { uuidPattern } from "../model/text";
import { systemClock } from "../model/time";
import type * as events from "../report/events";
import type * as answers from "./answers";
import type { Answer } from "./answers";
import type {
  ApplyEvent,
  DeploymentsDocument,
  DriftDocument,
  PlanDocument,
  StatusDocument,
} from "./generated/documents";
import { checkKey, embeddedTransport } from "./open-connection";
import { type OpenContext, openRun, settingsOf } from "./open-context";

/** Everything that `openContext` opens a workspace and its state with: nothing is read from the process. */
export interface ContextOptions {
  /** The folder that paths start from, absolute. */
  readonly cwd: string;
  /** Ends in `/api/v1`; `embedded` for the emulator in this process. */
  readonly baseUrl: string;
  /** A UUID. */
  readonly workspaceId: string;
  readonly apiKey: string;
  /** A path, or an address: `s3://bucket/key`, `https://…`. `${stage.name}` and `${stage.id}` in it are those of `stage`. */
  readonly state: string;
  /** The stage of the manifest: `staging`, `preview/12`. */
  readonly stage?: string;
  /** Variables for `${env.NAME}`, `fromEnv`, proxies, a remote state and `RNV_STATE_KEY`; none unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Carries the requests to the service in place of HTTP: that of an emulator. */
  readonly transport?: Transport;
  /** Once aborted, requests in flight end and none is started. */
  readonly signal?: AbortSignal;
  /** Called for each event of an apply. */
  readonly onEvent?: (event: ApplyEvent) => void;
  /** The time limit of a request; 60,000 unless given. */
  readonly timeoutMs?: number;
}

/** A workspace and its state, for the commands. */
export interface Context {
  /** Closes its connections. */
  close(): Promise<void>;
}

/** A problem, with its place in the manifest where it has one. */
export type Finding = Extract<ApplyEvent, { readonly type: "failed" }>["diagnostic"];

/** The end of every command. */
export interface Outcome {
  /** As on the command line: 0 without errors, 2 for drift, 130 after an abort. */
  readonly exitCode: number;
  readonly diagnostics: readonly Finding[];
}

/** The manifest of a command: files, a value, or a value that files overlay. */
export interface ManifestRequest {
  /** Files and folders; without `manifest`, the default files of `cwd` unless given. */
  readonly files?: readonly string[];
  /** A manifest as a value, of the form that a YAML file has. */
  readonly manifest?: unknown;
}

/** The options of `rnv plan`. */
export interface PlanRequest extends ManifestRequest {
  /** `apply` unless given. */
  readonly mode?: "apply" | "destroy" | "refresh-only";
  readonly targets?: readonly string[];
  readonly excludes?: readonly string[];
  readonly replace?: readonly string[];
  readonly adopt?: boolean;
  readonly allowEmpty?: boolean;
  /** Addresses whose deletion is confirmed. */
  readonly confirmedDeletes?: readonly string[];
  readonly confirmedConsumers?: readonly string[];
  /** Reveals variables to compare their values: audited by the service. */
  readonly verifyValues?: boolean;
  /** Files and folders of policies; without it the plan is not judged. */
  readonly policies?: readonly string[];
  readonly overridePolicies?: readonly string[];
}

export interface PlanOutcome extends Outcome {
  /** Absent where something before the plan failed. */
  readonly plan?: PlanDocument;
  /** The text of the plan for `apply`; absent where nothing can be applied. */
  readonly savedPlan?: string;
}

/** The options of `rnv apply`, and of `rnv destroy` with the mode `destroy`, which deletes without another confirmation. */
export interface ApplyRequest extends PlanRequest {
  /** The text that `plan` returned: exactly that is done, or nothing. */
  readonly savedPlan?: string;
  /** The digest that the plan must have. */
  readonly expectDigest?: string;
  /** The longest wait for the lock of another run; 0 unless given. */
  readonly lockTimeoutMs?: number;
  /** Most changes in flight at once; 10 unless given. */
  readonly parallelism?: number;
  /**
   * Asked once, before the first write. Returns the addresses whose deletion is confirmed, or undefined to cancel. Without it
   * a plan is applied as it is, and stops at a deletion that `confirmedDeletes` does not name.
   */
  readonly approve?: (plan: PlanDocument) => Promise<readonly string[] | undefined>;
}

export interface ApplyOutcome extends Outcome {
  readonly plan?: PlanDocument;
  /** Changes that were made, and that were not. */
  readonly counts?: Extract<ApplyEvent, { readonly type: "summary" }>["counts"];
  /** `approve` answered undefined. */
  readonly cancelled?: true;
}

/** The options of `rnv drift`. */
export interface DriftRequest extends ManifestRequest {
  readonly targets?: readonly string[];
  readonly excludes?: readonly string[];
  /** Classes that count as drift besides `drifted` and `missing`. */
  readonly failOn?: readonly ("unmanaged" | "pending")[];
  /** Unmanaged resources and undeclared settings count as drift. */
  readonly strict?: boolean;
}

export interface DriftOutcome extends Outcome {
  /** Absent where drift is not known. */
  readonly report?: DriftDocument;
}

export interface StatusRequest {
  /** The address of a service; all unless given. */
  readonly address?: string;
  /** Lists the keys of variables. */
  readonly variables?: boolean;
}

export interface StatusOutcome extends Outcome {
  readonly status?: StatusDocument;
}

export interface DeploymentsRequest {
  readonly address: string;
  /** 20 unless given, at most 200. */
  readonly limit?: number;
}

export interface DeploymentsOutcome extends Outcome {
  readonly deployments?: DeploymentsDocument;
}

export interface ValidateRequest extends ManifestRequest {
  /** Files and folders of policies, whose form is checked. */
  readonly policies?: readonly string[];
}

export interface ExportRequest {
  /** Name or id; everything unless given. */
  readonly project?: string;
  /** Writes `lifecycle: { preventDestroy: true }` into each block that may have it. */
  readonly protects?: boolean;
}

export interface ExportOutcome extends Outcome {
  /** YAML. */
  readonly manifest?: string;
}

export interface ImportRequest extends ManifestRequest {
  readonly address: string;
  readonly id: string;
  /** The longest wait for the lock of another run; 0 unless given. */
  readonly lockTimeoutMs?: number;
}

export interface ImportOutcome extends Outcome {
  readonly recorded?: { readonly type: string; readonly id: string; readonly name: string };
}

/** Opens the run of a command. */
type OpenCommand = (manifest: unknown) => OpenContext;

const contexts = new WeakMap<Context, OpenCommand>();

/**
 * Opens a workspace and its state. Throws `DiagnosticsError` for an option that is wrong. Close it in the end.
 * @example
 * const opened = openContext({ cwd, baseUrl, workspaceId, apiKey, state: "rnv.state.json" });
 * const { report } = await drift(opened);
 * await opened.close();
 */
export function openContext(options: ContextOptions): Context {
  const { cwd, environment = {}, onEvent, timeoutMs: exchangeTimeoutMs } = options;
  const { signal = new AbortController().signal } = options;
  const state = stateAddress(options.state, { stage: options.stage });
  const settings = settingsOf({ ...options, environment, state, diagnostics: problemsOf(options, state) });
  if (hasErrors(settings.diagnostics)) throw new DiagnosticsError(settings.diagnostics);
  let own: Transport | undefined;
  const openOwn = (): Transport => {
    own ??=
      options.baseUrl === "embedded"
        ? embeddedTransport(cwd, environment)
        : createHttpTransport({ environment, exchangeTimeoutMs });
    return own;
  };
  const open: OpenCommand = (manifest) =>
    openRun({
      ...{ settings, cwd, environment, manifest, signal, takesUnnamed: false },
      stage: options.stage === undefined ? undefined : splitStage(options.stage),
      emit: (event) => {
        const { eventDocument } = require("../report/events") as typeof events;
        onEvent?.(eventDocument(event, new Date(systemClock.now()).toISOString()) as ApplyEvent);
      },
      // It stays open for the next command.
      openTransport: () => ({ ...(options.transport ?? openOwn()), close: async () => undefined }),
      openStateTransport: (limits) => createHttpTransport({ environment, ...limits }),
    });
  const context = { close: async () => own?.close() };
  contexts.set(context, open);
  return context;
}

function problemsOf({ baseUrl, workspaceId, apiKey }: ContextOptions, state: string): readonly Diagnostic[] {
  const key = checkKey(apiKey, "apiKey");
  return [
    baseUrl === "embedded" ? undefined : checkBaseUrl(baseUrl),
    uuidPattern.test(workspaceId) ? undefined : error("config.invalid", "workspaceId is not a UUID"),
    typeof key === "string" ? undefined : key,
    mentionsStage(state)
      ? error("config.invalid", "the address of the state holds ${stage.…}, and `stage` does not say it")
      : undefined,
  ].filter((one) => one !== undefined);
}

/**
 * Makes a plan, as `rnv plan` does: the exact difference to the live service. Takes no lock and writes nothing.
 * @example
 * const { plan: made, diagnostics } = await plan(context, { files: ["rnv.yaml"] });
 */
export const plan = (context: Context, request: PlanRequest = {}): Promise<PlanOutcome> =>
  answering(context, request, ({ planned }, run) => planned(run, request));

/**
 * Applies the manifest or a saved plan, or destroys everything, as `rnv apply` and `rnv destroy` do.
 * @example
 * const { counts } = await apply(context, { confirmedDeletes: ["service.shop.worker"] });
 * const destroyed = await apply(context, { mode: "destroy" });
 */
export const apply = (context: Context, request: ApplyRequest = {}): Promise<ApplyOutcome> =>
  answering(context, request, ({ applied }, run) => applied(run, request));

/**
 * Reports changes made outside of rnv, as `rnv drift` does: a read key is enough.
 * @example
 * const { exitCode, report } = await drift(context, { strict: true });
 */
export const drift = (context: Context, request: DriftRequest = {}): Promise<DriftOutcome> =>
  answering(context, request, ({ drifted }, run) => drifted(run, request));

/**
 * Reads the releases that recorded services run.
 * @example
 * const { status: running } = await status(context, { address: "service.shop.api" });
 */
export const status = (context: Context, request: StatusRequest = {}): Promise<StatusOutcome> =>
  answering(context, {}, ({ running }, run) => running(run, request));

/**
 * Lists the newest deployments of a service.
 * @example
 * const found = await deployments(context, { address: "service.shop.api", limit: 10 });
 */
export const deployments = (context: Context, request: DeploymentsRequest): Promise<DeploymentsOutcome> =>
  answering(context, {}, ({ deployed }, run) => deployed(run, request));

/**
 * Checks the manifest alone: no request, no state, no secret is read.
 * @example
 * const { diagnostics } = await validate(context, { manifest: { projects: { shop: {} } } });
 */
export const validate = (context: Context, request: ValidateRequest = {}): Promise<Outcome> =>
  answering(context, request, ({ validated }, run) => validated(run, request));

/**
 * Writes a manifest of everything live, or of a project.
 * @example
 * const { manifest } = await exportManifest(context, { project: "shop" });
 */
export const exportManifest = (context: Context, request: ExportRequest = {}): Promise<ExportOutcome> =>
  answering(context, {}, ({ exported }, run) => exported(run, request));

/**
 * Records something live under an address that the manifest declares.
 * @example
 * const { recorded } = await importResource(context, { address: "project.shop", id });
 */
export const importResource = (context: Context, request: ImportRequest): Promise<ImportOutcome> =>
  answering(context, request, ({ imported }, run) => imported(run, request));

/** Opens a run of its own for a command, and returns its outcome in any case but a bug, which is thrown. */
async function answering<T extends Outcome>(
  context: Context,
  { manifest }: ManifestRequest,
  work: (commands: typeof answers, run: OpenContext) => Promise<Answer<T>>,
): Promise<T> {
  const open = contexts.get(context);
  if (open === undefined) throw new TypeError("the context is none that openContext opened");
  // Loaded with the first command: a program that imports the library need not run one.
  const commands = require("./answers") as typeof answers;
  const run = open(manifest);
  return commands.answered(run, () => work(commands, run));
}
