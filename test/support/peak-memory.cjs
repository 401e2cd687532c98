const { readFileSync } = require("node:fs");

/**
 * Returns the most memory that this process has held, in kB. `maxRSS` would count what its parent held when it forked:
 * Linux keeps that across the start of another program.
 */
exports.peakKb = () => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
};
