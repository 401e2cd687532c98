import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";

const thrown = /^(?:Uncaught )?[\w$.]*(?:Error|Exception|Failure)(?: \[\w+\])?: .*/m;
/** Frames outside of the files of the user, and the version that Node prints last. */
const ofOthers = /^\s+at .*(?:node_modules[\\/]|node:|<anonymous>\)?$|native\)).*\n?|^Node\.js v\d.*\n?/gm;

/** Returns the error of a program that failed: the message that it threw, and what it printed, its stack cut to files of the user. */
export function programFailed(
  command: string,
  { problem, output, cwd }: { readonly problem: string; readonly output: string; readonly cwd: string },
): DiagnosticsError {
  const printed = output.replace(ofOthers, "").replaceAll(`${cwd}/`, "").trimEnd();
  const [message] = thrown.exec(output) ?? [];
  const why = message === undefined ? problem : `failed: ${message}`;
  return failure("stack.program_failed", `the program ${JSON.stringify(command)} ${why}`, {
    ...(printed !== "" && { detail: `It printed:\n${printed}` }),
    hint: "run it by itself to look into it; it gets your environment without the credentials of rnv and of the CI platform",
  });
}
