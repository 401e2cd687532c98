import type { Variable } from "../../api/wire/shapes";
import { lookAgain, staleWrite } from "../../apply/look";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import { isOlder, isYoung } from "../../model/freshness";
import { liveVariable } from "../../resources/variable";
import { confirmDeleted, type Doubt, isParentLeaving, isShownElsewhere, noteFound } from "../confirm-deleted";
import type { PrivateData } from "../private-data";
import type { Session } from "../session";
import { textIn } from "../values/attributes";
import type { TerraformObject } from "../values/terraform-value";
import { entryType, textsIn } from "./variables-type";

export type VariablesRead = { readonly next: TerraformObject | null } | { readonly doubt: Doubt };

interface Shown {
  /** Its service is. */
  readonly isGone: boolean;
  /** Undefined where they cannot be listed. */
  readonly listed?: readonly Variable[];
}

async function lookAt(session: Session, serviceId: string): Promise<Shown> {
  const service = await session.reads.service(serviceId);
  if (service.kind !== "found") return { isGone: service.kind === "gone" };
  return { isGone: false, listed: await session.reads.variables(serviceId) };
}

/** By its id, else by its name: the answer to its creation may have been another's. */
const ofEntry = (listed: readonly Variable[], name: string, id: string): Variable | undefined =>
  listed.find((one) => one.id === id) ?? listed.find((one) => one.key === name);

/** Whether what is shown is from before what we wrote a moment ago. */
async function isBehind(
  session: Session,
  state: TerraformObject,
  serviceId: string,
  { isGone, listed }: Shown,
): Promise<boolean> {
  if (isGone) return !(await isParentLeaving(session, entryType.resource, serviceId));
  const times = textsIn(state.updated_at) ?? {};
  return Object.entries(textsIn(state.ids) ?? {}).some(([name, id]) => {
    if (listed === undefined) return false;
    const live = ofEntry(listed, name, id);
    if (live === undefined) return true;
    const isAnothers = live.id !== id && isShownElsewhere(session, entryType.resource, id, serviceId);
    return !isAnothers && isOlder(live.updatedAt, times[name] || undefined);
  });
}

/**
 * The state after a refresh, null when the service is gone; or why what seems gone is not believed. A value that was changed outside cannot be seen: it
 * leaves the state, so that the next plan sends it again.
 */
export async function readVariables(
  session: Session,
  state: TerraformObject,
  { workspace, writtenAt }: PrivateData,
): Promise<VariablesRead> {
  const serviceId = textIn(state, "service_id") ?? textIn(state, "id") ?? "";
  const { resource } = entryType;
  const doubtOf = (id: string, name: string): Promise<Doubt | undefined> =>
    confirmDeleted(session, { resource, id, name, parentId: serviceId, workspace });
  const { seen, isStale } = await lookAgain(
    session,
    () => lookAt(session, serviceId),
    async (shown) =>
      isYoung({ writtenAt }, session.clock.now()) && (await isBehind(session, state, serviceId, shown)),
  );
  if (isStale) throw new DiagnosticsError([staleWrite(`the variables of the service ${serviceId}`)]);
  const { isGone, listed } = seen;
  if (isGone) {
    const doubt = await doubtOf("", serviceId);
    return doubt === undefined ? { next: null } : { doubt };
  }
  if (listed === undefined) return { next: state };
  for (const one of listed) noteFound(session, resource, liveVariable(one, serviceId));
  const ids: Record<string, string> = {};
  const updatedAt: Record<string, string> = {};
  const values: Record<string, string> = { ...textsIn(state.values) };
  let isTouched = false;
  for (const [name, id] of Object.entries(textsIn(state.ids) ?? {})) {
    const live = ofEntry(listed, name, id);
    const known = textsIn(state.updated_at)?.[name];
    const isNewer = known !== undefined && Date.parse(live?.updatedAt ?? known) > Date.parse(known);
    if (live === undefined || live.key !== name || isNewer) {
      delete values[name];
      isTouched = true;
    }
    if (live === undefined) {
      const doubt = await doubtOf(id, name);
      if (doubt !== undefined) return { doubt };
      continue;
    }
    ids[name] = live.id;
    updatedAt[name] = live.updatedAt ?? known ?? "";
  }
  const next = {
    ...state,
    service_id: serviceId,
    ids,
    updated_at: updatedAt,
    values: state.values === null ? null : values,
    values_wo_version: isTouched ? null : (state.values_wo_version ?? null),
  };
  return { next };
}
