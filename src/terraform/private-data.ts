import * as z from "zod";
import type { Plain } from "../model/value";

const text = z.string().optional().catch(undefined);

/** The data that Terraform keeps for us beside a resource, unseen by its users. Never a secret. */
const privateData = z.object({
  /**
   * Declared fields as last applied: a field that is here and no longer declared goes back to its default. Undefined
   * between an import and its first read, which then fills in every field.
   */
  applied: z.record(z.string(), z.custom<Plain>()).optional().catch(undefined),
  /** Of a plan: the idempotency keys of its writes are made of it. Never in a state. */
  nonce: text,
  /** When our last write to it was answered, by the service's clock, ISO 8601. */
  writtenAt: text,
  /** The service's time of that write, else of the first read, ISO 8601: an older read is stale. */
  updatedAt: text,
  /** Workspace in which it was last applied. */
  workspace: text,
});

export type PrivateData = Readonly<z.infer<typeof privateData>>;

export const noPrivateData: PrivateData = { applied: {} };

/** Reads private data; what another version wrote and we cannot read counts as none. */
export function readPrivate(bytes: Uint8Array | undefined): PrivateData {
  if (bytes === undefined || bytes.length === 0) return noPrivateData;
  try {
    return privateData.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch {
    return noPrivateData;
  }
}

export const writePrivate = (data: PrivateData): Buffer => Buffer.from(JSON.stringify(data));

/** Returns true if it was imported and has not been read since. */
export const isImported = ({ applied }: PrivateData): boolean => applied === undefined;

/** The last run of a resource that reacts to others. */
interface LastRun {
  readonly id: string;
  /** Digest of what it made take effect; undefined where that could not be read. */
  readonly content?: string;
}

/** No attribute path: it stands beside them in `applied`. */
const lastRunKey = "(last run)";

/** Returns the last run that is recorded. */
export const lastRunIn = ({ applied = {} }: PrivateData): LastRun | undefined =>
  applied[lastRunKey] as LastRun | undefined;

export const withLastRun = (data: PrivateData, run: LastRun): PrivateData => ({
  ...data,
  applied: { ...data.applied, [lastRunKey]: { ...run } },
});

/** Returns the declared fields as last applied, by attribute path. */
export function appliedFields({ applied = {} }: PrivateData): Readonly<Record<string, Plain>> {
  const { [lastRunKey]: _run, ...fields } = applied;
  return fields;
}
