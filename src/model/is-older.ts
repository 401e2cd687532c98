/** Whether one time of the service lies before another; where one is in whole seconds, both are compared as such. */
export function isOlder(time: string | null | undefined, than: string | undefined): boolean {
  if (time == null || than === undefined) return false;
  const step = hasFraction(time) && hasFraction(than) ? 1 : 1000;
  // Never true of what is no time.
  return Math.floor(Date.parse(time) / step) < Math.floor(Date.parse(than) / step);
}

const hasFraction = (time: string): boolean => /:\d\d\.\d*[1-9]/.test(time);
