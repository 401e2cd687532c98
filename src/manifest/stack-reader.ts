import type { Diagnostic } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import type { Address } from "../model/address";
import type { SourceNode } from "./source-tree";
import type { Program, Site, Stack, StackResource } from "./stack";
import type { Json } from "./stack-document";
import { problemAt, StackProblem } from "./stack-problem";
import { readJson } from "./stack-values";

/** `shop/api (rnv_service.api)`, or the name alone in JSON that no construct wrote. */
export function ownerOf({ terraformType, name, constructPath }: StackResource): string {
  const terraform = `${terraformType}.${name}`;
  return constructPath === undefined ? terraform : `${constructPath} (${terraform})`;
}

/** Reads values of one resource and reports what stops them. */
export interface Reader {
  readonly read: (value: Json, place: Site["place"]) => SourceNode | undefined;
  readonly refuse: (problem: StackProblem, range: SourceRange) => void;
  /** Reports what keeps nothing from being read. */
  readonly note: (finding: Diagnostic) => void;
}

const notBusy: Site["busy"] = new Set();

export function readerOf(stack: Stack, program: Program, owner: string, address?: Address): Reader {
  const refuse = (problem: StackProblem, range: SourceRange): void =>
    program.report(problemAt(problem, owner, range, address));
  return {
    refuse,
    note: (finding) => program.report({ ...finding, summary: `${owner}: ${finding.summary}` }),
    read: (value, place) => {
      try {
        return readJson(value, { stack, place, source: "", busy: notBusy }, program);
      } catch (cause) {
        if (!(cause instanceof StackProblem)) throw cause;
        refuse(cause, place);
        return undefined;
      }
    },
  };
}
