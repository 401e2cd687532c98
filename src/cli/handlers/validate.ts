import { type ValidateOutcome, validate } from "../../commands/validate";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { diagnosticsJson } from "../../render/diagnostics-json";
import { counted } from "../../render/plan-wording";
import type { Handler } from "../invocation";
import { outStyle, report } from "../report";
import { readStandardInput } from "../standard-input";

/** `rnv validate` */
export const validateHandler: Handler = async (invocation) => {
  const { terminal, environment, cwd, options } = invocation;
  const files = Array.isArray(options.file) ? options.file : [];
  if (options.json === true && options.print === true)
    throw new DiagnosticsError([error("command.usage", "--json and --print exclude each other")]);
  const standardInput = () => readStandardInput(terminal);
  const untrusted = options.untrusted === true;
  const outcome = await validate({ cwd, environment, standardInput, untrusted }, { files });
  const { diagnostics, sources, desired, exitCode } = outcome;
  if (options.json) {
    terminal.out(diagnosticsJson(diagnostics, sources));
    return exitCode;
  }
  report(invocation, diagnostics, sources);
  if (exitCode !== 0) return exitCode;
  if (options.print === true) {
    terminal.out(printed(outcome));
    return exitCode;
  }
  const { colors } = outStyle(invocation);
  const count = counted(desired?.resources.size ?? 0, "resource");
  terminal.out(`${colors.green("Success!")} The manifest is valid: ${count}.\n`);
  return exitCode;
};

function printed({ merged }: ValidateOutcome): string {
  if (merged !== undefined) return merged();
  const hint = "a synthesized stack is one text already: cdktf.out/stacks/…/cdk.tf.json";
  throw new DiagnosticsError([error("command.usage", "--print writes manifests, not stacks", { hint })]);
}
