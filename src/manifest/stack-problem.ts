import type { DiagnosticCode } from "../diagnostics/codes";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import { suggest } from "../diagnostics/suggest";
import { suggestedMisses } from "./findings";

const useTerraform =
  "rnv reads what constructs of plain TypeScript synthesize; for this, run the stack with Terraform: the package is a Terraform provider too";

/** What stops one value of a stack from being read; the reader reports it where it stands. */
export class StackProblem extends Error {
  constructor(
    readonly code: DiagnosticCode,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** Something of Terraform that rnv does not have. */
export const unsupported = (what: string): StackProblem =>
  new StackProblem("manifest.unsupported", `${what} is not supported by rnv`, useTerraform);

/** A name that stands nowhere in the stack. */
export function undeclared(
  what: string,
  name: string,
  known: Iterable<string>,
  { spent }: { readonly spent: { misses: number } },
): StackProblem {
  spent.misses += 1;
  const meant = spent.misses > suggestedMisses ? undefined : suggest(name, known);
  return new StackProblem(
    "manifest.reference_unknown",
    `${what} is not declared`,
    meant === undefined ? undefined : `did you mean "${meant}"?`,
  );
}

/** The diagnostic of a problem, under the path of the construct that it lies in. */
export const problemAt = (
  problem: StackProblem,
  owner: string,
  range: SourceRange,
  address?: string,
): Diagnostic =>
  error(problem.code, `${owner}: ${problem.message}`, {
    range,
    ...(address === undefined ? {} : { address }),
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });
