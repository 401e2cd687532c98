import { type DriftClass, driftClasses } from "../../plan/drift";

type MetricLabels = Readonly<Record<string, string | undefined>>;

/** A metric that goes up and down; a sample without a value is left out. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: MetricLabels; readonly value: number | undefined }[];
}

/** The last run of one target: a member of a fleet, or a stage. */
interface TargetRun {
  readonly labels: MetricLabels;
  readonly exitCode: number;
  readonly seconds: number;
  /** Absent where drift was not looked for, or could not be. */
  readonly drift?: Readonly<Record<DriftClass, number>> | undefined;
}

/** One gauge in Prometheus' text format, version 0.0.4. */
function gaugeText({ name, help, samples }: Gauge): string {
  const lines = samples.flatMap(({ labels, value }) =>
    value === undefined ? [] : [`${name}{${labelsText(labels)}} ${value}\n`],
  );
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

/** Renders the last runs of targets, which began `at`, after `more` gauges. */
export function runMetrics(
  prefix: string,
  at: string,
  targets: readonly TargetRun[],
  more: readonly Gauge[],
): string {
  const began = Math.floor(Date.parse(at) / 1000);
  const gauge = (name: string, help: string, read: (of: TargetRun) => number | undefined): Gauge => ({
    name: `${prefix}_${name}`,
    help,
    samples: targets.map((of) => ({ labels: of.labels, value: read(of) })),
  });
  const gauges = [
    ...driftClasses.map((one) => gauge(one, classHelp[one], ({ drift }) => drift?.[one])),
    gauge("exit_code", "How the last run ended; 0 is clean, 2 is changes or drift.", (of) => of.exitCode),
    gauge("run_seconds", "How long the last run took.", ({ seconds }) => seconds),
    gauge("last_run_timestamp_seconds", "When the last run began, seconds since 1970.", () => began),
  ];
  return [...more, ...gauges].map(gaugeText).join("");
}
