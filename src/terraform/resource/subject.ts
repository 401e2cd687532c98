import type { Resource } from "../../api/reads";
import { typeNamed } from "../../resources";
import { withSubject } from "../messages";
import type { Message } from "../protocol";
import { type Provider, type Session, shapes } from "../provider";
import { liveOf, valueAt } from "../schema/attributes";
import { decodeObject } from "../values/codec";
import { readById } from "./confirm-deleted";

/** Returns how messages name a resource; one without a name of its own by its parent. */
export async function subjectOf(
  { reads }: Pick<Session, "reads">,
  { type, nameAttribute, parents: [parent] }: Resource,
  name: string,
  parentId: string | undefined,
): Promise<string> {
  if (nameAttribute !== undefined) return `${type} "${name}"`;
  const above = parent && typeNamed(parent.type);
  if (above === undefined || parentId === undefined) return `the ${type}`;
  const read = await readById(reads, above, parentId).catch(() => undefined);
  const shown = read?.kind === "found" ? `"${read.live.name}"` : parentId;
  return `the ${type} of the ${above.type} ${shown}`;
}

type ValueMessage = Message<"Value"> | null;

/** A call about one resource, with whole values of its type. */
export interface ResourceRequest {
  readonly typeName?: string;
  readonly config?: ValueMessage;
  readonly plannedState?: ValueMessage;
  readonly currentState?: ValueMessage;
  readonly priorState?: ValueMessage;
}

const aboutResources = new Set([
  "ValidateResourceConfig",
  "ReadResource",
  "PlanResourceChange",
  "ApplyResourceChange",
]);

/** Returns an answer whose diagnostics all say which resource and which attribute they are about. */
export async function withSubjects<
  Answer extends { readonly diagnostics?: readonly Message<"Diagnostic">[] },
>(provider: Provider, method: string, request: ResourceRequest, answered: Answer): Promise<Answer> {
  const { diagnostics = [] } = answered;
  if (diagnostics.length === 0 || !aboutResources.has(method)) return answered;
  const subject = await subjectIn(provider, request).catch(() => undefined);
  return { ...answered, diagnostics: diagnostics.map((one) => withSubject(one, subject)) };
}

async function subjectIn(
  { session }: Provider,
  { typeName, config, plannedState, currentState, priorState }: ResourceRequest,
): Promise<string | undefined> {
  const type = shapes.find(({ name }) => name === typeName);
  if (type === undefined) return undefined;
  const wholes = [config, plannedState, currentState, priorState];
  const whole = wholes.map((value) => decodeObject(type.valueType, value)).find((one) => one !== undefined);
  if (whole === undefined) return undefined;
  const named = valueAt(whole, type.stepsOf(type.resource.nameAttribute ?? "") ?? []);
  if (typeof named === "string") return `${type.resource.type} "${named}"`;
  const { parentId } = liveOf(type, whole);
  if (type.resource.nameAttribute !== undefined || session === undefined || parentId == null)
    return undefined;
  return subjectOf(session, type.resource, "", parentId);
}
