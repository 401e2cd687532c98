/** Returns whether a process of this host runs, given the way to signal one; one of another user counts as running. */
export const aliveBy =
  (signal: (pid: number, signal: 0) => unknown) =>
  (pid: number): boolean => {
    try {
      signal(pid, 0);
      return true;
    } catch (cause) {
      return (cause as NodeJS.ErrnoException).code === "EPERM";
    }
  };
