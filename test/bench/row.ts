import { median, type Pairs, ratiosOf } from "./measure";

/** One line of the table. */
export interface Row {
  readonly name: string;
  /** The two measures of a ratio, or the measure. */
  readonly measured: string;
  /** The figure that counts: a median. */
  readonly value: number;
  readonly unit: "x" | "MB" | "ms" | "%" | "requests";
  /** The value is to be at most, or at least, this; undefined where it is only told. */
  readonly target?: { readonly kind: "at most" | "at least"; readonly value: number };
  /** Pairs, or runs where nothing is compared. */
  readonly count: number;
  readonly min: number;
  readonly max: number;
  /** Medians behind the figure, in milliseconds. */
  readonly medians?: Readonly<Record<string, number>>;
}

/** True if the target is met; undefined without a target. */
export function isMet({ value, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  return target.kind === "at most" ? value <= target.value : value >= target.value;
}

/** The rows as a table in Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { target: wanted } = row;
    const target = wanted ? `${wanted.kind === "at most" ? "≤" : "≥"} ${shown(wanted.value, row.unit)}` : "";
    const met = { true: "yes", false: "**no**", undefined: "" }[`${isMet(row)}`];
    const range = row.count > 1 ? ` [${shown(row.min, row.unit)}–${shown(row.max, row.unit)}]` : "";
    const medians = Object.entries(row.medians ?? {}).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
    return `| ${row.name} | ${row.measured} | ${shown(row.value, row.unit)}${range} | ${target} | ${met} | ${row.count} | ${medians.join(", ")} |`;
  });
  return [
    "| | measured | median [range] | target | met | n | medians |",
    "|---|---|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

function shown(value: number, unit: Row["unit"]): string {
  if (unit === "x") return value.toFixed(2);
  if (unit === "requests") return `${value}`;
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}`;
}

export const atMost = (value: number) => ({ kind: "at most" as const, value });
export const atLeast = (value: number) => ({ kind: "at least" as const, value });

/** A target for each major version of Node that has one. */
export type ByNode = Readonly<Record<number, number>>;

export function onThisNode(targets: ByNode): Row["target"] {
  const target = targets[Number.parseInt(process.versions.node, 10)];
  return target === undefined ? undefined : atMost(target);
}

export const ratioRow = (
  name: string,
  measured: string,
  { a, b, ratios }: Pairs,
  target: Row["target"],
  names: readonly [string, string],
): Row => ({
  name,
  measured,
  value: median(ratios),
  unit: "x",
  target,
  count: ratios.length,
  min: Math.min(...ratios),
  max: Math.max(...ratios),
  medians: { [names[0]]: median(a), [names[1]]: median(b) },
});

export const valuesRow = (
  name: string,
  measured: string,
  values: readonly number[],
  unit: Row["unit"],
  target: Row["target"],
  medians?: Row["medians"],
): Row => ({
  ...{ name, measured, unit, target, medians },
  value: median(values),
  count: values.length,
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Times beside the time that the requests alone would take. */
export const idealRow = (
  name: string,
  times: readonly number[],
  ideal: number,
  target?: Row["target"],
): Row => {
  const b = times.map(() => ideal);
  return ratioRow(name, "ideal", { a: times, b, ratios: ratiosOf(times, b) }, target, ["rnv", "ideal"]);
};
