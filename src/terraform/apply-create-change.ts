import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import { canonicalJson } from "../model/value";
import type { Applied } from "./applied";
import {
  appliable,
  appliedIn,
  endedWith,
  isWaitedFor,
  parentOf,
  settle,
  stateAfter,
  unappliedFields,
  unsettled,
  writtenNow,
} from "./apply-context";
import { createOnce } from "./apply-create";
import { awaitNeighbours } from "./await-neighbours";
import { diagnosticsOf } from "./diagnostic-message";
import { liveAfter } from "./live-after";
import { defaultsOf } from "./plan-change";
import { noPrivateData } from "./private-data";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { addressIn, nameIn, parentIn } from "./values/attributes";
import { type TerraformObject, toPlain } from "./values/terraform-value";

/** Creates a resource. Nothing that stands at the service is ever left out of the state. */
export async function applyCreate(
  session: Session,
  type: ManagedType,
  planned: TerraformObject,
  config: TerraformObject,
): Promise<Applied> {
  const { resource } = type;
  const attributes = appliable(type, config);
  const name = nameIn(type, config) || resource.type;
  const parentId = parentIn(type, attributes);
  const defaults = defaultsOf(type, await session.before.catalog());
  const parent = await parentOf(session, type, attributes);
  const input = { address: addressIn(type, name), name, attributes, ...(parent ? { parent } : {}) };
  await awaitNeighbours(session, type, input, parentId);
  const answered = await createOnce(session, {
    type: resource,
    input,
    parentId,
    defaults,
    seed: ["create", resource.type, canonicalJson(toPlain(config.triggers ?? null))].join("\0"),
  });
  const result = await settle(session, type, answered, config, "create");
  const accepted = endedWith(answered, result);
  const failed = unsettled(type, name, result);
  // A deployment that did not go live is no resource: the next apply finds it by its key, and goes on.
  if (failed !== undefined && type.reacts) return { state: null, kept: noPrivateData, diagnostics: [failed] };
  const isSettled = isWaitedFor(type, config);
  const live =
    (result.kind === "done" ? result.live : undefined) ??
    (await liveAfter(session, type, { accepted, name, parentId, isSettled })) ??
    accepted.live;
  const diagnostics: Diagnostic[] = failed === undefined ? [] : [failed];
  if (accepted.failure !== undefined) diagnostics.push(...asWarnings(accepted.failure));
  else diagnostics.push(...unappliedFields(type, attributes, accepted.live, defaults, warning));
  const kept = {
    applied: appliedIn(type, config),
    ...writtenNow(session, accepted.live ?? live),
    ...(type.reacts ? { ran: accepted.id } : {}),
  };
  const state = { ...stateAfter(type, planned, live), ...(live === undefined ? { id: accepted.id } : {}) };
  return { state, kept, diagnostics };
}

/** An error would taint what stands, and a tainted service is deleted: the next plan shows what is missing. */
const asWarnings = (failure: unknown): readonly Diagnostic[] =>
  diagnosticsOf(failure).map(({ code, summary, detail }) =>
    warning(code, `created, but not all of it: ${summary}`, {
      ...(detail === undefined ? {} : { detail }),
      hint: "plan and apply again; the next plan shows what is missing",
    }),
  );
