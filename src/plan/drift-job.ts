import type { Diagnostic } from "../diagnostics/diagnostic";
import { countOf, type DriftClass, type DriftReport, driftClasses, hasDriftLeft } from "./drift";

/** The findings of a drift job in one stage, or in one stack of it. */
export interface StageDrift {
  /** `production`, `preview/12`; absent for what has no stages. */
  readonly stage?: string | undefined;
  readonly stack?: string | undefined;
  /** 32 hex digits; absent where the service was not asked. */
  readonly runId?: string | undefined;
  /** DESIGN section 8. */
  readonly exitCode: number;
  readonly seconds: number;
  /** Absent where the stage could not be read to its end. */
  readonly report?: DriftReport;
  /** Ids of the recorded resources; absent with the report. */
  readonly recordedIds?: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
  /** Texts that the diagnostics point into. */
  readonly sources: ReadonlyMap<string, string>;
}

/** A drift job over one stage or many (DESIGN section 15). */
export interface DriftJob {
  /** Path of the manifest from the root of its repository. */
  readonly manifest: string;
  /** When it began, ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  readonly commit?: string | undefined;
  /** Address of the page of the job. */
  readonly page?: string | undefined;
  readonly stages: readonly StageDrift[];
  /** The most telling of its stages. */
  readonly exitCode: number;
}

/** How a stage, or a whole job, stands. */
export type DriftStatus = "clean" | "drift" | "expired" | "error" | "interrupted";

/** Returns how a stage or a job ended. Only an acceptance that has expired leaves a whole report behind an error. */
export function statusOf({ exitCode, report }: Pick<StageDrift, "exitCode" | "report">): DriftStatus {
  if (exitCode === 0) return "clean";
  if (exitCode === 2) return "drift";
  if (exitCode === 130) return "interrupted";
  return report === undefined ? "error" : "expired";
}

/** The name of a stage or a stack of it in a list: `production`, `production/api`; empty where there is but one. */
export const nameOfStage = ({ stage, stack }: Pick<StageDrift, "stage" | "stack">): string =>
  [stage, stack].filter((part) => part !== undefined).join(" ");

/**
 * Returns stages of one job without what another of them records: in a workspace that stages share, it is managed. What
 * is left decides how a stage ended.
 */
export function withoutOthers(stages: readonly StageDrift[]): readonly StageDrift[] {
  return stages.map((one) => {
    const { report, exitCode } = one;
    const isOthers = (id: string): boolean =>
      stages.some(({ recordedIds }) => recordedIds !== one.recordedIds && recordedIds?.has(id) === true);
    const unmanaged = report?.unmanaged.filter(({ id }) => !isOthers(id));
    if (!report || unmanaged === undefined || unmanaged.length === report.unmanaged.length) return one;
    const left = { ...report, unmanaged };
    const hasDrift = hasDriftLeft(left);
    const clean = report.expired === undefined ? 0 : 1;
    return {
      ...one,
      report: { ...left, hasDrift },
      exitCode: exitCode === 2 && !hasDrift ? clean : exitCode,
    };
  });
}

/** How many of each class a stage has; undefined where that is not known. */
export const countsOfStage = ({ report }: StageDrift): Readonly<Record<DriftClass, number>> | undefined =>
  report &&
  (Object.fromEntries(driftClasses.map((one) => [one, countOf(report, one)])) as Record<DriftClass, number>);
