import { type DriftClass, driftClasses } from "../plan/drift";

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

/** The last run of one target: a member of a fleet, or a stage. */
interface TargetRun {
  readonly labels: Sample["labels"];
  readonly exitCode: number;
  readonly seconds: number;
  readonly isClean: boolean;
  /** Absent where drift was not looked for, or could not be. */
  readonly drift?: Readonly<Record<DriftClass, number>> | undefined;
}

const classHelp: Readonly<Record<DriftClass, string>> = {
  drifted: "Resources that were changed outside rnv.",
  missing: "Resources that were deleted outside rnv.",
  unmanaged: "Resources that are neither declared nor recorded.",
  pending: "Resources whose declaration is not applied yet.",
};

const lastClean = "last_clean_run_timestamp_seconds";

/** Help of the metric whose label `run` is the id of the last run. */
export const runHelp = "The last run: its requests have the ids rnv-RUN-1, rnv-RUN-2.";

/**
 * Renders the last runs of targets, which began `at`, after what else is to be said of them. `previous` is the text of the
 * runs before: the time of the last clean run of a target that is not clean now comes from there.
 */
export function runMetrics(
  prefix: string,
  at: string,
  targets: readonly TargetRun[],
  previous: string,
  more: readonly Gauge[],
): string {
  const began = Math.floor(Date.parse(at) / 1000);
  const before = samplesIn(previous, `${prefix}_${lastClean}`);
  const lastCleanOf = ({ isClean, labels }: TargetRun): number | undefined =>
    isClean ? began : before.get(labelsText(labels));
  const metrics: readonly (readonly [string, string, (of: TargetRun) => number | undefined])[] = [
    ...driftClasses.map((of) => [of, classHelp[of], ({ drift }: TargetRun) => drift?.[of]] as const),
    ["exit_code", "How the last run ended; 0 is clean, 2 is changes or drift.", ({ exitCode }) => exitCode],
    ["run_seconds", "How long the last run took.", ({ seconds }) => seconds],
    ["last_run_timestamp_seconds", "When the last run began, seconds since 1970.", () => began],
    [lastClean, "When the last clean run began, seconds since 1970.", lastCleanOf],
  ];
  const gauges = metrics.map(([name, help, read]) => ({
    name: `${prefix}_${name}`,
    help,
    samples: targets.flatMap((of) => {
      const value = read(of);
      return value === undefined ? [] : [{ labels: of.labels, value }];
    }),
  }));
  return gaugesText([...more, ...gauges]);
}
