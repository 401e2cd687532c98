import type { Address } from "./address";
import type { OnRemove } from "./desired";
import type { Pending } from "./live";
import type { Plain } from "./value";

/** What stands in the state for a secret: never the value. */
interface Fingerprint {
  readonly fingerprint: string;
}

export type AppliedValue = Plain | Fingerprint;

/** One resource instance in the state file. */
export interface RecordedResource {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** Address of the project or service it lies in. */
  readonly parent?: Address;
  readonly dependsOn: readonly Address[];
  /** Declared fields as last applied (or adopted), by attribute path. */
  readonly applied: Readonly<Record<string, AppliedValue>>;
  /** Computed attributes as last seen: references to things not read in this run resolve from here. */
  readonly computed: Readonly<Record<string, Plain>>;
  /** The service's `updatedAt` after our last write or read. */
  readonly updatedAt?: string;
  /** When our last write to it was answered, or it was imported as it was seen, by our clock, ISO 8601. */
  readonly writtenAt?: string;
  readonly preventDestroy: boolean;
  readonly onRemove: OnRemove;
  /** Its own defaults: settings that were not sent when it was made and differed from the catalog's; none when absent. */
  readonly initial?: Readonly<Record<string, Plain>>;
  /**
   * Attribute paths of the settings that were sent when it was made, of what was not seen since: once it is read, the
   * others are its own defaults (`initial`).
   */
  readonly madeWith?: readonly string[];
  /** Attribute paths of `lifecycle.ignoreChanges`; none when it is absent. */
  readonly ignoreChanges?: readonly string[];
  /** How many writes we made to it that a deployment must bring. A deployment compares these with what it last deployed. */
  readonly writes: number;
  /** For a resource that reacts to others: their `writes` by id when it last ran. */
  readonly inputs?: Readonly<Record<string, number>>;
  /** A write was accepted and its end was not seen yet; the next run looks first. */
  readonly pending?: Pending;
  /** Why its last deletion failed: it is asked for again, whatever the service still shows of that deletion. */
  readonly deletionFailed?: string;
  /**
   * It was archived when it was no longer declared (`onRemove: archive`), or holds or belongs to what was: kept for the
   * day it is declared again, and not managed until then.
   */
  readonly retained?: true;
}

/** Something that we deleted a moment ago; lists may still show it. */
export interface DeletedResource {
  readonly type: string;
  readonly name: string;
  /** Where it was recorded. */
  readonly address: Address;
  /** When its deletion had ended, by our clock, ISO 8601. */
  readonly at: string;
}

/** Durable before the first write of a run; its id goes into every idempotency key. */
export interface RunRecord {
  /** 128 random bits, hex. */
  readonly id: string;
  readonly planDigest: string;
  /** SHA-256 of the API key, first 16 hex digits: receipts are scoped to the credential. */
  readonly credential: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Ids that already bore the name when the plan was made, by address of each planned create, or of what a verb acts on. */
  readonly fences: Readonly<Record<string, readonly string[]>>;
  /** Of a verb: what the service accepted, while its end is waited for. The same verb again goes on with it. */
  readonly accepted?: AcceptedCommand;
}

interface AcceptedCommand {
  readonly address: Address;
  readonly command: Command;
  readonly pending: Pending;
}

/** A write about to be sent. Durable before its first byte. */
export interface Intent {
  /** Unique in the journal. */
  readonly seq: number;
  readonly runId: string;
  readonly address: Address;
  readonly type: string;
  /** Name of the endpoint function: `createService`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  /** SHA-256 of the canonical body; keyed with the state key when the body holds a secret. */
  readonly bodyDigest: string;
  /** Absent when the body holds a secret. */
  readonly body?: Plain;
  /** How to find what it made: the name (or key) it bears, and the project or service it lies in. */
  readonly name: string;
  readonly parentId?: string;
  /** Of a create: attribute paths of the settings it sends. */
  readonly madeWith?: readonly string[];
  /** Only fields that take effect at once are sent: whatever became of it, no deployment has to follow. */
  readonly takesEffect?: "at once";
  /** Of a write that a verb asked for outside of a plan: what it asked for. */
  readonly command?: Command;
  /** ISO 8601. */
  readonly at: string;
}

export type JournalEntry =
  /** `keyId`: the fingerprint key of the resources that follow, when the state names none yet. */
  | { readonly kind: "run"; readonly run: RunRecord; readonly keyId?: string }
  | { readonly kind: "intent"; readonly intent: Intent }
  /** `refused`: the service said no, nothing happened. `unknown` never closes an intent and is not written. */
  | {
      readonly kind: "outcome";
      readonly seq: number;
      readonly result: "done" | "refused";
      readonly status: number;
      readonly id?: string;
    }
  /** What the state holds for an address from here on; null removes it. */
  | {
      readonly kind: "resource";
      readonly address: Address;
      readonly resource: RecordedResource | null;
      /** It is removed because it was deleted then, by our clock, ISO 8601. */
      readonly deletedAt?: string;
    }
  | { readonly kind: "outputs"; readonly outputs: Readonly<Record<string, Plain>> }
  | { readonly kind: "end" };

/** The recorded state: a snapshot with the journal folded in. */
export interface State {
  readonly format: "rnv-state";
  readonly version: 1;
  /** UUID, made with the first write; a different lineage is a different state. */
  readonly lineage: string;
  readonly serial: number;
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** First 16 hex digits of SHA-256 of the fingerprint key; null before the first fingerprint. */
  readonly keyId: string | null;
  readonly resources: Readonly<Record<Address, RecordedResource>>;
  readonly outputs: Readonly<Record<string, Plain>>;
  /** The run in progress or cut short; null after a run that ended. */
  readonly run: RunRecord | null;
  /** What we deleted lately, by id; none when absent. */
  readonly deleted?: Readonly<Record<string, DeletedResource>>;
  /** Writes of `run` without an outcome. */
  readonly open: readonly Intent[];
}

/** What a verb asks of one resource at once, outside of a plan. */
export interface Command {
  /** `deploy`, `clear-cache`, `restart`, `suspend`, `resume`, `rollback` or `cancel`. */
  readonly action: string;
  /** The deployment it is about. */
  readonly deploymentId?: string;
  /** The commit to deploy. */
  readonly commit?: string;
  /** The deployment or the commit was not named by the user: it was the one that fitted then. */
  readonly isChosen?: true;
}

/** Whether `command` is what a user asks for again, who names `deploymentId` and `commit` or neither. */
export const isAskedAgain = (command: Command, asked: Omit<Command, "isChosen">): boolean =>
  command.action === asked.action &&
  (asked.deploymentId === undefined && asked.commit === undefined
    ? command.isChosen === true || (command.deploymentId === undefined && command.commit === undefined)
    : command.deploymentId === asked.deploymentId && command.commit === asked.commit);

/** The command line that asks for it: `rnv deploy service.shop.api --commit 4f2a…`. */
export function commandText(address: Address, { action, deploymentId, commit, isChosen }: Command): string {
  const verb = action === "clear-cache" ? "deploy" : action;
  const named = isChosen ? [] : [deploymentId, commit === undefined ? undefined : `--commit ${commit}`];
  const words = ["rnv", verb, address, ...named, action === "clear-cache" ? "--clear-cache" : undefined];
  return words.filter((word) => word !== undefined).join(" ");
}
