import { randomUUID } from "node:crypto";
import { diagnosticOf } from "../../api/api-error";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { plainEqual, Unknown } from "../../model/value";
import { decodeObject, encodeMessage, isSameValue, type TerraformObject } from "../codec";
import { diagnosticMessages, pathMessage } from "../messages";
import { isOnlyImported, readPrivate, writePrivate } from "../private-data";
import type { RequestOf, ResponseOf } from "../protocol";
import type { RpcAnswer } from "../provider";
import type { Schema } from "../schema/block";
import { parentChange } from "./confirm-deleted";
import { type CheckedChange, type Meanings, planChange } from "./plan-change";
import {
  checkProtection,
  contentFindings,
  isSecondPlan,
  offerFindings,
  placeFindings,
} from "./plan-findings";
import { forgetWarning, preservedFindings } from "./preserved";
import { configWarnings, priceWarnings } from "./warnings";

/** PlanResourceChange: the changes of an apply to a resource, and the refusals of the catalog. */
export const planResourceChange: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const { valueType, stepsOf } = type;
  const prior = decodeObject(valueType, request.priorState);
  const config = decodeObject(valueType, request.config);
  const { session } = provider;
  // Terraform plans a deletion without a configuration.
  if (config === undefined) {
    const isForgotten = prior !== undefined && type.isMadeElsewhere(prior);
    const found = isForgotten
      ? [forgetWarning(type, type.nameIn(prior))]
      : checkProtection(session, type, [prior ?? {}], "delete");
    return { ...plannedAs(type, request, prior, undefined), diagnostics: diagnosticMessages(found, stepsOf) };
  }
  const isNew = prior === undefined;
  const catalog = isNew ? undefined : await session?.reads.catalog();
  const meanings = prior ? await meaningsOf({ session, type, prior, config }) : new Map();
  const input = { type, prior, config, kept: readPrivate(request.priorPrivate), catalog, meanings };
  const change = planChange(input);
  const found = await findingsOf({ ...input, ...change, session }).catch((failure: unknown) => {
    if (!isNew) throw failure;
    // No error: after a failed plan of a create, Terraform deletes the resource that `create_before_destroy` replaces.
    const summary = `the new ${type.resource.type} could not be checked against the platform`;
    return [warning("live.unchecked", summary, { detail: diagnosticOf(failure).summary })];
  });
  return {
    ...plannedAs(type, request, prior, change.planned),
    // Terraform takes a block that only an import brought for a mistake of the plan, unless it is told so.
    legacyTypeSystem: type.block.groups?.some(
      ({ name }) => (config[name] ?? null) === null && (change.planned[name] ?? null) !== null,
    ),
    requiresReplace: change.replaced.map((path) => pathMessage(stepsOf(path) ?? [])),
    diagnostics: diagnosticMessages(found, stepsOf),
  };
};

/** Answers a plan with the planned state, undefined for a deletion, and the nonce of its apply. */
export function plannedAs(
  { valueType }: Pick<Schema, "valueType">,
  request: RequestOf<"PlanResourceChange">,
  prior: TerraformObject | undefined,
  planned: TerraformObject | undefined,
): ResponseOf<"PlanResourceChange"> {
  const { priorState, priorPrivate } = request;
  if (planned !== undefined && isSameValue(planned, prior))
    return { plannedState: priorState, plannedPrivate: priorPrivate };
  // A later Terraform brings the nonce of the plan to its apply.
  const { nonce = randomUUID() } = readPrivate(request.plannedPrivate);
  const plannedPrivate = writePrivate({ ...readPrivate(priorPrivate), nonce });
  return { plannedState: encodeMessage(valueType, planned ?? null), plannedPrivate };
}

interface Update extends Pick<CheckedChange, "session" | "type" | "config"> {
  readonly prior: TerraformObject;
}

/** Returns the meanings of an update. Sends requests only where texts that the platform resolves differ. */
async function meaningsOf({ session, type, prior, config }: Update): Promise<Meanings> {
  const { rules, parents } = type.resource;
  const meanings = new Map<string, "same" | "open">();
  // An unknown value may equal the recorded value: it causes no replacement.
  for (const [path, value] of type.declaredIn(config))
    if (rules[path]?.change === "replace" && value instanceof Unknown) meanings.set(path, "open");
  // If the old resource is deleted already, it is created in the new parent without a replacement.
  if ((await parentChange(session, type, prior, config)) === "left")
    for (const { attribute } of parents) meanings.set(attribute, "open");
  const [before, after] = [type.knownIn(prior), type.knownIn(config)];
  const rewritten = [...after].filter(
    ([path, value]) => rules[path]?.resolved === true && !plainEqual(value, before.get(path)),
  );
  if (rewritten.length === 0) return meanings;
  const { id, name, parentId } = type.liveOf(prior);
  const target = { id, name, declared: after, parentId: parentId ?? undefined };
  const read = session && (await type.read(session.reads, target));
  for (const [path, value] of rewritten)
    if (read === undefined || read.kind === "unchecked") meanings.set(path, "open");
    else if (read.kind === "found" && read.live.attributes.get(path) === value) meanings.set(path, "same");
  return meanings;
}

async function findingsOf(change: CheckedChange): Promise<readonly Diagnostic[]> {
  return [
    ...change.diagnostics,
    ...triggerFindings(change),
    ...replacementFindings(change),
    ...(await contentFindings(change)),
    ...(await preservedFindings(change)),
    ...(await offerFindings(change)),
    ...(await placeFindings(change)),
    ...configWarnings(change),
    ...(await priceWarnings(change)),
  ];
}

/** Warns of a run without triggers, the same for every resource of the type: Terraform shows equal warnings once. */
function triggerFindings({ type, config }: CheckedChange): readonly Diagnostic[] {
  const { triggers = null, when = null } = config;
  if (type.resource.runs === undefined || triggers !== null || when === "always" || when === "never")
    return [];
  return [
    warning("plan.not_deployed", `${type.name} without triggers`, {
      detail:
        "A change of the service or of its variables is deployed by the next apply, not by the one that makes it.",
      hint: "set triggers = { config = rnv_service.NAME.revision, vars = rnv_variables.NAME.revision }",
    }),
  ];
}

/** Names the losses of a replacement, and its obstacles. In an apply, Terraform refuses an unplanned replacement. */
function replacementFindings(change: CheckedChange): readonly Diagnostic[] {
  const { session, type, prior, config, kept, replaced } = change;
  const { resource } = type;
  const [attribute] = replaced;
  if (isSecondPlan(change)) return checkProtection(session, type, [config], "replace");
  if (prior === undefined || attribute === undefined) return [];
  const named = type.stepsOf(attribute)?.join(".") ?? attribute;
  const about = `${resource.type} "${type.nameIn(prior)}"`;
  if (isOnlyImported(kept)) {
    const is = JSON.stringify(type.knownIn(prior).get(attribute) ?? null);
    const detail = `Its ${named} is ${is}. What is not managed yet is never replaced: check the import ID.`;
    return [error("plan.invalid_combination", `${about} is not what is declared`, { attribute, detail })];
  }
  const refused = checkProtection(session, type, [prior, config], "replace");
  if (resource.removal !== "delete") return refused;
  const lost = resource.removedWithParent ? "" : "; its URL, variables and deployments are lost";
  return [mustBeReplaced(`${about} must be replaced${lost}`, named, attribute), ...refused];
}

/** Returns the finding of a plan about a replacement; without it the apply stops in words that blame the provider. */
export const mustBeReplaced = (summary: string, named: string, attribute = named): Diagnostic =>
  warning("plan.replacement", summary, {
    attribute,
    detail:
      `${named} cannot be changed in place. If an apply stops here with "inconsistent final plan", ${named} ` +
      "was unknown when the plan was made, and nothing was deleted.",
    hint: "then plan and apply again",
  });
