/** Takes rows back to the plain reading, by halves and then by ones, as long as the failure stays. */
export async function shrink(
  rows: readonly string[],
  fails: (rows: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  let needed = rows;
  for (let size = Math.ceil(rows.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < needed.length; ) {
      const rest = needed.filter((_, index) => index < at || index >= at + size);
      if (await fails(rest)) needed = rest;
      else at += size;
    }
  }
  return needed;
}
