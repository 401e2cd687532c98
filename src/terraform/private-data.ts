import * as z from "zod";
import { recordOf } from "../apply/record";
import type { LiveResource } from "../model/live";
import type { RecordedResource } from "../model/state";
import { timeNow } from "../model/time";
import { type Plain, plainEqual } from "../model/value";
import { type TerraformObject, textIn } from "./codec";
import type { Session } from "./provider";
import type { TerraformShape } from "./schema/terraform-shape";

const text = z.string().optional().catch(undefined);

/** The data that Terraform keeps for us beside a resource, unseen by its users. Never a secret. */
const storedData = z.object({
  /**
   * Declared fields as last applied: a field that is here and no longer declared goes back to its default. Undefined
   * between an import and its first read, which then fills in every field.
   */
  applied: z.record(z.string(), z.custom<Plain>()).optional().catch(undefined),
  /** Source of the idempotency keys of a plan's writes. Never in a state. */
  nonce: text,
  /** When our last write to it was answered, by the service's clock, ISO 8601. */
  writtenAt: text,
  /** The service's time of that write, else of the first read, ISO 8601. */
  updatedAt: text,
  workspace: text,
  /**
   * Last run of a resource that runs again:
   * - `content`: the digest of the settings that it deployed, if they could be read;
   * - `awaited`: it awaited a checkout and has not served yet;
   * - `isHeld`: its parent took no run at the last read.
   */
  lastRun: z
    .object({
      id: z.string(),
      content: text,
      awaited: z.boolean().optional(),
      isHeld: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});

export type PrivateData = Readonly<z.infer<typeof storedData>>;

export const noPrivateData: PrivateData = { applied: {} };

export const isOnlyImported = ({ workspace, writtenAt }: PrivateData): boolean =>
  workspace !== undefined && writtenAt === undefined;

/** Reads private data. Unreadable data of another version counts as none. */
export function readPrivate(bytes: Uint8Array | undefined): PrivateData {
  if (bytes === undefined || bytes.length === 0) return noPrivateData;
  try {
    return storedData.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch {
    return noPrivateData;
  }
}

export const writePrivate = (data: PrivateData): Buffer => Buffer.from(JSON.stringify(data));

export function recordedOf(
  type: TerraformShape,
  prior: TerraformObject,
  kept: PrivateData,
): RecordedResource {
  const { writtenAt, updatedAt: writtenAs } = kept;
  const computed = type.computedIn(prior);
  const shownAt = computed.get("updatedAt");
  const updatedAt = typeof shownAt === "string" ? shownAt : writtenAs;
  const id = textIn(prior, "id") ?? "";
  const shown = { type: type.resource.type, id, name: type.nameIn(prior), computed, updatedAt };
  return recordOf(shown, { applied: kept.applied ?? {}, writtenAt });
}

export const writtenNow = (session: Session, live: LiveResource | undefined) => ({
  workspace: session.workspaceId,
  writtenAt: timeNow(session),
  updatedAt: live?.updatedAt ?? live?.asOf,
});

/** Returns the declared fields that can be sent back to their defaults; a field whose change is ignored keeps its value. */
export function appliedIn(
  type: TerraformShape,
  wanted: TerraformObject,
  config: TerraformObject,
  before: Readonly<Record<string, Plain>> = {},
): Record<string, Plain> {
  const sent = type.knownIn(wanted);
  const applied: Record<string, Plain> = {};
  for (const [path, value] of type.knownIn(config)) {
    const { change, equal = plainEqual } = type.resource.rules[path] ?? {};
    if (change === "local") continue;
    const now = sent.get(path);
    if (now !== undefined && equal(now, value)) applied[path] = value;
    else if (before[path] !== undefined) applied[path] = before[path];
  }
  return applied;
}
