import { drift } from "../../commands/drift";
import type { DriftClass, DriftReport } from "../../plan/drift";
import { driftJson } from "../../render/drift-json";
import { driftMarkdown } from "../../render/drift-markdown";
import { driftText } from "../../render/drift-text";
import { errorDocument } from "../error-document";
import { type Format, formatOf } from "../format";
import type { Handler, Invocation } from "../invocation";
import { outStyle, report } from "../report";
import { withContext } from "../with-context";
import { planRequestOf } from "./request";

/** `rnv drift` */
export const driftHandler: Handler = async (invocation) => {
  const { options, terminal } = invocation;
  const request = {
    ...planRequestOf(options),
    failOn: (options.failOn as readonly DriftClass[] | undefined) ?? [],
    strict: options.strict === true,
  };
  const outcome = await withContext(invocation, (context) => drift(context, request));
  report(invocation, outcome.diagnostics, outcome.sources);
  if (outcome.exitCode === 1 && formatOf(options) === "json")
    terminal.out(errorDocument(outcome.diagnostics, outcome.sources));
  // After an error the report would be incomplete: no drift must not be read into it.
  if (outcome.report && outcome.exitCode !== 1)
    terminal.out(textOf(outcome.report, formatOf(options), invocation));
  return outcome.exitCode;
};

function textOf(found: DriftReport, format: Format, invocation: Invocation): string {
  if (format === "json") return driftJson(found);
  return format === "markdown" ? driftMarkdown(found) : driftText(found, outStyle(invocation));
}
