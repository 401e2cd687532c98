import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { positionAt, type SourceRange } from "../diagnostics/source-range";

export type Report = (diagnostic: Diagnostic) => void;

/** Beyond this a hostile file would only fill memory. */
const keptDiagnostics = 1000;

export interface Findings {
  readonly report: Report;
  readonly all: () => Diagnostic[];
}

/** Collects diagnostics; past the first thousand it only counts them. */
export function collectFindings(): Findings {
  const kept: Diagnostic[] = [];
  let dropped = 0;
  return {
    report: (diagnostic) => {
      if (kept.length < keptDiagnostics) kept.push(diagnostic);
      else dropped += 1;
    },
    all: () =>
      dropped === 0
        ? kept
        : [...kept, error("manifest.too_large", `${dropped} more mistakes are not listed`)],
  };
}

/** `rnv.yaml:9:11`, for the second place a diagnostic speaks of. */
export function placeOf(range: SourceRange, texts: ReadonlyMap<string, string>): string {
  const { line, column } = positionAt(texts.get(range.file) ?? "", range.start);
  return `${range.file}:${line}:${column}`;
}
