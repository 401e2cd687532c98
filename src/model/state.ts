import * as z from "zod";
import type { Address } from "./address";
import type { Pending } from "./live";
import { isObject, type Parsed, type Plain } from "./value";

/** A secret in the state: never the value. `source`: the keyed fingerprint of how its source was written. */
type Fingerprint = { readonly fingerprint: string; readonly source?: string };

export type AppliedValue = Plain | Fingerprint;

/** Returns whether a recorded value is that of a secret: nothing but fingerprints, which are texts. */
export const isFingerprint = (value: unknown): value is Fingerprint =>
  isObject(value) &&
  typeof value.fingerprint === "string" &&
  Object.keys(value).every((key) => key === "fingerprint" || key === "source");

/** Returns true if a key made a recorded fingerprint; that of a generated value is its length. */
export const isKeyed = (value: unknown): value is Fingerprint =>
  isFingerprint(value) && !value.fingerprint.startsWith("generate:");

/** Any JSON object. Its members are not looked at: `applied` and `computed` hold whatever a resource type has. */
const objectOf = <Value>() => z.custom<Record<string, Value>>(isObject, "expected an object");

const text = z.string().min(1);
const texts = z.array(text);
/** Gives a schema the type of its values, where TypeScript cannot derive it. */
export const typed = <Value>(schema: z.ZodType) => schema as z.ZodType<Value, Value>;
const address = typed<Address>(text);
const count = z.int().min(0);

const resource = z.looseObject({
  type: text,
  id: text,
  name: z.string(),
  /** Address of its project or service. */
  parent: address.optional(),
  dependsOn: z.array(address),
  /** Declared fields as last applied (or adopted), by attribute path. */
  applied: objectOf<AppliedValue>(),
  /** The address that the fingerprints in `applied` were made with, of a resource that has moved since. */
  fingerprintAddress: address.optional(),
  /** Computed attributes as last seen: references to resources not read in this run resolve from here. */
  computed: objectOf<Plain>(),
  /** The service's `updatedAt` after our last write or read. */
  updatedAt: z.string().optional(),
  /** Digest of the resource in the answer to our last write, where `updatedAt` is of that answer. */
  content: text.optional(),
  /** Time of the answer to our last write to it, or of its import; by the service's clock if known. ISO 8601. */
  writtenAt: z.string().optional(),
  preventDestroy: z.boolean(),
  onRemove: z.enum(["delete", "archive", "retain"]),
  /** Its own defaults: settings that its create did not send and that differed from the catalog's. */
  initial: objectOf<Plain>().optional(),
  /** Attribute paths of settings that its create sent; a read makes all others its own defaults (`initial`). */
  madeWith: texts.optional(),
  /** Attribute paths of `lifecycle.ignoreChanges`; none when it is absent. */
  ignoreChanges: texts.optional(),
  /** Number of our writes to it that a deployment must bring, to compare with those that it brought last. */
  writes: count,
  /** For a resource that reacts to others: their `writes` by id when it last ran. */
  inputs: z.record(z.string(), count).optional(),
  /** The deployment whose release it serves again since `rnv rollback` at `writtenAt`. */
  rolledBack: text.optional(),
  /** A write was accepted and its end was not seen yet; the next run looks first. */
  pending: z.custom<Pending>(isObject, "expected an object").optional(),
  /** Why its last deletion failed: it is asked for again, whatever the service still shows of that deletion. */
  deletionFailed: z.string().optional(),
  /** Archived by `onRemove: archive`, or around or in such a resource: not managed until it is declared again. */
  retained: z.literal(true).optional(),
});

export type RecordedResource = Parsed<z.infer<typeof resource>>;

const deletedResource = z.looseObject({
  type: text,
  name: z.string(),
  address,
  /** When its deletion had ended, by the service's clock where that is known. ISO 8601. */
  at: z.string(),
});

export type DeletedResource = Parsed<z.infer<typeof deletedResource>>;

const command = z.looseObject({
  /** `deploy`, `clear-cache`, `restart`, `suspend`, `resume`, `rollback` or `cancel`. */
  action: text,
  deploymentId: text.optional(),
  commit: text.optional(),
  /** The commit of the release that `rollback` goes back to, where it is known. */
  releaseCommit: text.optional(),
  /** It goes back to the newest deployment that is no rollback: earlier rollbacks are undone. */
  isNewest: z.literal(true).optional(),
  /** The user did not name the deployment or the commit: rnv chose it. */
  isChosen: z.literal(true).optional(),
});

export type Command = Parsed<z.infer<typeof command>>;

const touched = z.looseObject({
  address,
  from: address.optional().describe("Its address before the run."),
  before: text.optional().describe("Its ID before the run. Of a deployment, the release that served."),
  after: text.optional().describe("Its ID after the run. Of a deployment, the new release."),
  failed: z.literal(true).optional(),
});

/** A resource that a run changed, or failed to change. */
export type Touched = Parsed<z.infer<typeof touched>>;

export const touchedShape = {
  touched: z
    .array(touched)
    .optional()
    .describe("At most 20 that it changed or, without an end, was about to change; failed ones first."),
  omitted: count.optional().describe("The number of others."),
};

/** The shape of a run's origin, known before its first write. */
const runOrigin = z.looseObject({
  command: text,
  /** The person that the job names as its starter, else `user@host`. */
  by: text,
  /** The commit that was applied, as the job or the repository of the manifest says. */
  commit: text.optional(),
  job: text.optional(),
  /** Those that were reviewed, as their host writes them: `#12`, `!12`. */
  pullRequests: texts.optional(),
  ...touchedShape,
});

export type RunOrigin = Parsed<z.infer<typeof runOrigin>>;

export const applyCounts = {
  added: count,
  changed: count,
  destroyed: count,
  adopted: count,
  forgotten: count,
  failed: count,
  skipped: count,
  awaiting: count.optional().describe("Saved, and live after a checkout in the dashboard."),
};

const pastRun = runOrigin.extend({
  id: text,
  startedAt: z.string(),
  digest: z.string(),
  /** When it wrote the state at its end, ISO 8601; absent where it never came to that. */
  endedAt: z.string().optional(),
  /** The counts of changes that were made, and that were not; absent where the run never came to its end. */
  counts: z.looseObject(applyCounts).optional(),
  /** DESIGN section 8; absent where it never came to its end. */
  exitCode: count.optional(),
});

export type PastRun = Parsed<z.infer<typeof pastRun>>;

const run = z.looseObject({
  /** 128 random bits, hex. */
  id: text,
  planDigest: z.string(),
  /** SHA-256 of the API key, first 16 hex digits: receipts are scoped to the credential. */
  credential: z.string(),
  startedAt: z.string(),
  origin: runOrigin.optional(),
  /** Ids that had the name when the plan was made, by address: of planned creates, or of the resource of a verb. */
  fences: z.record(z.string(), z.array(z.string())),
  /** The action of a verb, accepted by the service; the same verb again continues to wait for its end. */
  accepted: z
    .looseObject({
      address,
      command,
      pending: typed<Pending>(z.looseObject({ kind: z.enum(["deployment", "operation"]), id: text })),
    })
    .optional(),
});

/** Durable before the first write of a run; its id goes into every idempotency key. */
export type RunRecord = Parsed<z.infer<typeof run>>;

const intent = z.looseObject({
  seq: count,
  runId: text,
  address,
  type: text,
  operation: text,
  method: text,
  path: text,
  key: z.string(),
  /** SHA-256 of the canonical body; keyed with the state key when the body holds a secret. */
  bodyDigest: z.string(),
  /** Absent when the body holds a secret. */
  body: (z.unknown() as z.ZodType<Plain>).optional(),
  /** To find the resource after a create: its name (or key), and `parentId`, its project or service. */
  name: z.string(),
  parentId: z.string().optional(),
  /** Attribute paths of the settings that a create sends. */
  madeWith: texts.optional(),
  /** Only fields that take effect at once are sent: whatever became of it, no deployment has to follow. */
  takesEffect: z.literal("at once").optional(),
  /** The action of a verb; absent for a write of a plan. */
  command: command.optional(),
  at: z.string(),
});

/** A write about to be sent. Durable before its first byte. */
export type Intent = Parsed<z.infer<typeof intent>>;

export const journalEntrySchema = z.discriminatedUnion("kind", [
  /** `keyId`: the fingerprint key of the resources that follow, when the state names none yet. */
  z.looseObject({ kind: z.literal("run"), run, keyId: z.string().optional() }),
  z.looseObject({ kind: z.literal("intent"), intent }),
  /** `refused`: the service said no, nothing happened. `unknown` never closes an intent and is not written. */
  z.looseObject({
    kind: z.literal("outcome"),
    seq: count,
    result: z.enum(["done", "refused"]),
    status: z.number(),
    id: z.string().optional(),
  }),
  z.looseObject({
    kind: z.literal("resource"),
    address,
    /** The record of the address from here on; null removes it. */
    resource: resource.nullable(),
    /** It is removed because it was deleted then, by our clock, ISO 8601. */
    deletedAt: z.string().optional(),
  }),
  z.looseObject({ kind: z.literal("outputs"), outputs: objectOf<Plain>() }),
  z.looseObject({ kind: z.literal("end") }),
]);

export type JournalEntry = Parsed<z.infer<typeof journalEntrySchema>>;

/** The shape of the state file, version 1. Fields it does not name are allowed and kept. */
export const stateSchema = z.looseObject({
  format: z.literal("rnv-state"),
  version: z.literal(1),
  /** UUID, made with the first write; a different lineage is a different state. */
  lineage: text,
  serial: count,
  workspaceId: z.string(),
  baseUrl: z.string(),
  /** The stack of an app of constructs that it belongs to; none for manifests. */
  stack: text.optional(),
  /** The stage that it belongs to, `preview/12` for an instance; absent without stages. */
  stage: text.optional(),
  /** The repository whose runs write it, `github.com/acme/shop`; none until a run of a repository has written it. */
  repository: text.optional(),
  /** When the last run that changed anything began, ISO 8601; unknown before the first. */
  lastRunAt: z.string().optional(),
  /** The last 50 runs that changed anything, oldest first; without the run in progress. None before the first. */
  history: z.array(pastRun).optional(),
  /** First 16 hex digits of SHA-256 of the fingerprint key; null before the first fingerprint. */
  keyId: z.string().nullable(),
  resources: z.record(typed<Address>(z.string()), resource),
  outputs: objectOf<Plain>(),
  /** The run in progress or cut short; null after a run that ended. */
  run: run.nullable(),
  deleted: z.record(z.string(), deletedResource).optional(),
  /** Writes of `run` without an outcome. */
  open: z.array(intent),
  /** Resources on their way to another state: this state holds them until the other does. */
  handOver: z
    .looseObject({
      /** The other state: a path or a URL without credentials. */
      to: text,
      addresses: z.array(address),
    })
    .optional(),
});

/** The recorded state: a snapshot with the journal folded in. */
export type State = Parsed<z.infer<typeof stateSchema>>;

/** The shape of the state file when it is encrypted: lineage and serial stand in the clear, all else in `data`. */
const encryptedStateSchema = z.looseObject({
  format: z.literal("rnv-state-encrypted"),
  version: z.literal(1),
  lineage: text,
  serial: count,
  /** Names the key without telling it. */
  keyId: text,
  nonce: z.base64(),
  data: z.base64(),
});

export const stateFileSchema = z.discriminatedUnion("format", [stateSchema, encryptedStateSchema]);

/** The command line that asks for it: `rnv deploy service.shop.api --commit 4f2a…`. */
export function commandText(address: Address, { action, deploymentId, commit, isChosen }: Command): string {
  const verb = action === "clear-cache" ? "deploy" : action;
  const named = isChosen ? [] : [deploymentId, commit === undefined ? undefined : `--commit ${commit}`];
  const words = ["rnv", verb, address, ...named, action === "clear-cache" ? "--clear-cache" : undefined];
  return words.filter((word) => word !== undefined).join(" ");
}
