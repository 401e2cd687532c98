/**
 * Returns whether a text is the one that a marker marks: the marker is its first hidden line of ours. A value of a plan
 * further down may repeat any marker, and people may write above it.
 */
export const isMarked = (body: string | null | undefined, marker: string): boolean =>
  body?.split(/\r?\n/).find((line) => line.startsWith("<!-- rnv ")) === marker;
