import { validate } from "../../commands/validate";
import { diagnosticsJson } from "../../render/diagnostics-json";
import { counted } from "../../render/plan-wording";
import type { Handler } from "../invocation";
import { outStyle, report } from "../report";

/** `rnv validate` */
export const validateHandler: Handler = async (invocation) => {
  const { terminal, environment, cwd, options } = invocation;
  const files = Array.isArray(options.file) ? options.file : [];
  const { diagnostics, sources, desired, exitCode } = await validate({ cwd, environment }, { files });
  if (options.json) {
    terminal.out(diagnosticsJson(diagnostics, sources));
    return exitCode;
  }
  report(invocation, diagnostics, sources);
  if (exitCode === 0) {
    const { colors } = outStyle(invocation);
    const count = counted(desired?.resources.size ?? 0, "resource");
    terminal.out(`${colors.green("Success!")} The manifest is valid: ${count}.\n`);
  }
  return exitCode;
};
