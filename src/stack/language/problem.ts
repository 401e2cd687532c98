import type { DiagnosticCode, SourceRange } from "../../diagnostics/diagnostic";

const useTerraform =
  "rnv reads what constructs of plain TypeScript synthesize; for this, run the stack with Terraform: the package is a Terraform provider too";

/** Stops the reading of a value of a stack; the reader reports it with the location. */
export class StackProblem extends Error {
  constructor(
    readonly code: DiagnosticCode,
    message: string,
    readonly hint?: string,
    public at?: SourceRange,
  ) {
    super(message);
  }
}

/** A problem of the values of an expression: `try` and `can` pass it over. */
export class ExpressionProblem extends StackProblem {
  constructor(message: string, code: DiagnosticCode = "stack.invalid_value") {
    super(code, message);
  }
}

export const invalid = (message: string): StackProblem => new StackProblem("stack.invalid_value", message);

export const unknownReference = (message: string, hint?: string): StackProblem =>
  new StackProblem("stack.reference_unknown", message, hint);

export const missingKey = (message: string): StackProblem => new StackProblem("stack.missing_key", message);

/** A value or a setting that has no place in a stack of rnv. */
export const refused = (message: string, hint?: string): StackProblem =>
  new StackProblem("stack.unsupported", message, hint);

/** A feature of Terraform that rnv does not have. */
export const unsupported = (what: string, hint = useTerraform): StackProblem =>
  refused(`${what} is not supported by rnv`, hint);
