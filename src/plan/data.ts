import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import { append } from "../model/collections";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredAttribute, DesiredData, DesiredResource } from "../model/desired";
import { reachable } from "../model/graph-walk";
import type { LiveResource } from "../model/live";
import type { ResourceType } from "../model/resource-type";
import { Secret } from "../model/secret";
import {
  type Attributes,
  Computed,
  type DesiredValue,
  isReference,
  type Plain,
  type Reference,
  referencesOf,
  Template,
  UnreadSecret,
} from "../model/value";

export interface DataUse {
  readonly source: DesiredData;
  /** Resources that need its values, also by way of other data sources. */
  readonly usedBy: ReadonlySet<Address>;
  readonly problems: readonly Diagnostic[];
  /** The resource it found, unless it is the catalog. */
  readonly found?: LiveResource;
}

type DataReads = ReadonlyMap<Address, DataRead>;
type ReportProblem = (address: Address, problem: Diagnostic) => void;

/** Returns the desired state with the values of data sources in place of references to them, as far as they were found. */
export function fillData(
  desired: Desired,
  reads: DataReads,
): { readonly desired: Desired; readonly uses: readonly DataUse[] } {
  if (desired.data.size === 0) return { desired, uses: [] };
  const problems = new Map<Address, Diagnostic[]>();
  const report: ReportProblem = (address, problem) => append(problems, address, problem);
  const resources = new Map(
    [...desired.resources].map(([address, resource]) => {
      const attributes = fillAttributes(address, resource.attributes, reads, report);
      return [address, attributes === resource.attributes ? resource : { ...resource, attributes }];
    }),
  );
  const outputs = new Map(
    [...desired.outputs].map(([name, output]) => {
      const spot = { attribute: `outputs.${name}`, isOutput: true };
      return [name, { ...output, value: fillValue(output, spot, reads, report) ?? null }];
    }),
  );
  const users = usersOf(desired);
  const uses = [...desired.data.values()].map((source): DataUse => {
    const read = reads.get(source.address);
    const failure = read?.kind === "failed" ? read.diagnostic : undefined;
    return {
      source,
      usedBy: users(source.address),
      problems: [...(failure ? [failure] : []), ...(problems.get(source.address) ?? [])],
      found: read?.kind === "found" ? read.live : undefined,
    };
  });
  return { desired: { ...desired, resources, outputs }, uses };
}

/** An attribute whose value turns out to be null counts as left out, as Terraform has it. */
function fillAttributes(
  address: Address,
  attributes: ReadonlyMap<string, DesiredAttribute>,
  reads: DataReads,
  report: ReportProblem,
): ReadonlyMap<string, DesiredAttribute> {
  if (![...attributes.values()].some(({ value }) => dataReferences(value).length > 0)) return attributes;
  const filled = new Map<string, DesiredAttribute>();
  for (const [path, attribute] of attributes) {
    const value = fillValue(attribute, { address, attribute: path, isOutput: false }, reads, report);
    if (value !== undefined) filled.set(path, { ...attribute, value });
  }
  return filled;
}

const dataReferences = (value: DesiredValue): readonly Reference[] =>
  value instanceof UnreadSecret ? [] : referencesOf(value).filter(({ address }) => isDataAddress(address));

function fillValue(
  { value, range }: DesiredAttribute,
  spot: Pick<Diagnostic, "address" | "attribute"> & { readonly isOutput: boolean },
  reads: DataReads,
  report: ReportProblem,
): DesiredValue | undefined {
  if (dataReferences(value).length === 0) return value;
  if (value instanceof Computed) return fillComputed(value, reads);
  if (!(value instanceof Template)) return value;
  const isWhole = value.parts.length === 1 && !value.secret;
  const parts: (string | Secret | Reference)[] = [];
  for (const part of value.parts) {
    const found = isData(part) ? foundValue(part, reads) : undefined;
    if (!isData(part) || found === notThere) {
      parts.push(part);
      continue;
    }
    if (isWhole && found === null) return spot.isOutput ? null : undefined;
    if (isWhole && found !== undefined && spot.isOutput) return found;
    if (found === undefined || found === null || typeof found === "object") {
      const { isOutput: _isOutput, ...where } = spot;
      report(part.address, unusable(part, found, { ...where, range: part.range ?? range }));
      parts.push(part);
    } else parts.push(value.secret ? new Secret(String(found)) : String(found));
  }
  if (parts.some(isReference)) return new Template(parts, value.secret);
  return value.secret ? Secret.join(parts as Secret[]) : parts.join("");
}

/** Returns a value with the data in place of its references; the functions report values that they do not accept. */
function fillComputed(value: Computed, reads: DataReads): DesiredValue {
  const found = value.references.map((one) => (isData(one) ? foundValue(one, reads) : notThere));
  const unfilled = value.references.filter((_, i) => found[i] === notThere);
  const compute = (values: readonly Plain[]): Plain | Secret => {
    const rest = values.values();
    return value.compute(found.map((one) => (one === notThere ? rest.next().value : one) ?? null));
  };
  return unfilled.length === 0
    ? compute([])
    : new Computed(unfilled, value.secret, compute, value.environmentTexts);
}

const isData = (part: string | Secret | Reference): part is Reference =>
  isReference(part) && isDataAddress(part.address);

const notThere = Symbol("not there");

function foundValue(
  { address, attribute }: Reference,
  reads: DataReads,
): Plain | undefined | typeof notThere {
  const read = reads.get(address);
  return read?.kind === "found" ? dataValue(read.values, attribute) : notThere;
}

function unusable(
  { address, attribute }: Reference,
  found: Plain | undefined,
  where: Pick<Diagnostic, "address" | "attribute" | "range">,
): Diagnostic {
  const what = `data.${address.split(".").slice(-2).join(".")}.${attribute}`;
  const why =
    found === null ? "has no value now" : found === undefined ? "is not there" : "is not a single value";
  return error("plan.data_unusable", `${what} ${why}`, where);
}

function usersOf({ resources, data }: Desired): (address: Address) => ReadonlySet<Address> {
  const users = new Map<Address, Address[]>();
  const add = (user: Address, values: readonly DesiredValue[]): void => {
    for (const { address } of values.flatMap(dataReferences))
      if (address !== user) append(users, address, user);
  };
  const valuesOf = (fields: ReadonlyMap<string, DesiredAttribute>) =>
    [...fields.values()].map(({ value }) => value);
  for (const { address, attributes } of resources.values()) add(address, valuesOf(attributes));
  for (const { address, query } of data.values()) add(address, valuesOf(query));
  return (address) => reachable(users.get(address) ?? [], (user) => users.get(user) ?? []);
}

export const isOpenFieldFinding = (finding: Diagnostic): boolean =>
  finding.code === "manifest.unknown_field" || isReferenceFinding(finding);

/** Returns whether a finding is about a reference to such a field, which may be declared or not. */
const isReferenceFinding = ({ code, severity }: Diagnostic): boolean =>
  code === "manifest.reference_unknown" && severity === "warning";

/**
 * Decides the declared fields that this version does not know (`findings`). The catalog's defaults give the type of those
 * that they name; all others are unknown keys.
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
    const { address = "", attribute: path } = finding;
    const resource = resources.get(address as Address);
    const known = resource && defaults.get(resource.type);
    if (!resource || !known || path === undefined) continue;
    if (!known.has(path)) {
      diagnostics.push(unknownKey(finding, resource, path, known));
      continue;
    }
    const initial = known.get(path) as Plain;
    if (isReferenceFinding(finding)) {
      if (typeof initial === "object" && initial !== null) diagnostics.push(notSingle(finding, path));
      continue;
    }
    const attribute = resource.attributes.get(path);
    if (attribute === undefined) continue;
    const typed = typedBy(initial, attribute);
    const attributes = typed && new Map(resource.attributes).set(path, typed);
    if (attributes) resources.set(resource.address, { ...resource, attributes });
    else diagnostics.push(invalidType(resource, path, initial, attribute));
  }
  return { desired: { ...desired, resources }, diagnostics };
}

/** Returns the attribute as the kind of its default; undefined where it is of another kind. */
function typedBy(initial: Plain, attribute: DesiredAttribute): DesiredAttribute | undefined {
  const { value, range } = attribute;
  if (initial === null || value === null || kindOf(value) === kindOf(initial)) return attribute;
  if (typeof value !== "string") return undefined;
  if (typeof initial === "boolean" && (value === "true" || value === "false"))
    return { value: value === "true", range };
  return typeof initial === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)
    ? { value: Number(value), range }
    : undefined;
}

function kindOf(value: DesiredValue): string {
  if (typeof value === "string" || value instanceof Template || value instanceof Computed) return "text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return "true or false";
  return Array.isArray(value) ? "a list" : "a mapping";
}

const notSingle = ({ address, range }: Diagnostic, path: string): Diagnostic =>
  error("manifest.unsupported", `${address}: ${path} is not a single value`, { address, range });

function unknownKey(
  finding: Diagnostic,
  { address }: DesiredResource,
  path: string,
  known: Attributes,
): Diagnostic {
  const { range } = finding;
  const code = isReferenceFinding(finding) ? "manifest.reference_unknown" : "manifest.unknown_key";
  const summary = finding.summary.replace(/ that this version knows$/, "");
  const early = finding.hint?.replace(/ ?\(?rnv plan asks the platform's catalog\)?$/, "");
  const group = path.slice(0, path.indexOf(".") + 1);
  const fields = [...known.keys()].filter((one) => one.startsWith(group));
  const names = fields.map((one) => one.slice(group.length));
  const near = didYouMean(path.slice(group.length), names);
  const hint = near ?? (early || "neither this version nor the platform's catalog knows it");
  return error(code, summary, { address, hint, range });
}

function invalidType(
  { address }: DesiredResource,
  attribute: string,
  initial: Plain,
  { value, range }: DesiredAttribute,
): Diagnostic {
  const summary = `${address}: ${attribute} must be ${kindOf(initial)}, not ${kindOf(value)}`;
  const hint = `its default is ${JSON.stringify(initial)}`;
  return error("manifest.invalid_type", summary, { address, attribute, range, hint });
}
