import { generatedName } from "../../model/text";
import { variable } from "../../resources/variable";
import { emptyValue } from "../schema/block";
import { shapeOf } from "../schema/terraform-shape";
import { asObject, type Draft, type TerraformObject, type TerraformValue } from "../values";

/** The type of each variable of a map. */
export const entryType = shapeOf(variable);

/** Returns the elements of a map by key; none where the whole map is null or unknown. */
export const elementsOf = (map: TerraformValue | undefined): TerraformObject => asObject(map) ?? {};

const mapNames = ["ids", "updated_at", "values", "values_wo", generatedName] as const;

/**
 * What each map has of one key, undefined where it does not have the key. Changed outside was what has null in `values`, and
 * what a state has without a time.
 */
export type Row = { readonly [Name in (typeof mapNames)[number]]?: TerraformValue | undefined };

export const rowIn = (whole: TerraformObject, key: string): Row =>
  Object.fromEntries(mapNames.map((name) => [name, elementsOf(whole[name])[key]]));

/** Returns the rows of the variables that exist, by key. */
export const rowsIn = (state: TerraformObject = {}): Map<string, Row> =>
  new Map(
    Object.entries(elementsOf(state.ids))
      .filter(([, id]) => typeof id === "string")
      .map(([key]) => [key, rowIn(state, key)]),
  );

export function withRows(whole: TerraformObject, rows: Iterable<readonly [string, Row]>): TerraformObject {
  const written = ["values", generatedName].filter((name) => (whole[name] ?? null) !== null);
  const maps: Record<string, Draft> = Object.fromEntries(
    ["ids", "updated_at", ...written].map((name) => [name, {}]),
  );
  for (const [key, row] of rows)
    for (const [name, value] of Object.entries(row))
      if (value !== undefined) maps[name] = Object.assign(maps[name] ?? {}, { [key]: value });
  return { ...whole, ...maps };
}

/** Returns a variable of a map as a single resource has it. */
export const variableIn = (whole: TerraformObject, key: string, row: Row): TerraformObject => {
  const { service_id = null, timeouts = null, values_wo_version: version = null } = whole;
  const isShown = row.values !== undefined || row[generatedName] !== undefined;
  return {
    ...emptyValue(entryType),
    ...{ service_id, timeouts, key, id: row.ids ?? null, updated_at: row.updated_at ?? null },
    ...{ value: row.values ?? null, value_wo: row.values_wo ?? null },
    value_wo_version: isShown ? null : version,
    [generatedName]: row[generatedName] ?? null,
  };
};

/** The same of a state: of one that was changed outside, its name and the version of its value are unknown. */
export const recordedIn = (state: TerraformObject, key: string, row: Row): TerraformObject => ({
  ...variableIn(state, key, row),
  ...(row.updated_at === undefined && { key: null, value_wo_version: null }),
});
