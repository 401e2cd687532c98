import type { Resource } from "../../api/reads";
import { lookAgain, staleWrite } from "../../apply/look";
import { type Diagnostic, DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import { isBehind, isMissing, isYoung } from "../../model/freshness";
import type { LiveResource, ReadResult } from "../../model/live";
import type { ReadTarget } from "../../model/resource-operations";
import type { RecordedResource } from "../../model/state";
import { confirmDeleted, isParentLeaving, isShownElsewhere, noteFound } from "../confirm-deleted";
import { diagnosticMessage } from "../diagnostic-message";
import { recordedOf } from "../plan-change";
import { type PrivateData, readPrivate, writePrivate } from "../private-data";
import type { Provider } from "../provider";
import { declaredOf, refreshed } from "../read-state";
import type { ManagedType } from "../schema/managed-type";
import type { Session } from "../session";
import { addressIn, nameIn, parentIn, textIn } from "../values/attributes";
import { decodeValue, encodeValue } from "../values/codec";
import { asObject, type TerraformObject } from "../values/terraform-value";

interface Request {
  readonly typeName: string;
  readonly currentState: { readonly msgpack: Uint8Array };
  readonly private?: Uint8Array;
}

/** ReadResource: what the service says of a resource now. Null is "gone", and needs proof. */
export async function readResource(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  const state = asObject(decodeValue(type.valueType, request.currentState.msgpack));
  const { session } = provider;
  const unchanged = { newState: request.currentState, private: request.private };
  if (session === undefined || state === undefined) return unchanged;
  const kept = readPrivate(request.private);
  const { next, diagnostics = [] } = await readNow(session, type, state, kept);
  if (next === "unchecked")
    return { ...unchanged, diagnostics: diagnostics.map((one) => diagnosticMessage(one)) };
  const { imported, ...settled } = kept;
  return {
    newState: next === state ? request.currentState : { msgpack: encodeValue(type.valueType, next) },
    private: imported ? writePrivate(settled) : request.private,
  };
}

interface ReadNow {
  readonly next: TerraformObject | null | "unchecked";
  readonly diagnostics?: readonly Diagnostic[];
}

async function readNow(
  session: Session,
  type: ManagedType,
  state: TerraformObject,
  kept: PrivateData,
): Promise<ReadNow> {
  const name = nameIn(type, state);
  const declared = declaredOf(type, state, kept);
  const parentId = parentIn(type, declared);
  const id = textIn(state, "id");
  const recorded = recordedOf(type, state, kept);
  const read = await readPatiently(session, type.resource, {
    ...{ address: addressIn(type, name), name, declared, recorded },
    ...(id === undefined ? {} : { id }),
    ...(parentId === undefined ? {} : { parentId }),
  });
  switch (read.kind) {
    case "found":
      noteFound(session, type.resource, read.live);
      return { next: await refreshed(session, type, state, read.live, kept) };
    case "absent":
      return { next: null };
    case "gone": {
      const missing = { resource: type.resource, id: id ?? "", name, parentId, workspace: kept.workspace };
      // A deletion that goes on may fail yet.
      if (read.ending !== undefined) return { next: "unchecked", diagnostics: [stillThere(type, name)] };
      const doubt = await confirmDeleted(session, missing);
      return doubt === undefined ? { next: null } : { next: "unchecked", ...doubt };
    }
    case "ambiguous":
      return { next: "unchecked" };
    case "unchecked":
      return {
        next: "unchecked",
        diagnostics: [
          warning("live.unchecked", `${type.resource.type} "${name}" could not be read`, {
            detail: `What the state says stands: ${read.reason}.`,
          }),
        ],
      };
  }
}

/**
 * Reads a thing of the state, again while what is seen is from before what we wrote a moment ago. Throws
 * `DiagnosticsError` where reads stay behind.
 */
async function readPatiently(
  session: Session,
  resource: Resource,
  subject: ReadTarget & { readonly recorded: RecordedResource },
): Promise<ReadResult> {
  const { recorded, parentId, name } = subject;
  if (!isYoung(recorded, session.clock.now())) return resource.read(session.reads, subject);
  const asked = { ...subject, ...(recorded.updatedAt !== undefined && { notOlderThan: recorded.updatedAt }) };
  const isAnothers = ({ id }: LiveResource): boolean =>
    id !== recorded.id && isShownElsewhere(session, resource, recorded.id, parentId);
  const { seen, isStale } = await lookAgain(
    session,
    () => resource.read(session.reads, asked),
    async (read) =>
      read.kind === "found"
        ? isBehind(read.live, recorded, resource) && !isAnothers(read.live)
        : isMissing(read) && !(await isParentLeaving(session, resource, parentId)),
  );
  if (isStale) throw new DiagnosticsError([staleWrite(`the ${resource.type} "${name}"`)]);
  return seen;
}

const stillThere = (type: ManagedType, name: string): Diagnostic =>
  warning("live.unchecked", `${type.resource.type} "${name}" is being deleted at the service`, {
    detail: "It stays in the state until it is gone: its deletion may fail.",
    hint: "run the command again once the deletion has ended",
  });
