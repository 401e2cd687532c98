/**
 * A value that is there already, or a promise of it. A plan asks thousands of times for what three answers have shown:
 * what is there is handed over at once, without a turn of the event loop for each.
 */
export type Ready<T> = T | Promise<T>;

/** Goes on with the value, at once where it is there. */
export const whenReady = <T, Next>(value: Ready<T>, next: (value: T) => Ready<Next>): Ready<Next> =>
  value instanceof Promise ? value.then(next) : next(value);

/** What throws at once rejects, as it would later. */
export function attempt<T>(work: () => Ready<T>): Ready<T> {
  try {
    return work();
  } catch (cause) {
    return Promise.reject(cause);
  }
}

/** All of the values, in their order. Rejects as `Promise.all` does. */
export const allReady = <T>(values: readonly Ready<T>[]): Ready<readonly T[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
