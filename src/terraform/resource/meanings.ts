import { Unknown } from "../../model/value";
import type { Session } from "../provider";
import { addressIn, declaredIn, knownIn, nameIn, parentIn, textIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { holdsUnknown, isSameValue, type TerraformObject } from "../values/terraform-value";
import { parentChange } from "./confirm-deleted";

/** The attribute paths whose value cannot change in place, and whose text alone does not say that it changes. */
export interface Meanings {
  /** The configured value is another text than the state has and stands for the same: an environment and its id. */
  readonly kept: ReadonlySet<string>;
  /** What the configured value stands for is not known yet, or the recorded parent is deleted: no replacement. */
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
  const isLeft = session && (await parentChange(session.reads, type, prior, config)) === "deleted";
  // What was in a deleted parent is deleted too, and is created in the new one instead of being replaced.
  const left = isLeft ? resource.parents.map(({ attribute }) => attribute) : [];
  const unknowns = [...unknownsOf(type, config), ...left];
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
 * Returns the attributes that force a replacement and are not known yet: a plan cannot tell a late read from another
 * value, so it replaces nothing for them.
 */
const unknownsOf = (type: TerraformShape, config: TerraformObject): readonly string[] =>
  [...declaredIn(type, config)]
    .filter(([path, value]) => type.resource.rules[path]?.change === "replace" && value instanceof Unknown)
    .map(([path]) => path);
