import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Plain } from "../model/value";
import type { Context, Outcome } from "./context";

export interface OutputOutcome extends Outcome {
  readonly outputs: Readonly<Record<string, Plain>>;
}

/** `rnv output`: the outputs of the last apply, or one of them. */
export async function output(
  context: Pick<Context, "backend">,
  request: { readonly name?: string },
): Promise<OutputOutcome> {
  const { outputs = {} } = (await context.backend.read()) ?? {};
  const sources = new Map<string, string>();
  const { name } = request;
  if (name === undefined) return { outputs, diagnostics: [], exitCode: 0, sources };
  if (Object.hasOwn(outputs, name)) {
    return { outputs: { [name]: outputs[name] as Plain }, diagnostics: [], exitCode: 0, sources };
  }
  const hint = didYouMean(name, Object.keys(outputs)) ?? "outputs are recorded by apply";
  const diagnostic = error("command.usage", `there is no output "${name}"`, { hint });
  return { outputs: {}, diagnostics: [diagnostic], exitCode: 1, sources };
}
