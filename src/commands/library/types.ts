import type { Transport } from "../../api/transport";
import type { Manifest } from "../../manifest/generated/manifest";
import type {
  ApplyEvent,
  DeploymentsDocument,
  DriftDocument,
  PlanDocument,
  StatusDocument,
} from "../generated/documents";

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
  readonly manifest?: Manifest;
}

/** The wishes of a plan: the options of the command line, and the fields of a request of the library. */
export interface PlanWishes {
  readonly mode: "apply" | "destroy" | "refresh-only";
  /** Addresses that the plan is narrowed to, with all that they need. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  /** Addresses of resources that are replaced. */
  readonly replace: readonly string[];
  /** Takes over live resources of the declared names. */
  readonly adopt: boolean;
  /** An empty manifest deletes everything. */
  readonly allowEmpty: boolean;
  /** Addresses whose deletion is confirmed. */
  readonly confirmedDeletes: readonly string[];
  /** Addresses whose deletion is confirmed although others refer to them. */
  readonly confirmedConsumers?: readonly string[];
  /** Reveals variables to compare their values: audited by the service. */
  readonly verifyValues?: boolean;
  /** Files and folders of policies, besides that beside the manifest; undefined: the plan is not judged. */
  readonly policies?: readonly string[];
  /** Overridable policies that may fail. */
  readonly overridePolicies?: readonly string[];
}

/** The options of `rnv plan`. */
export interface PlanRequest extends ManifestRequest, Partial<PlanWishes> {
  /** Makes `savedPlan`, as `-out` does; where there is no key of fingerprints yet, its file is made. */
  readonly save?: boolean;
}

export interface PlanOutcome extends Outcome {
  /** Absent where something before the plan failed. */
  readonly plan?: PlanDocument;
  /** With `save`, the text of the plan for `apply`; absent where nothing can be applied. */
  readonly savedPlan?: string;
}

/** The options of `rnv apply`, and of `rnv destroy` with the mode `destroy`, which deletes without another confirmation. */
export interface ApplyRequest extends Omit<PlanRequest, "save"> {
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
