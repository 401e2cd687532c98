/** One number of a metric, distinguished by its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

/** A metric that goes up and down. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Renders gauges in Prometheus' text format, version 0.0.4. A gauge without samples is left out. */
export const gaugesText = (gauges: readonly Gauge[]): string =>
  gauges
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");

/** Renders labels as they stand behind a name; empty without any. */
export function labelsText(labels: Sample["labels"]): string {
  const written = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escapeLabel(value)}"`],
  );
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** Reads the samples of one metric out of a text that `gaugesText` wrote, by their labels as written. */
export function samplesIn(text: string, name: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (!line.startsWith(name)) continue;
    const [, labels = "", value = ""] = /^(\{.*\})? (\S+)$/.exec(line.slice(name.length)) ?? [];
    if (value !== "" && Number.isFinite(Number(value))) found.set(labels, Number(value));
  }
  return found;
}
