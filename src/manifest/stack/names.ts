import { didYouMean } from "../../diagnostics/suggest";
import { type Address, addressOf, isLogicalName } from "../../model/address";
import { catalogFields } from "../../model/catalog";
import { catalogDataSource, snakeCase } from "../../model/terraform-name";
import type { PlacedType } from "../type-index";
import { type Program, StackProblem } from "./stack";

/**
 * The address of a Terraform resource: `rnv_service.api` is `service.api`, and `__` stands for a dot, so that
 * `rnv_service.shop__api` is `service.shop.api`, as a manifest would call it. Two names never share an address.
 */
export function addressOfResource(placed: PlacedType, name: string): Address {
  if (!name.includes("__")) return addressOf(placed.type.type, name);
  const segments = name.split("__");
  return addressOf(placed.type.type, ...(segments.every(isLogicalName) ? segments : [name]));
}

/** What has a name and a life of its own can be looked up. */
const isLookedUp = ({ type }: PlacedType): boolean =>
  type.nameAttribute !== undefined && !type.removedWithParent;

/** The resource type that a data source looks up; undefined for the catalog and for what rnv does not read. */
export function lookedUpType(terraformType: string, { types }: Program): PlacedType | undefined {
  const placed = types.get(terraformType);
  return placed !== undefined && isLookedUp(placed) ? placed : undefined;
}

/** The data sources that rnv reads itself. */
export const isDataSource = (terraformType: string, program: Program): boolean =>
  terraformType === catalogDataSource || lookedUpType(terraformType, program) !== undefined;

/** Attributes that a data source is looked up by, by their name in Terraform. */
export function lookupKeys({ type }: PlacedType): ReadonlyMap<string, string> {
  const names = ["id", type.nameAttribute ?? "name", ...type.parents.map(({ attribute }) => attribute)];
  return new Map(names.map((name) => [snakeCase(name), name]));
}

/** `configuration.health_check_path` in the words of a manifest; throws `StackProblem` for what it does not show. */
export function dataAttributeSteps(
  terraformType: string,
  steps: readonly (string | number)[],
  program: Program,
): readonly string[] {
  const placed = lookedUpType(terraformType, program);
  const shown = placed === undefined ? catalogNames : shownNames(placed);
  const [first = "", second, ...others] = steps.map(String);
  const group = placed?.groups.get(shown.get(first) ?? "");
  const found = shown.get(first);
  if (found === undefined) throw unknown(terraformType, first, shown.keys());
  if (second === undefined) return [found];
  if (group === undefined) return [found, second, ...others];
  const field = [...group].find(([key, { secret }]) => !secret && snakeCase(key) === second)?.[0];
  if (field === undefined) throw unknown(terraformType, `${first}.${second}`, []);
  return [found, field, ...others];
}

const unknown = (terraformType: string, name: string, known: Iterable<string>): StackProblem =>
  new StackProblem(
    "manifest.reference_unknown",
    `the data source ${terraformType} has no attribute "${name}"`,
    didYouMean(name, known),
  );

const bySnake = (names: Iterable<string>): ReadonlyMap<string, string> =>
  new Map([...names].map((name) => [snakeCase(name), name]));

const catalogNames = bySnake(catalogFields);

/** All that can be declared and is not for rnv alone, and all that is computed; secrets left out. */
const shownNames = ({ type, attributes, groups }: PlacedType): ReadonlyMap<string, string> =>
  bySnake([
    ...[...attributes.values()]
      .filter(({ secret, path }) => !secret && type.rules[path]?.change !== "local")
      .map(({ path }) => path),
    ...groups.keys(),
    ...type.parents.map(({ attribute }) => attribute),
    ...Object.keys(type.computed),
  ]);
