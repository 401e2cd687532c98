import type { LoadedManifest } from "../../src/declaration/load-request";
import type { Diagnostic } from "../../src/diagnostics/diagnostic";

/** The texts that code frames show of the files that a load points into. */
export function shownTexts({ diagnostics, desired }: LoadedManifest): readonly string[] {
  const resources = [...(desired?.resources.values() ?? [])];
  const attributes = resources.flatMap((resource) => [...resource.attributes.values()]);
  const ranges = [...diagnostics, ...resources, ...attributes].flatMap(({ range }) => range ?? []);
  return [...new Set(ranges.flatMap(({ source }) => source?.text ?? []))];
}

/** The part of the file that a finding is about. */
export const pointedAt = (found: Diagnostic | undefined): string | undefined =>
  found?.range?.source?.text?.slice(found.range.start, found.range.end);
