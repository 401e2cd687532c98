import { type ApplyRequest, type PlanRequest, planRequest } from "../../commands/requests";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { OptionValues } from "../invocation";

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);

/** What the planning options of a command line ask for. */
export function planRequestOf(
  options: OptionValues,
  mode: PlanRequest["mode"] = modeOf(options),
): PlanRequest {
  return {
    ...planRequest,
    files: list(options.file),
    mode,
    targets: list(options.target),
    excludes: list(options.exclude),
    replace: list(options.replace),
    adopt: options.adopt === true,
    allowEmpty: options.allowEmpty === true,
    confirmedDeletes: list(options.confirmDelete),
    verifyValues: options.verifyValues === true,
  };
}

function modeOf(options: OptionValues): PlanRequest["mode"] {
  if (options.destroy === true && options.refreshOnly === true) {
    throw new DiagnosticsError([error("command.usage", "--destroy and --refresh-only exclude each other")]);
  }
  if (options.destroy === true) return "destroy";
  return options.refreshOnly === true ? "refresh-only" : "apply";
}

/** What the running options ask for. */
export const runOptionsOf = (options: OptionValues): Pick<ApplyRequest, "lockTimeoutMs" | "parallelism"> => ({
  lockTimeoutMs: typeof options.lockTimeout === "number" ? options.lockTimeout : 0,
  parallelism: typeof options.parallelism === "number" ? options.parallelism : 10,
});
