import { type Diagnostic, sortDiagnostics } from "../../diagnostics/diagnostic";
import { summaryOf } from "../diagnostics";
import { locationData } from "../documents";
import { escapeLines, escapeText } from "../escape-text";

/** Returns the path of a file from the root of its repository; undefined where there is none. */
export type PathOf = (file: string) => string | undefined;

/** Findings as workflow commands of GitHub Actions, one a line: `::error file=rnv.yaml,line=9,col=11,…::summary`. */
export const githubAnnotations = (diagnostics: readonly Diagnostic[], pathOf: PathOf): string =>
  sortDiagnostics(diagnostics)
    .map((diagnostic) => `${annotation(diagnostic, pathOf)}\n`)
    .join("");

function annotation(diagnostic: Diagnostic, pathOf: PathOf): string {
  const { severity, code, detail, hint, range } = diagnostic;
  const file = range === undefined ? undefined : pathOf(range.file);
  const place = range === undefined || file === undefined ? undefined : locationData(range);
  const properties = {
    file,
    line: place?.line,
    endLine: place?.endLine,
    col: place?.column,
    // Columns of a range over several lines are refused by GitHub.
    endColumn: place?.line === place?.endLine ? place?.endColumn : undefined,
    title: code,
  };
  const list = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(escapeText(String(value)))}`);
  const message = [summaryOf(diagnostic), detail, hint].flatMap((part) => part || []);
  return `::${severity} ${list.join(",")}::${escapeData(message.flatMap(escapeLines).join("\n"))}`;
}

const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
