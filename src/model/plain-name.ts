/** A name without what services may change in names: case, spaces, hyphens. Itself where nothing else is in it. */
export function plainName(name: string): string {
  const letters = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return letters === "" ? name : letters;
}
