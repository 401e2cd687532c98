import type { SecretReach } from "../manifest/secret-reach";
import type { Address } from "../model/address";
import type { DriftClass } from "../plan/drift";
import type { Plan, PlanInput } from "../plan/plan";

/** What the planning commands share: which files, and what part of them. */
export interface PlanRequest {
  /** `-f`, repeatable; empty means the default files. */
  readonly files: readonly string[];
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly replace: readonly string[];
  readonly adopt: boolean;
  readonly allowEmpty: boolean;
  /** `--confirm-delete`, repeatable. */
  readonly confirmedDeletes: readonly string[];
  /** Everything that is to be destroyed is confirmed as a whole: `rnv destroy`. */
  readonly confirmsAll?: boolean;
  /** The plan will be saved: it is bound to the values of its secrets, so there must be a key for their fingerprints. */
  readonly isSaved?: boolean;
  /** How far secrets are read; `resolve` unless said. With less, the key of their fingerprints may be missing too. */
  readonly secrets?: SecretReach;
  /** Reveals variables to compare their values: audited by the service. */
  readonly verifyValues?: boolean;
  /** What was revealed for the saved plan that is applied: not asked for again. */
  readonly revealed?: PlanInput["revealed"];
}

/** `rnv drift`. */
export interface DriftRequest extends PlanRequest {
  /** Classes that count as drift besides `drifted` and `missing`. */
  readonly failOn?: readonly DriftClass[];
  /** Counts what is not managed, and settings that nobody declares. */
  readonly strict?: boolean;
}

export const planRequest: PlanRequest = {
  files: [],
  mode: "apply",
  targets: [],
  excludes: [],
  replace: [],
  adopt: false,
  allowEmpty: false,
  confirmedDeletes: [],
};

export interface ApplyRequest extends PlanRequest {
  /** Text of a saved plan: its own options then hold; `confirmedDeletes` are added to those it was made with. */
  readonly savedPlan?: string;
  /** What was typed, to be run again after a stop: `rnv destroy -auto-approve`. */
  readonly commandLine?: string;
  readonly lockTimeoutMs: number;
  /** Most changes in flight at once. */
  readonly parallelism: number;
  /**
   * Asked once, with the finished plan, before the first write. Returns the addresses whose deletion the user
   * typed by name, or undefined to cancel. With `--auto-approve` it answers without asking. A saved plan was approved
   * when it was made: it is asked about only where it deletes what nobody has confirmed.
   */
  readonly approve: (plan: Plan) => Promise<Approval | undefined>;
}

export interface Approval {
  readonly confirmedDeletes: readonly Address[];
}

export type RuntimeAction =
  | "deploy"
  | "clear-cache"
  | "restart"
  | "suspend"
  | "resume"
  | "rollback"
  | "cancel";

/** What is to be done to one recorded service, outside of a plan (interface, "Endpoints / Services"). */
export interface RuntimeRequest {
  readonly address: string;
  readonly action: RuntimeAction;
  /** For `rollback` and `cancel`; without it the newest one that fits. */
  readonly deploymentId?: string;
  /** For `deploy`: pins the commit. */
  readonly commit?: string;
  /** False returns once the service has accepted it. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  /** For `rollback`: the name that the user typed, or undefined to cancel. */
  readonly confirm: (subject: RollbackSubject) => Promise<string | undefined>;
  /** Nothing is sent: what an earlier process of the same command began at `since` is waited for. */
  readonly onGoingOn: (since: string) => void;
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
}

export interface RollbackSubject {
  readonly address: Address;
  /** Live name of the service, which the answer must equal. */
  readonly name: string;
  readonly deploymentId: string;
  /** Commit of that deployment, where it is known. */
  readonly commitSha?: string;
}
