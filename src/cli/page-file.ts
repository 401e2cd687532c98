import { appendFileSync, closeSync } from "node:fs";
import type { PlanRequest } from "../commands/context";
import type { PlanOutcome } from "../commands/plan";
import type { TargetNames } from "../model/target";
import { reasonOf } from "../model/text";
import { planDocument } from "../plan/document";
import type { Plan } from "../plan/plan";
import { savePlan } from "../plan/saved-plan";
import type * as pages from "../report/html/pages";
import { resourceTypes } from "../resources";
import { openForLines, writeWholeFile } from "./files";
import { type Invocation, namesOf } from "./invocation";

export function writeJsonInto(invocation: Invocation, textOf: () => string): void {
  const { jsonInto: file } = invocation.options;
  if (typeof file === "string") writeWholeFile(file, textOf());
}

/** Opens the file of `--json-into`, which is empty at first. `end` returns 1 where it lacks a line. */
export function openJsonLines({ options, terminal }: Invocation) {
  const { jsonInto: file } = options;
  if (typeof file !== "string") return { write: () => {}, end: () => 0 };
  const descriptor = openForLines(file);
  let isBroken = false;
  return {
    write: (line: string): void => {
      if (isBroken) return;
      try {
        appendFileSync(descriptor, `${line}\n`);
      } catch (cause) {
        // What is applied matters more than its protocol.
        isBroken = true;
        terminal.err(`Cannot write ${file}: ${reasonOf(cause)}\n`);
      }
    },
    end: (): number => {
      closeSync(descriptor);
      return isBroken ? 1 : 0;
    },
  };
}

export const savedPlanOf = (
  invocation: Invocation,
  { files, overridePolicies }: PlanRequest,
  plan: Plan,
  { revealed, reviewKey: key }: Pick<PlanOutcome, "revealed" | "reviewKey">,
): string => savePlan(plan, { files, overridePolicies, ...namesOf(invocation), revealed, key });

/**
 * Writes a page where one is asked for, or into `file`. It holds no secret, and a browser or a server of artefacts runs as
 * another user. `pageOf` gets what makes pages, and what each says of its run.
 */
export function writePage(
  invocation: Invocation,
  pageOf: (
    make: typeof pages,
    scope: TargetNames & { readonly types: typeof resourceTypes },
  ) => string | undefined,
  file = invocation.options.html as string | undefined,
): void {
  if (file === undefined) return;
  // Loaded where one is asked for: the document of thousands of changes takes longer than the plan itself.
  const make = require("../report/html/pages") as typeof pages;
  const text = pageOf(make, { types: resourceTypes, ...namesOf(invocation) });
  if (text === undefined) return;
  writeWholeFile(file, text, { mode: 0o644 });
  invocation.terminal.err(`Wrote the page ${file}.\n`);
}

export const writePlanPage = (
  invocation: Invocation,
  plan: Plan,
  { file, job }: { readonly file?: string; readonly job?: pages.PageScope["job"] } = {},
): void => writePage(invocation, (make, scope) => make.planPage(planDocument(plan), { ...scope, job }), file);
