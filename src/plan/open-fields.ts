import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { Attributes } from "../model/attributes";
import type { Catalog } from "../model/catalog";
import type { Desired, DesiredAttribute, DesiredResource } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import { type DesiredValue, type Plain, Template } from "../model/value";

/** Whether reading the manifest left a field for the catalog to decide. */
export const isOpenFieldFinding = (finding: Diagnostic): boolean =>
  finding.code === "manifest.unknown_field" || isReferenceFinding(finding);

/** It is about a reference to such a field, which may be declared or not. */
const isReferenceFinding = ({ code, severity }: Diagnostic): boolean =>
  code === "manifest.reference_unknown" && severity === "warning";

/**
 * Decides about the fields that a manifest declares and this version does not know (`findings`): those that the
 * catalog's defaults name are typed by them; every other one is an unknown key.
 */
export function settleOpenFields(
  desired: Desired,
  findings: readonly Diagnostic[],
  types: readonly ResourceType[],
  catalog: Catalog,
): { readonly desired: Desired; readonly diagnostics: readonly Diagnostic[] } {
  const defaults = new Map(types.map((type) => [type.type, type.defaults(catalog)]));
  const resources = new Map(desired.resources);
  const diagnostics: Diagnostic[] = [];
  for (const finding of findings) {
    const { address, attribute: path } = finding;
    const resource = address === undefined ? undefined : resources.get(address as Address);
    const known = resource && defaults.get(resource.type);
    if (!resource || !known || path === undefined) continue;
    if (!known.has(path)) {
      diagnostics.push(unknownKey(finding, resource, path, known));
      continue;
    }
    if (isReferenceFinding(finding)) {
      const initial = known.get(path);
      if (typeof initial === "object" && initial !== null) diagnostics.push(notSingle(finding, path));
      continue;
    }
    const attribute = resource.attributes.get(path);
    const typed = attribute && typedBy(known.get(path) as Plain, attribute);
    if (attribute && typed === undefined)
      diagnostics.push(invalidType(resource, path, known.get(path) as Plain, attribute));
    if (typed)
      resources.set(resource.address, {
        ...resource,
        attributes: new Map(resource.attributes).set(path, typed),
      });
  }
  return { desired: { ...desired, resources }, diagnostics };
}

/** The attribute as the kind of its default; undefined where it is of another kind. */
function typedBy(initial: Plain, attribute: DesiredAttribute): DesiredAttribute | undefined {
  const { value, range } = attribute;
  if (initial === null || value === null || kindOf(value) === kindOf(initial)) return attribute;
  // What came from the environment, or through a stack, is text.
  if (typeof value !== "string") return undefined;
  if (typeof initial === "boolean" && (value === "true" || value === "false"))
    return { value: value === "true", range };
  return typeof initial === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)
    ? { value: Number(value), range }
    : undefined;
}

const kindWords = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  list: "a list",
  mapping: "a mapping",
} as const;

function kindOf(value: DesiredValue): keyof typeof kindWords {
  if (typeof value === "string" || value instanceof Template) return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return Array.isArray(value) ? "list" : "mapping";
}

const notSingle = ({ address, range }: Diagnostic, path: string): Diagnostic =>
  error("manifest.unsupported", `${path} of ${address} is not a single value`, {
    address,
    ...(range && { range }),
  });

function unknownKey(
  finding: Diagnostic,
  { address }: DesiredResource,
  path: string,
  known: Attributes,
): Diagnostic {
  const { summary, hint: early, range } = finding;
  const isReference = isReferenceFinding(finding);
  const group = path.slice(0, path.indexOf("."));
  const name = path.slice(group.length + 1);
  const fields = [...known.keys()].filter((one) => one.startsWith(`${group}.`));
  const hint = didYouMean(
    name,
    fields.map((one) => one.slice(group.length + 1)),
  );
  return error(
    isReference ? "manifest.reference_unknown" : "manifest.unknown_key",
    summary.replace(/ that this version knows$/, ""),
    {
      address,
      hint:
        hint ??
        (early?.replace(/ ?\(?rnv plan asks the service's catalog\)?$/, "") ||
          "neither this version nor the service's catalog knows it"),
      ...(range && { range }),
    },
  );
}

const invalidType = (
  { address }: DesiredResource,
  path: string,
  initial: Plain,
  { value, range }: DesiredAttribute,
): Diagnostic =>
  error(
    "manifest.invalid_type",
    `${path} of ${address} is ${kindWords[kindOf(initial)]}, found ${kindWords[kindOf(value)]}`,
    {
      address,
      attribute: path,
      range,
      hint: `its default is ${JSON.stringify(initial)}`,
    },
  );
