import type { DriftOutcome } from "../commands/drift";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { stageText } from "../model/stage";
import type { State } from "../model/state";
import { planDocument } from "../plan/document";
import type { Plan } from "../plan/plan";
import type { SavedPlan } from "../plan/saved-plan";
import type { FleetReport } from "../report/fleet-report";
import type * as driftPages from "../report/html/drift-page";
import type * as fleetPages from "../report/html/fleet-page";
import type * as planPages from "../report/html/plan-page";
import type * as statePages from "../report/html/state-page";
import { resourceTypes } from "../resources";
import { writeWholeFile } from "./files";
import type { Invocation } from "./invocation";

type Sources = ReadonlyMap<string, string>;

/** The file of `--html`; undefined where none is asked for. One page cannot serve several stacks. */
export function pageFileOf({ options, stack }: Invocation): string | undefined {
  if (typeof options.html !== "string") return undefined;
  if (stack?.sharesRun !== true) return options.html;
  throw new DiagnosticsError([
    error("command.usage", "--html writes the page of one stack, and several are read", {
      hint: "name one of them",
    }),
  ]);
}

// What makes pages is loaded, and run, where one is asked for: the document of thousands takes longer than the plan itself.

/** Writes the page of a plan, with the job that made it. */
export const writePlanPage = (
  invocation: Invocation,
  plan: Plan,
  sources: Sources,
  job?: planPages.ReportScope["job"],
): void =>
  write(invocation, () =>
    planPageOf(planDocument(plan, new Map(), sources), { ...scopeOf(invocation), job }),
  );

/** Writes the page of a saved plan, with the bytes that it had when the plan was made. */
export const writeSavedPage = (invocation: Invocation, { plan, request }: SavedPlan): void =>
  write(invocation, () =>
    planPageOf(plan, { types: resourceTypes, stage: request.stage, stack: request.stack }),
  );

const planPageOf: typeof planPages.planPage = (document, scope) =>
  (require("../report/html/plan-page") as typeof planPages).planPage(document, scope);

/** Writes the page of a drift report that is whole. */
export function writeDriftPage(invocation: Invocation, outcome: DriftOutcome): void {
  const { report, plan, diagnostics, sources } = outcome;
  if (!report || !plan) return;
  write(invocation, () => {
    const { driftPage } = require("../report/html/drift-page") as typeof driftPages;
    return driftPage(report, { ...scopeOf(invocation), diagnostics, sources, plan });
  });
}

/** Writes the page of a state. */
export const writeStatePage = (invocation: Invocation, state: State): void =>
  write(invocation, () =>
    (require("../report/html/state-page") as typeof statePages).statePage(state, scopeOf(invocation)),
  );

/** Writes the page of a fleet's report. */
export const writeFleetPage = (invocation: Invocation, report: FleetReport): void =>
  write(invocation, () => (require("../report/html/fleet-page") as typeof fleetPages).fleetPage(report));

const scopeOf = ({ stage, stack }: Invocation) => ({
  types: resourceTypes,
  stage: stage ? stageText(stage) : undefined,
  stack: stack?.name,
});

/** Writes a page where one is asked for. It holds no secret, and a browser or a server of artefacts runs as another user. */
function write(invocation: Invocation, pageOf: () => string | undefined): void {
  const file = pageFileOf(invocation);
  if (file === undefined) return;
  writeWholeFile(file, pageOf() ?? "", { mode: 0o644 });
  invocation.terminal.err(`Wrote the page ${file}.\n`);
}
