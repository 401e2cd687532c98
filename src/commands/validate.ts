import type { Desired } from "../model/desired";
import type { Context, Outcome } from "./context";
import { exitCodeOf } from "./exit-code";
import { load } from "./load";

export interface ValidateOutcome extends Outcome {
  readonly desired?: Desired;
}

/** `rnv validate`: the manifest alone. No request, no state, no secret source is read. */
export async function validate(
  context: Pick<Context, "cwd" | "environment">,
  request: { readonly files: readonly string[] },
): Promise<ValidateOutcome> {
  const loaded = await load(context, request.files, "skip");
  return { ...loaded, exitCode: exitCodeOf(loaded.diagnostics) };
}
