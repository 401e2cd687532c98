import { appendFileSync, closeSync } from "node:fs";
import type { PlanRequest } from "../commands/context";
import type { PlanOutcome } from "../commands/plan";
import { reasonOf } from "../model/file-error";
import type { TargetNames } from "../model/target-location";
import type { Plan } from "../plan/plan";
import { savePlan } from "../plan/saved-plan";
import type * as pages from "../report/html/pages";
import { resourceTypes } from "../resources";
import { openForLines, writeWholeFile } from "./files";
import type { Screen } from "./screen";

/** Opens the file of `--json-into`, which is empty at first. `end` returns 1 where it lacks a line. */
export function openJsonLines(file: string | undefined, { terminal }: Screen) {
  if (file === undefined) return { write: () => {}, end: () => 0 };
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
        terminal.note(`Cannot write ${file}: ${reasonOf(cause)}\n`);
      }
    },
    end: (): number => {
      closeSync(descriptor);
      return isBroken ? 1 : 0;
    },
  };
}

export const savedPlanOf = (
  { stage, stack }: TargetNames,
  { files, overridePolicies }: Pick<PlanRequest, "files" | "overridePolicies">,
  plan: Plan,
  { revealed, reviewKey: key }: Pick<PlanOutcome, "revealed" | "reviewKey">,
): string => savePlan(plan, { files, overridePolicies, stage, stack, revealed, key });

/**
 * Writes a page where one is asked for. It holds no secret, and a browser or a server of artefacts runs as another user.
 * `pageOf` gets what makes pages.
 */
export function writePage(
  { terminal }: Screen,
  file: string | undefined,
  pageOf: (make: typeof pages) => string,
): void {
  if (file === undefined) return;
  // Loaded where one is asked for: the document of thousands of changes takes longer than the plan itself.
  const make = require("../report/html/pages") as typeof pages;
  writeWholeFile(file, pageOf(make), { mode: 0o644 });
  terminal.note(`Wrote the page ${file}.\n`);
}

export const scopeOf = ({ stage, stack }: TargetNames) => ({ types: resourceTypes, stage, stack });
