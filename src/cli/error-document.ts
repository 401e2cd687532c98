import type { Diagnostic } from "../diagnostics/diagnostic";
import { diagnosticData } from "../render/diagnostics-json";
import { inertJson } from "../render/inert";

/** The one JSON document of a run that could not make what was asked for: a program never has to read prose. */
export const errorDocument = (
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): string =>
  `${inertJson({ format_version: "1.2", errored: true, diagnostics: diagnostics.map((found) => diagnosticData(found, sources)) }, 2)}\n`;
