import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import { isPreserved } from "../model/resource-type";
import type { DecisionContext } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { nameFollowsKey } from "./name-follows-key";
import { ownerKey } from "./owners";
import { place, type ResolvedInstance, refuse } from "./resolved-subject";
import type { ResourceInstance } from "./subject";

/**
 * What becomes of a declared resource that is not recorded but live: taken over where that is asked for, else an
 * error that says how. Undefined where nothing of it is live.
 */
export function decideAdoption(about: ResolvedInstance, context: DecisionContext): Decision | undefined {
  const { instance, resolved } = about;
  const { live } = instance;
  if (!live) return undefined;
  const key = ownerKey(instance.type.type, live.id);
  const owner = context.owners.get(key);
  if (owner && !instance.desired?.importId) return undefined;
  if (owner) return refuse(about, alreadyManaged(instance, live, owner));
  context.owners.set(key, instance.address);

  const { changes } = diffAttributes(instance, about);
  const immutable = changes.find((change) => change.forcesReplacement);
  const isAsked =
    instance.desired?.importId !== undefined ||
    context.input.options.adopt ||
    instance.type.removal === "forget" ||
    isPreserved(instance.type, resolved) ||
    comesWithParent(instance, context);
  const diagnostics: Diagnostic[] = [];
  if (!isAsked) diagnostics.push(unmanagedExists(instance, live));
  else if (immutable) diagnostics.push(cannotBecome(instance, live, immutable.path, immutable.range));
  else diagnostics.push(...nameFollowsKey(instance, changes));
  return { ...about.undecided, action: "adopt", attributes: changes, diagnostics };
}

/** A part of something that this plan takes over is taken over with it. */
function comesWithParent(instance: ResourceInstance, { decisions }: DecisionContext): boolean {
  if (!instance.parent || !instance.type.removedWithParent) return false;
  return decisions.get(instance.parent)?.action === "adopt";
}

const unmanagedExists = (instance: ResourceInstance, live: LiveResource): Diagnostic =>
  error("live.unmanaged_exists", `${instance.address} exists and is not managed here (id ${live.id})`, {
    address: instance.address,
    detail: `To take it over: ${instance.type.manifest.meta ? `add the line "import: ${live.id}" to its block, or ` : ""}plan with --adopt, or run: rnv import ${instance.address} ${live.id}`,
    hint: instance.type.manifest.meta ? `import: ${live.id}` : "plan with --adopt",
    ...place(instance),
  });

const alreadyManaged = (instance: ResourceInstance, live: LiveResource, owner: string): Diagnostic =>
  error("manifest.moved", `${instance.address} cannot import ${live.id}: it is managed as ${owner}`, {
    address: instance.address,
    hint: `moved: [{ from: ${owner}, to: ${instance.address} }]`,
    ...(instance.desired?.importId && { range: instance.desired.importId.range }),
  });

const cannotBecome = (
  instance: ResourceInstance,
  live: LiveResource,
  path: string,
  range: Diagnostic["range"],
): Diagnostic =>
  error(
    "plan.invalid_combination",
    `${instance.address} cannot take over ${live.id}: its ${path} is another`,
    {
      address: instance.address,
      attribute: path,
      detail: `${path} cannot change in place, and what is not managed here is never replaced.`,
      ...(range && { range }),
    },
  );
