import type { Plain } from "../model/value";

/** What Terraform keeps for us beside a resource, unseen by its users. Never a secret. */
export interface PrivateData {
  /** Declared fields as last applied: a field that is here and no longer declared goes back to its default. */
  readonly applied: Readonly<Record<string, Plain>>;
  /** Id that the last apply ended with: the next write is keyed by it, whatever serves by then. */
  readonly ran?: string;
  /** When our last write to it was answered, by our clock, ISO 8601. */
  readonly writtenAt?: string;
  /** The service's time of that write, ISO 8601: a read that shows an earlier one is behind. */
  readonly updatedAt?: string;
  /** Workspace in which it was last applied: an id means nothing in another one. */
  readonly workspace?: string;
  /** Fresh from an import: the next read fills in everything. */
  readonly imported?: true;
}

export const noPrivateData: PrivateData = { applied: {} };

/** Whether private data was lost: Terraform drops it where a provider dies in the middle of a change. */
export const isLost = ({ workspace, ran }: PrivateData): boolean =>
  workspace === undefined && ran === undefined;

/** Reads private data; what another version wrote and we cannot read counts as none. */
export function readPrivate(bytes: Uint8Array | undefined): PrivateData {
  if (bytes === undefined || bytes.length === 0) return noPrivateData;
  try {
    const parsed = JSON.parse(Buffer.from(bytes).toString("utf8")) as Partial<PrivateData> | null;
    const applied = parsed?.applied;
    if (applied === null || typeof applied !== "object") return noPrivateData;
    return {
      applied,
      ...(typeof parsed?.ran === "string" ? { ran: parsed.ran } : {}),
      ...(typeof parsed?.writtenAt === "string" ? { writtenAt: parsed.writtenAt } : {}),
      ...(typeof parsed?.updatedAt === "string" ? { updatedAt: parsed.updatedAt } : {}),
      ...(typeof parsed?.workspace === "string" ? { workspace: parsed.workspace } : {}),
      ...(parsed?.imported === true ? { imported: true } : {}),
    };
  } catch {
    return noPrivateData;
  }
}

export const writePrivate = (data: PrivateData): Buffer => Buffer.from(JSON.stringify(data));
