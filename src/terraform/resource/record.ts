import type { LiveResource } from "../../model/live";
import type { RecordedResource } from "../../model/state";
import { timeNow } from "../../model/time";
import { type Plain, plainEqual } from "../../model/value";
import type { PrivateData } from "../private-data";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { type TerraformObject, textIn } from "../values";

/** Returns a record of a resource's identity alone. */
export const bareRecord = (
  known: Pick<RecordedResource, "type" | "id" | "name" | "updatedAt">,
): RecordedResource => ({
  ...known,
  ...{ dependsOn: [], applied: {}, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete", writes: 0 },
});

/** Returns the record that the engine would have of a resource that Terraform keeps. */
export function recordedOf(
  type: TerraformShape,
  prior: TerraformObject,
  kept: PrivateData,
): RecordedResource {
  const { writtenAt, updatedAt: writtenAs } = kept;
  const computed = type.computedIn(prior);
  const shownAt = computed.get("updatedAt");
  const updatedAt = typeof shownAt === "string" ? shownAt : writtenAs;
  const named = { type: type.resource.type, id: textIn(prior, "id") ?? "", name: type.nameIn(prior) };
  return {
    ...bareRecord({ ...named, updatedAt }),
    ...{ applied: kept.applied ?? {}, computed: Object.fromEntries(computed), writtenAt },
  };
}

/** Returns what private data remembers of a write that was answered just now. */
export function writtenNow(
  session: Pick<Session, "clock" | "reads" | "workspaceId">,
  live: LiveResource | undefined,
): Pick<PrivateData, "workspace" | "writtenAt" | "updatedAt"> {
  return {
    workspace: session.workspaceId,
    writtenAt: timeNow(session),
    updatedAt: live?.updatedAt ?? live?.asOf,
  };
}

/**
 * Returns what private data remembers as applied: declared fields that can be sent back to their defaults. One whose
 * change is ignored was not applied: what is remembered of it stays.
 */
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
