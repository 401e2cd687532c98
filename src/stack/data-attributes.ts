import { didYouMean } from "../diagnostics/suggest";
import { catalogFields } from "../model/catalog";
import { dataSegments } from "../model/data-source";
import { type Listing, listingNamed } from "../model/listings";
import { snakeCase } from "../model/text";
import type { Value } from "./language/expression-value";
import { StackProblem, unsupported } from "./language/problem";
import { bySnakeCase, type StackType } from "./names";
import { rangeOf, type Scope, type Steps, undeclared } from "./stack";
import { referenceValue } from "./values";

/** `data.rnv_service.api.url`: an attribute of a data source of the same stack. */
export function dataAttribute(terraformType: string, steps: Steps, scope: Scope): Value {
  const { stack, context } = scope;
  const [name, ...path] = steps;
  const label = `${terraformType}.${name}`;
  if (typeof name !== "string" || path.length === 0)
    throw unsupported(`a reference to the data source ${label} as a whole`);
  if (!stack.data.has(label)) throw undeclared(`data.${label}`, label, stack.data.keys(), context);
  const attribute = dataPath(terraformType, path, context.types.get(terraformType));
  const segments = [...dataSegments(stack.name, terraformType, name), ...attribute];
  return referenceValue(segments, scope.source || `data.${steps.join(".")}`, rangeOf(scope));
}

/** `configuration.health_check_path` in rnv's words; `type` is undefined for the catalog and for most listings. */
function dataPath(terraformType: string, steps: Steps, type: StackType | undefined): readonly string[] {
  const listing = listingNamed(terraformType);
  const shown =
    listing !== undefined ? listedNames(listing) : type === undefined ? catalogNames : shownNames(type);
  const [first = "", second, ...others] = steps.map(String);
  const refuse = (name: string, known: Iterable<string>): StackProblem =>
    new StackProblem(
      "stack.reference_unknown",
      `the data source ${terraformType} has no attribute "${name}"`,
      didYouMean(name, known),
    );
  const found = shown.get(first);
  if (found === undefined) throw refuse(first, shown.keys());
  if (second === undefined) return [found];
  const group = type?.groups.get(first);
  if (group === undefined) return [found, second, ...others];
  const field = group.fields.get(second);
  if (field === undefined || field.secret) throw refuse(`${first}.${second}`, []);
  return [...field.path.split("."), ...others];
}

/** Attributes and arguments of a listing, by their names in Terraform. */
const listedNames = ({ query, shows }: Listing): ReadonlyMap<string, string> =>
  bySnakeCase([...Object.keys(query), ...Object.keys(shows)].map((name) => [name, snakeCase(name)]));

const catalogNames = bySnakeCase(catalogFields.map((name) => [name, name]));

/** The attributes that a data source shows: declared and computed, without secrets and those that only rnv reads. */
function shownNames({
  placed,
  attributes,
  groups,
  parents,
  computed,
}: StackType): ReadonlyMap<string, string> {
  const declared = [...attributes].filter(
    ([, { secret, path }]) => !secret && placed.type.rules[path]?.change !== "local",
  );
  return new Map([
    ...declared.map(([key, { path }]) => [key, path] as const),
    ...[...groups].map(([name, { key }]) => [name, key] as const),
    ...[...parents].map(([key, { attribute }]) => [key, attribute] as const),
    ...computed,
  ]);
}
