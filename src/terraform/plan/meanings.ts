import { Unknown } from "../../model/value";
import type { Session } from "../provider";
import { addressIn, declaredIn, knownIn, nameIn, parentIn, textIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { holdsUnknown, isSameValue, type TerraformObject } from "../values/terraform-value";

/** The attribute paths whose value cannot change in place, and whose text alone does not say that it changes. */
export interface Meanings {
  /** The configured value is another text than the state has and stands for the same: an environment and its id. */
  readonly kept: ReadonlySet<string>;
  /** What the configured value stands for is not known yet: whether it is a replacement is decided once it is. */
  readonly open: ReadonlySet<string>;
}

/** Returns the meanings of an update. The service is asked only where the texts of what it resolves differ. */
export async function meaningsOf(
  session: Session | undefined,
  type: TerraformShape,
  prior: TerraformObject | undefined,
  config: TerraformObject,
): Promise<Meanings> {
  const { resource } = type;
  if (prior === undefined) return { kept: new Set(), open: new Set() };
  const rewritten = type.declared
    .filter(({ path, steps }) => {
      const value = valueAt(config, steps);
      const isResolved = resource.rules[path]?.resolved === true && value !== null && !holdsUnknown(value);
      return isResolved && !isSameValue(value, valueAt(prior, steps));
    })
    .map(({ path }) => path);
  const unknowns = unknownsOf(session, type, config);
  if (rewritten.length === 0) return { kept: new Set(), open: new Set(unknowns) };
  const shown = session && (await readAs(session, type, prior, config));
  if (shown === undefined) return { kept: new Set(), open: new Set([...unknowns, ...rewritten]) };
  const declared = knownIn(type, config);
  const kept = rewritten.filter((path) => shown.get(path) === declared.get(path));
  return { kept: new Set(kept), open: new Set(unknowns) };
}

/** Returns what is live in the form of the configuration; undefined where it cannot be read. */
async function readAs(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  config: TerraformObject,
): Promise<ReadonlyMap<string, unknown> | undefined> {
  const name = nameIn(type, prior);
  const parentId = parentIn(type, knownIn(type, prior));
  const declared = knownIn(type, config);
  const target = { address: addressIn(type, name), id: textIn(prior, "id"), name, declared, parentId };
  const read = await type.resource.read(session.reads, target);
  if (read.kind === "unchecked") return undefined;
  return read.kind === "found" ? read.live.attributes : new Map();
}

/**
 * Returns the attributes that force a replacement and are not known yet. Terraform deletes before the value is known: it
 * may turn out to be the same, or one that cannot be. Only a parent that this plan makes is surely another one, and what
 * goes with its parent holds nothing of its own.
 */
function unknownsOf(
  session: Session | undefined,
  type: TerraformShape,
  config: TerraformObject,
): readonly string[] {
  const { resource } = type;
  if (resource.removal !== "delete" || resource.removedWithParent || !holdsUnknown(config)) return [];
  const isMade = (path: string): boolean =>
    resource.parents.some((parent) => parent.attribute === path && session?.plansNew.has(parent.type));
  return [...declaredIn(type, config)]
    .filter(([path, value]) => {
      const { change } = resource.rules[path] ?? {};
      return change === "replace" && value instanceof Unknown && !isMade(path);
    })
    .map(([path]) => path);
}
