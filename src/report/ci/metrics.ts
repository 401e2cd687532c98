import { type DriftClass, driftClasses } from "../../plan/drift";

export type MetricLabels = Readonly<Record<string, string | undefined>>;

/** The last run of one target: a member of a fleet, or a stage. */
interface TargetRun {
  readonly labels: MetricLabels;
  readonly exitCode: number;
  readonly seconds: number;
  /** Absent where drift was not looked for, or could not be. */
  readonly drift?: Readonly<Record<DriftClass, number>> | undefined;
}

/** A metric that goes up and down, in Prometheus' text format, version 0.0.4; a sample without a value is left out. */
export function gaugeText<Sample extends { readonly labels: MetricLabels }>(
  name: string,
  help: string,
  samples: readonly Sample[],
  read: (of: Sample) => number | undefined,
): string {
  const lines = samples.flatMap((of) => {
    const value = read(of);
    return value === undefined ? [] : [`${name}{${labelsText(of.labels)}} ${value}\n`];
  });
  return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

const labelsText = (labels: MetricLabels): string =>
  Object.entries(labels)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${escapeLabel(value)}"`]))
    .join(",");

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const classHelp: Readonly<Record<DriftClass, string>> = {
  drifted: "Resources that were changed outside rnv.",
  missing: "Resources that were deleted outside rnv.",
  unmanaged: "Resources that are neither declared nor recorded.",
  pending: "Resources whose declaration is not applied yet.",
};

/** Renders the last runs of targets, which began `at`. */
export function runMetrics(prefix: string, at: string, targets: readonly TargetRun[]): string {
  const began = Math.floor(Date.parse(at) / 1000);
  const gauge = (name: string, help: string, read: (of: TargetRun) => number | undefined): string =>
    gaugeText(`${prefix}_${name}`, help, targets, read);
  return [
    ...driftClasses.map((one) => gauge(one, classHelp[one], ({ drift }) => drift?.[one])),
    gauge("exit_code", "How the last run ended; 0 is clean, 2 is changes or drift.", (of) => of.exitCode),
    gauge("run_seconds", "How long the last run took.", ({ seconds }) => seconds),
    gauge("last_run_timestamp_seconds", "When the last run began, seconds since 1970.", () => began),
  ].join("");
}
