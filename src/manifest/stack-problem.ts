import type { DiagnosticCode } from "../diagnostics/codes";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";

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
