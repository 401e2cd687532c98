import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredAttribute, DesiredData } from "../model/desired";
import type { LiveResource } from "../model/live";
import type { Reference } from "../model/reference";
import { Secret } from "../model/secret";
import { type DesiredValue, type Plain, Template } from "../model/value";

/** A data source with what a plan has to know of it once its values are filled in. */
export interface DataUse {
  readonly source: DesiredData;
  /** Resources that need its values, also by way of other data sources. */
  readonly usedBy: ReadonlySet<Address>;
  /** Why it, or a value of it, cannot be used. */
  readonly problems: readonly Diagnostic[];
  /** What it found, unless it is the catalog. */
  readonly found?: LiveResource;
}

type Reads = ReadonlyMap<Address, DataRead>;
type Report = (address: Address, problem: Diagnostic) => void;

/** The desired state with the values of data sources in place of references to them, as far as they were found. */
export function fillData(
  desired: Desired,
  reads: Reads,
): { readonly desired: Desired; readonly uses: readonly DataUse[] } {
  if (desired.data.size === 0) return { desired, uses: [] };
  const problems = new Map<Address, Diagnostic[]>();
  const report: Report = (address, problem) => {
    problems.set(address, [...(problems.get(address) ?? []), problem]);
  };
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
      ...(read?.kind === "found" && read.live && { found: read.live }),
    };
  });
  return { desired: { ...desired, resources, outputs }, uses };
}

/** An attribute whose value turns out to be null counts as left out, as Terraform has it. */
function fillAttributes(
  address: Address,
  attributes: ReadonlyMap<string, DesiredAttribute>,
  reads: Reads,
  report: Report,
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
  value instanceof Template ? value.references.filter(({ address }) => isDataAddress(address)) : [];

interface Spot {
  readonly address?: Address;
  readonly attribute: string;
  /** An output may hold any value; an attribute holds text. */
  readonly isOutput: boolean;
}

function fillValue(
  { value, range }: DesiredAttribute,
  spot: Spot,
  reads: Reads,
  report: Report,
): DesiredValue | undefined {
  if (!(value instanceof Template) || dataReferences(value).length === 0) return value;
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

const isReference = (part: string | Secret | Reference): part is Reference =>
  typeof part === "object" && !(part instanceof Secret);

const isData = (part: string | Secret | Reference): part is Reference =>
  isReference(part) && isDataAddress(part.address);

/** Stands for what was not found: the data source itself says why. */
const notThere = Symbol("not there");

function foundValue({ address, attribute }: Reference, reads: Reads): Plain | undefined | typeof notThere {
  const read = reads.get(address);
  return read?.kind === "found" ? dataValue(read.values, attribute) : notThere;
}

function unusable(
  { address, attribute }: Reference,
  found: Plain | undefined,
  where: Pick<Diagnostic, "address" | "attribute" | "range">,
): Diagnostic {
  const names = address.split(".").slice(-2);
  const what = `data.${names.join(".")}.${attribute}`;
  const why =
    found === null ? "has no value now" : found === undefined ? "is not there" : "is not a single value";
  return error("plan.data_unusable", `${what} ${why}`, where);
}

/** Which resources need a data source, directly or through others. */
function usersOf({ resources, data }: Desired): (address: Address) => ReadonlySet<Address> {
  const users = new Map<Address, Set<Address>>();
  const add = (on: Address, user: Address): void => {
    users.set(on, (users.get(on) ?? new Set<Address>()).add(user));
  };
  for (const { address, attributes } of resources.values())
    for (const { value } of attributes.values())
      for (const reference of dataReferences(value)) add(reference.address, address);
  for (const { address, query } of data.values())
    for (const { value } of query.values())
      for (const reference of dataReferences(value)) add(reference.address, address);
  return (address) => {
    const reached = new Set(users.get(address));
    for (const user of reached) for (const further of users.get(user) ?? []) reached.add(further);
    return reached;
  };
}
