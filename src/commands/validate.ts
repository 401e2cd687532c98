import type { Desired } from "../model/desired";
import { exitCodeOf, type Outcome } from "./context";
import { type LoadContext, load } from "./load";

export interface ValidateOutcome extends Outcome {
  readonly desired?: Desired;
  /** The manifests as one text; undefined for stacks, and where there are errors. */
  readonly merged?: () => string;
}

/** `rnv validate`: the manifest alone. No request, no state, no secret source is read. */
export async function validate(
  context: LoadContext,
  request: { readonly files: readonly string[] },
): Promise<ValidateOutcome> {
  const loaded = await load(context, request.files, "skip");
  return { ...loaded, exitCode: exitCodeOf(loaded.diagnostics) };
}
