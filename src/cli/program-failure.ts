import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";

const thrown = /^(?:Uncaught )?[\w$.]*(?:Error|Exception|Failure)(?: \[\w+\])?: /;
const frame = /^\s+at /;
const frameOfUser = /^(?!.*(?:node_modules|node:)).*:\d+:\d+\)?$/;
/** Lines of Node around an error: the excerpt before its message, and the version of Node after its stack. */
const excerpt = /^(?:file:\/\/)?\S+:\d+$/;
const footer = /^Node\.js v\d/;

const propertiesOfError = /^(\s+at .*) \{\n(?:.*\n)*?\}$/gm;

/** Returns the error of a program that failed: the message that it threw, its frames in files of the user, and its other output. */
export function programFailed(
  command: string,
  { problem, output, cwd }: { readonly problem: string; readonly output: string; readonly cwd: string },
): DiagnosticsError {
  const lines = output
    .replace(propertiesOfError, "$1")
    .split("\n")
    .filter((line) => !footer.test(line));
  const start = lines.findIndex((line) => thrown.test(line));
  const length = lines.slice(start).findIndex((line) => frame.test(line));
  const isThrown = start >= 0 && length > 0;
  const [message, ...others] = isThrown ? lines.slice(start, start + length) : [];
  const rest = isThrown ? lines.slice(start + length) : lines;
  const before = isThrown ? lines.slice(0, start) : [];
  const from = before.findIndex((line) => excerpt.test(line));
  const frames = rest.filter((line) => frame.test(line) && frameOfUser.test(line));
  const printed = [
    ...(from < 0 ? before : before.slice(0, from)),
    ...rest.filter((line) => !frame.test(line)),
  ]
    .join("\n")
    .trim();
  const detail = [
    ...others,
    ...frames.map((line) => line.replace("file://", "").replace(`${cwd}/`, "")),
    ...(printed === "" ? [] : ["It printed:", printed]),
  ].join("\n");
  const named = `the program ${JSON.stringify(command)}`;
  const summary = message === undefined ? `${named} ${problem}` : `${named} failed: ${message}`;
  return failure("stack.program_failed", summary, {
    ...(detail !== "" && { detail }),
    hint: "run it by itself to look into it; it gets your environment without the credentials of rnv and of the CI platform",
  });
}
