/** Returns the pause before another try: `first`, doubled with each of the `tries` so far, at most `longest`. */
export const backoff = (tries: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(tries, 30));
