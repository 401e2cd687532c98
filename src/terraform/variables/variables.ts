import { generatedName } from "../../model/text";
import { variable } from "../../resources/variable";
import { shapeOf } from "../schema/terraform-shape";
import { asObject, isUnknown, type TerraformObject, type TerraformValue } from "../values";

/** The type that each entry of the map is: all it does, the map does. */
export const entryType = shapeOf(variable);

/** A variable of a map, as a state has it. */
export interface Entry {
  readonly id: string;
  /** ISO 8601; empty where the service tells none. Undefined where a write-only value was changed outside. */
  readonly updatedAt: string | undefined;
  /** The text of its value, the version of a write-only one, the length of a generated one. Null: changed outside. */
  readonly source: TerraformValue;
}

export type Entries = ReadonlyMap<string, Entry>;

/** Returns the elements of a map by key; none where the whole map is null or unknown. */
export const elementsOf = (map: TerraformValue | undefined): TerraformObject => asObject(map) ?? {};

/** Returns the variables that a state has, by key. */
export function entriesIn(state: TerraformObject | undefined): Map<string, Entry> {
  const sources = { ...elementsOf(state?.[generatedName]), ...elementsOf(state?.values) };
  const times = elementsOf(state?.updated_at);
  const ids = Object.entries(elementsOf(state?.ids)).filter(
    (one): one is [string, string] => typeof one[1] === "string",
  );
  return new Map(
    ids.map(([key, id]) => {
      const updatedAt = times[key];
      const source = (key in sources ? sources[key] : state?.values_wo_version) ?? null;
      return [key, { id, source, updatedAt: typeof updatedAt === "string" ? updatedAt : undefined }];
    }),
  );
}

/** Returns a state with exactly these variables. */
export function withEntries(state: TerraformObject, entries: Entries): TerraformObject {
  const { values = null, [generatedName]: generated = null } = state;
  const among = (map: TerraformValue, sourceOf: (entry: Entry) => TerraformValue): TerraformValue =>
    map &&
    Object.fromEntries(
      [...entries].filter(([key]) => key in elementsOf(map)).map(([key, entry]) => [key, sourceOf(entry)]),
    );
  const times = [...entries].flatMap(([key, { updatedAt }]) =>
    updatedAt === undefined ? [] : [[key, updatedAt]],
  );
  return {
    ...state,
    ids: Object.fromEntries([...entries].map(([key, { id }]) => [key, id])),
    updated_at: Object.fromEntries(times),
    values: among(values, ({ source }) => (typeof source === "string" ? source : null)),
    [generatedName]: among(generated, ({ source }) => asObject(source) ?? null),
  };
}

/** Returns true if `ignore_changes` withholds the write-only values: they are in the configuration alone. */
const isWithheld = ({
  values = null,
  values_wo: writeOnly = null,
  values_wo_version: version = null,
}: TerraformObject) => values === null && writeOnly === null && version !== null;

/** The variables that a configuration declares. */
export interface Declared {
  /** The source of each value by key, as in an entry; undefined where the keys are unknown. */
  readonly sources: ReadonlyMap<string, TerraformValue> | undefined;
  /** Keys whose value only the configuration has, and does not show: it stays as it is. */
  readonly withheld: ReadonlySet<string>;
}

/** Returns what a configuration declares; undefined where no map is written. `before` is the state of the same map. */
export function declaredIn(
  config: TerraformObject,
  before: TerraformObject | undefined,
): Declared | undefined {
  const { values = null, values_wo: writeOnly = null, values_wo_version: version = null } = config;
  const generated = config[generatedName] ?? null;
  const entries = entriesIn(before);
  const own = [...entries.keys()].filter((key) => !(key in elementsOf(before?.[generatedName])));
  const withheld = new Set(isWithheld(config) ? own : []);
  const maps = [values, writeOnly, generated].filter((map) => map !== null);
  const isUnclear = isWithheld(config) && before === undefined;
  if (isUnclear || maps.some((map) => isUnknown(map))) return { sources: undefined, withheld };
  if (maps.length === 0 && withheld.size === 0) return undefined;
  const sources = new Map([
    ...[...withheld, ...Object.keys(elementsOf(writeOnly))].map((key) => [key, version] as const),
    ...Object.entries(elementsOf(values)),
    ...Object.entries(elementsOf(generated)),
  ]);
  return { sources, withheld };
}
