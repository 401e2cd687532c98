import { bareRecord, deletionFailed } from "../../apply/change-context";
import { badEnd, defaultWaitPolicy, type WaitResult, waitUntilSettled } from "../../apply/settle";
import { type ComparedWrite, unappliedPaths } from "../../apply/verify";
import { type Diagnostic, error, type warning } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import type { Accepted, CreateInput, UpdateInput } from "../../model/resource-operations";
import { sha256 } from "../../model/sha256";
import type { timeoutNames } from "../../model/terraform-names";
import { parseDuration } from "../../model/time";
import { type PrivateData, writtenNow } from "../private-data";
import type { TypeInSession } from "../provider";
import { revisionName, upToDateName } from "../schema/resource-block";
import type { TerraformShape } from "../schema/terraform-shape";
import {
  asObject,
  fromJson,
  holdsUnknown,
  isUnknown,
  setValue,
  type TerraformObject,
  valueAt,
} from "../values";

export interface Writing extends TypeInSession {
  readonly planned: TerraformObject;
  /** As planned, with write-only values: all that is sent is taken from it. */
  readonly wanted: TerraformObject;
  /** Says which attributes are declared. Their values may differ from the plan: `ignore_changes` is not applied. */
  readonly config: TerraformObject;
  readonly kept: PrivateData;
  readonly nonce: string;
}

export interface Applied {
  readonly state: TerraformObject | null;
  readonly kept: PrivateData;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Sending extends Writing {
  readonly input: CreateInput & Pick<UpdateInput, "live"> & { readonly parentId: string | undefined };
}

export interface MadeResource {
  readonly accepted: Accepted;
  readonly run?: Partial<PrivateData["lastRun"]>;
  readonly about?: Address | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface AcceptedWrite extends Pick<Writing, "session" | "type" | "wanted"> {
  readonly input: Pick<Sending["input"], "name" | "parentId" | "live">;
  readonly made: MadeResource;
  readonly step: (typeof timeoutNames)[number];
}

/**
 * Waits for the pending work of a write, as long as `timeouts` and the type say, and reads the result. `failed` gives the
 * reason of a failure; a warning where it awaits a checkout.
 */
export async function finishWrite(write: AcceptedWrite) {
  const { session, type, input, made, wanted, step } = write;
  const { accepted } = made;
  const { resource } = type;
  const policy = resource.reacts?.waitPolicy?.(type.knownIn(wanted)) ?? defaultWaitPolicy;
  let { id } = accepted;
  let failed: Diagnostic | undefined;
  if (accepted.pending !== undefined && policy.wait) {
    const written = asObject(wanted.timeouts ?? null)?.[step];
    const asked = typeof written === "string" ? parseDuration(written) : undefined;
    const timeoutMs = asked ?? policy.timeoutMs;
    const result = await waitUntilSettled(accepted.pending, { ...session, type: resource, timeoutMs });
    id = result.pending.id;
    const about = resource.nameAttribute === undefined ? `the ${resource.type}` : type.addressOf(input.name);
    const isKept = step === "delete" && result.kind === "failed";
    const isCut = result.kind === "interrupted" && made.about !== undefined;
    failed = isKept
      ? deletionFailed(error, about as Address, result)
      : isCut
        ? error("apply.interrupted", `${made.about}: deployment started; apply again to follow it`)
        : waitFinding(about, result, { next: "apply again to keep waiting", timeoutMs, limit: "timeouts" });
  }
  // A newer run may have superseded the accepted run: the answer describes the accepted run alone.
  const ended: Accepted = id === accepted.id ? accepted : { id };
  const isRead = resource.runs !== undefined && step !== "delete" && failed?.severity !== "error";
  const live = (isRead ? await readRun(write, id) : undefined) ?? ended.live ?? input.live;
  const lastRun = resource.runs && { ...made.run, id, awaited: failed && true };
  const kept = { lastRun, ...writtenNow(session, ended.live ?? live) };
  const diagnostics = failed === undefined ? made.diagnostics : [...made.diagnostics, failed];
  return { accepted: ended, live, failed, kept, diagnostics };
}

export function waitFinding(
  about: string,
  result: WaitResult,
  wait: { readonly timeoutMs: number; readonly next: string; readonly limit: string },
): Diagnostic | undefined {
  if (result.kind === "done") return undefined;
  const { timeoutMs, next: hint, limit } = wait;
  if (result.kind === "interrupted")
    return error("apply.interrupted", `${about} was accepted, and its end was not waited for`, { hint });
  const next = `${hint}, or raise ${limit}`;
  return badEnd(about, result, { about: { address: about as Address }, timeoutMs, next }).diagnostic;
}

async function readRun({ session, type, input }: AcceptedWrite, id: string) {
  const { resource } = type;
  const { name, parentId } = input;
  const recorded = bareRecord({ type: resource.type, id, name });
  // A pinned attribute is compared with its declaration, so it is read too.
  const pinned = Object.values(resource.computed).flatMap(({ pinnedBy }) => pinnedBy ?? []);
  const declared = new Map(pinned.map((path) => [path, ""]));
  return type.find(session.reads.fresh(), { id, name, recorded, declared, parentId });
}

/** Returns the state after a write: as planned, with unknown values from `live`, or null, and a new revision. */
export function stateAfter(
  { type, planned, nonce }: Writing,
  live: LiveResource | undefined,
  isUpToDate = true,
): TerraformObject {
  const next = type.draftOf(planned);
  for (const { path, steps, type: shown } of type.computed)
    if (holdsUnknown(valueAt(planned, steps)))
      setValue(next, steps, fromJson(shown, live?.computed.get(path)));
  if (isUnknown(planned[upToDateName] ?? null)) next[upToDateName] = isUpToDate;
  // A layout has a revision of its own, which the service counts.
  if (type.isDeployed) next[revisionName] = revisionAfter(planned, nonce);
  return next;
}

export function revisionAfter({ [revisionName]: planned = null }: TerraformObject, nonce: string) {
  return isUnknown(planned) ? sha256(`revision ${nonce}`).slice(0, 16) : planned;
}

const secretNotApplied =
  "A value cannot be read back, but its write must move updated_at, and that is what it was before. Apply again to send it again.";

const notApplied = "Its answer still shows another value. It may not be allowed for this kind or plan.";

/** Returns a diagnostic for each field that the service accepted and did not apply, as far as its answer shows them. */
export function unappliedFields(
  { resource, stepsOf }: TerraformShape,
  { live, ...write }: Omit<ComparedWrite, "type" | "live"> & Partial<Pick<ComparedWrite, "live">>,
  severity: typeof error | typeof warning,
): readonly Diagnostic[] {
  if (live === undefined) return [];
  return unappliedPaths({ type: resource, live, ...write }).map((path) => {
    const attribute = stepsOf(path)?.join(".") ?? path;
    const isNamed = path === resource.nameAttribute;
    const named = `It is in the state. To keep the name that the platform shows: ${attribute} = ${JSON.stringify(live.name)}`;
    const detail = isNamed ? named : resource.rules[path]?.secret ? secretNotApplied : notApplied;
    const summary = `the platform accepted the change, but ${attribute} did not take`;
    return severity("apply.not_taken", summary, { attribute: path, detail });
  });
}
