import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { SecretReach } from "../manifest/secret-reach";
import { type Address, parseAddress } from "../model/address";
import type { PlanInput, PlanOptions } from "../plan/plan";

/** What the planning commands share: which files, and what part of them. */
export interface PlanRequest {
  /** `-f`, repeatable; empty means the default files. */
  readonly files: readonly string[];
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  readonly replace: readonly string[];
  readonly adopt: boolean;
  readonly allowEmpty: boolean;
  /** `--confirm-delete`, repeatable. */
  readonly confirmedDeletes: readonly string[];
  /** Everything that is to be destroyed is confirmed as a whole: `rnv destroy`. */
  readonly confirmsAll?: boolean;
  /** The plan will be saved: it is bound to the values of its secrets, so there must be a key for their fingerprints. */
  readonly isSaved?: boolean;
  /** How far secrets are read; `resolve` unless said. With less, the key of their fingerprints may be missing too. */
  readonly secrets?: SecretReach;
  /** Reveals variables to compare their values: audited by the service. */
  readonly verifyValues?: boolean;
  /** What was revealed for the saved plan that is applied: not asked for again. */
  readonly revealed?: PlanInput["revealed"];
}

export const planRequest: PlanRequest = {
  files: [],
  mode: "apply",
  targets: [],
  excludes: [],
  replace: [],
  adopt: false,
  allowEmpty: false,
  confirmedDeletes: [],
};

/** Returns the options of a plan; throws `DiagnosticsError` at a flag whose value is not an address. */
export function planOptions(request: PlanRequest): PlanOptions {
  return {
    mode: request.mode,
    targets: addresses("--target", request.targets),
    excludes: addresses("--exclude", request.excludes),
    replace: addresses("--replace", request.replace),
    adopt: request.adopt,
    allowEmpty: request.allowEmpty,
    confirmedDeletes: addresses("--confirm-delete", request.confirmedDeletes),
    ...(request.confirmsAll === true && { confirmsAll: true }),
  };
}

/** Parses the addresses given to a flag; throws `DiagnosticsError` at the first that is not an address. */
export function addresses(flag: string, texts: readonly string[]): Address[] {
  return texts.map((text) => {
    const address = parseAddress(text);
    if (address) return address;
    const hint = "an address looks like service.shop.api; rnv state list shows those that are recorded";
    throw new DiagnosticsError([error("command.usage", `${flag}: "${text}" is not an address`, { hint })]);
  });
}
