import { type Diagnostic, error, positionAt, type SourceRange } from "../diagnostics/diagnostic";

export type Report = (diagnostic: Diagnostic) => void;

/** Beyond this many unknown words no suggestion is looked for: to compare all with all takes the square of their number. */
export const suggestedMisses = 20;

/** Beyond this a hostile file would only fill memory. */
const keptDiagnostics = 1000;

export interface Findings {
  readonly report: Report;
  readonly all: () => Diagnostic[];
}

/**
 * Collects diagnostics; past the first thousand it only counts them. A mistake in a text that an alias repeats is one
 * mistake, whatever it is the text of.
 */
export function collectFindings(): Findings {
  const kept: Diagnostic[] = [];
  const told = new Set<string>();
  let dropped = 0;
  return {
    report: (diagnostic) => {
      const mistake = mistakeOf(diagnostic);
      if (mistake !== undefined && told.has(mistake)) return;
      if (mistake !== undefined && told.size < keptDiagnostics) told.add(mistake);
      if (kept.length < keptDiagnostics) kept.push(diagnostic);
      else dropped += 1;
    },
    all: () =>
      dropped === 0
        ? kept
        : [...kept, error("manifest.too_large", `${dropped} more mistakes are not listed`)],
  };
}

/** What is wrong, and where, without whose it is. */
function mistakeOf({ code, summary, address, attribute, range }: Diagnostic): string | undefined {
  if (range === undefined) return undefined;
  const what = address === undefined ? summary : summary.replaceAll(address, "");
  return [code, range.file, range.start, range.end, attribute ?? "", what].join(" ");
}

/** `rnv.yaml:9:11`, for the second place a diagnostic speaks of. */
export function placeOf(range: SourceRange, texts: ReadonlyMap<string, string>): string {
  const { line, column } = positionAt(texts.get(range.file) ?? "", range.start);
  return `${range.file}:${line}:${column}`;
}
