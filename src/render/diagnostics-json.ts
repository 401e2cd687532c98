import { type Diagnostic, positionAt, type SourceRange, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Sources } from "./diagnostics-text";
import { inertJson } from "./inert";

/** Where a finding is; lines and columns are 1-based and missing when the text of the file is not at hand. */
export interface LocationData {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

export type DiagnosticData = Omit<Diagnostic, "range"> & { readonly location?: LocationData };

const noSources: Sources = new Map();

/** A finding as plain data, its offsets turned into lines and columns. */
export function diagnosticData(diagnostic: Diagnostic, sources: Sources = noSources): DiagnosticData {
  const { range, ...rest } = diagnostic;
  return range === undefined ? rest : { ...rest, location: locationData(range, sources) };
}

export function locationData(range: SourceRange, sources: Sources): LocationData {
  const text = sources.get(range.file);
  if (text === undefined) return { file: range.file };
  const start = positionAt(text, range.start);
  const end = positionAt(text, range.end);
  return { file: range.file, ...start, endLine: end.line, endColumn: end.column };
}

/** All findings as one JSON document: `{"diagnostics": [...]}`, sorted. */
export const diagnosticsJson = (diagnostics: readonly Diagnostic[], sources: Sources = noSources): string =>
  `${inertJson({ diagnostics: sortDiagnostics(diagnostics).map((item) => diagnosticData(item, sources)) }, 2)}\n`;
