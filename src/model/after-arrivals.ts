const waiting: (() => void)[] = [];

/**
 * Resolves once what has arrived at sockets by now was taken: work that nobody waits for lets requests go ahead of
 * it. Callers come one by one, in the order in which they asked, and sockets are looked at before each.
 */
export function afterArrivals(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
