import { appendFileSync } from "node:fs";
import type { DriftOutcome } from "../commands/drift";
import { failure } from "../diagnostics/diagnostic";
import { stageText } from "../model/stage";
import type { State } from "../model/state";
import { reasonOf } from "../model/text";
import { planDocument } from "../plan/document";
import type { Plan } from "../plan/plan";
import type { SavedPlan } from "../plan/saved-plan";
import type { FleetReport } from "../report/fleet-report";
import type * as drifts from "../report/html/drift-page";
import type * as fleets from "../report/html/fleet-page";
import type * as plans from "../report/html/plan-page";
import type * as states from "../report/html/state-page";
import { resourceTypes } from "../resources";
import { writeWholeFile } from "./files";
import type { Invocation } from "./invocation";

type Sources = ReadonlyMap<string, string>;

/** The file of `--html`; undefined where none is asked for. One page cannot serve several stacks. */
export const pageFileOf = (invocation: Invocation): string | undefined =>
  fileOf(invocation, "html", "--html writes the page of one stack, and several are read");

/** The file of `--json-into`; undefined where none is asked for. */
export const jsonFileOf = (invocation: Invocation): string | undefined =>
  fileOf(invocation, "jsonInto", "--json-into writes the JSON of one stack, and several are read");

function fileOf({ options, stack }: Invocation, name: string, problem: string): string | undefined {
  const file = options[name];
  if (typeof file !== "string") return undefined;
  if (stack?.sharesRun !== true) return file;
  throw failure("command.usage", problem, { hint: "name one of them" });
}

/** Writes the text that `--json` prints into the file of `--json-into`. */
export function writeJsonInto(invocation: Invocation, textOf: () => string): void {
  const file = jsonFileOf(invocation);
  if (file !== undefined) writeWholeFile(file, textOf());
}

/** Returns a function that adds a line to the file of `--json-into`, which is empty at first. */
export function openJsonLines(invocation: Invocation): ((line: string) => void) | undefined {
  const file = jsonFileOf(invocation);
  if (file === undefined) return undefined;
  writeWholeFile(file, "");
  let isBroken = false;
  return (line) => {
    if (isBroken) return;
    try {
      appendFileSync(file, `${line}\n`);
    } catch (cause) {
      // What is applied matters more than its protocol.
      isBroken = true;
      invocation.terminal.err(`Cannot write ${file}: ${reasonOf(cause)}\n`);
    }
  };
}

/** Writes a page where one is asked for. It holds no secret, and a browser or a server of artefacts runs as another user. */
function writePage(invocation: Invocation, page: () => string | undefined): void {
  const file = pageFileOf(invocation);
  const text = file === undefined ? undefined : page();
  if (file === undefined || text === undefined) return;
  writeWholeFile(file, text, { mode: 0o644 });
  invocation.terminal.err(`Wrote the page ${file}.\n`);
}

// What makes pages is loaded where one is asked for: the document of thousands of changes takes longer than the plan itself.
const planPages = () => require("../report/html/plan-page") as typeof plans;
const driftPages = () => require("../report/html/drift-page") as typeof drifts;
const statePages = () => require("../report/html/state-page") as typeof states;
const fleetPages = () => require("../report/html/fleet-page") as typeof fleets;

/** Writes the page of a plan, with the job that made it. */
export const writePlanPage = (
  invocation: Invocation,
  plan: Plan,
  sources: Sources,
  job?: plans.ReportScope["job"],
): void =>
  writePage(invocation, () =>
    planPages().planPage(planDocument(plan, new Map(), sources), { ...scopeOf(invocation), job }),
  );

/** Writes the page of a saved plan, with the bytes that it had when the plan was made. */
export const writeSavedPage = (invocation: Invocation, { plan, request }: SavedPlan): void =>
  writePage(invocation, () =>
    planPages().planPage(plan, { types: resourceTypes, stage: request.stage, stack: request.stack }),
  );

/** Writes the page of a drift report that is whole. */
export function writeDriftPage(invocation: Invocation, outcome: DriftOutcome): void {
  const { report, plan, diagnostics, sources } = outcome;
  const scope = { ...scopeOf(invocation), diagnostics, sources };
  writePage(invocation, () => report && plan && driftPages().driftPage(report, { ...scope, plan }));
}

/** Writes the page of a state. */
export const writeStatePage = (invocation: Invocation, state: State): void =>
  writePage(invocation, () => statePages().statePage(state, scopeOf(invocation)));

/** Writes the page of a fleet's report. */
export const writeFleetPage = (invocation: Invocation, report: FleetReport): void =>
  writePage(invocation, () => fleetPages().fleetPage(report));

const scopeOf = ({ stage, stack }: Invocation) => ({
  types: resourceTypes,
  stage: stage ? stageText(stage) : undefined,
  stack: stack?.name,
});
