/** In `npm run test:soak` a suite that imports this plays all its cases, in `npm test` a share of them. */
export const isSoak = process.env.RNV_SOAK === "1";

/** Declares a test of a soak alone. */
export const itInSoak = (title: string, body: () => unknown, timeoutMs?: number): void => {
  if (isSoak) it(title, body as () => Promise<void>, timeoutMs);
};

/** Returns the first in a soak, else the second. */
export const inSoak = <Value>(whole: Value, share: Value): Value => (isSoak ? whole : share);

/** Returns all in a soak, else every nth, beginning with the first. */
export const shareOf = <Value>(all: readonly Value[], nth: number): readonly Value[] =>
  all.filter((_, i) => isSoak || i % nth === 0);
