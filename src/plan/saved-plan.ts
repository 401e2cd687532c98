import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { sha256 } from "../model/sha256";
import { canonicalJson } from "../model/value";
import { compact, planDocument } from "./document";
import type { Plan, PlanInput, PlanOptions, Revealed } from "./plan";
import { type PlanRecord, recordSavedPlan, signRecord } from "./plan-record";
import type { PlanDocument } from "./plan-schema";

export interface SavedRequest extends PlanOptions {
  readonly files: readonly string[];
  readonly stack?: string | undefined;
  readonly stage?: string | undefined;
  readonly overridePolicies?: readonly string[] | undefined;
}

const version = 2;

export interface SavedPlan {
  readonly format: "rnv-plan";
  readonly version: typeof version;
  readonly request: SavedRequest;
  /** The plan to show. */
  readonly plan: PlanDocument;
  /** The plan to compare with. */
  readonly record: PlanRecord;
  /** Fingerprints of the secrets that were revealed for it, by address: apply reveals nothing again. */
  readonly revealed?: Readonly<Record<string, Revealed>>;
}

/**
 * Returns a plan as text to keep: canonical JSON with a SHA-256 over all of it, and an HMAC if the state has a key. Apply
 * plans again and demands the same, so that the text needs neither secrets nor live values.
 */
export function savePlan(
  plan: Plan,
  extra: Pick<SavedRequest, "files" | "stack" | "stage" | "overridePolicies"> & {
    readonly revealed?: PlanInput["revealed"];
    /** The state's key. Confirmations and overrides only count in a plan that it authenticates. */
    readonly key?: Uint8Array | undefined;
  },
): string {
  const { revealed, key, ...asked } = extra;
  const overridePolicies = asked.overridePolicies?.length ? asked.overridePolicies : undefined;
  const saved = compact({
    format: "rnv-plan",
    version,
    request: compact({ ...plan.options, ...asked, overridePolicies }),
    plan: planDocument(plan),
    record: recordSavedPlan(plan, key),
    revealed: revealed && Object.fromEntries(revealed),
  }) as unknown as SavedPlan;
  return textOf(saved, key && macOf(saved, key));
}

const canonical = (object: object): string => canonicalJson(compact(object));

const textOf = (saved: SavedPlan, mac: string | undefined): string =>
  `${canonical({ checksum: sha256(canonical(saved)), mac, saved })}\n`;

const macOf = (saved: SavedPlan, key: Uint8Array): string => signRecord(key, "saved plan", canonical(saved));

/** Reads the text of a saved plan. A changed byte makes it damaged. */
export function readSavedPlan(text: string): {
  readonly document?: SavedPlan;
  /** Says if this key made the plan: "unknown" if it was saved, or is read, without a key. */
  readonly madeWith?: (key: Uint8Array | undefined) => "yes" | "no" | "unknown";
  readonly diagnostics: readonly Diagnostic[];
} {
  const { saved, mac } = parse(text) ?? {};
  if (saved && saved.version !== version) return { diagnostics: [damaged("is of another version of rnv")] };
  if (!saved || textOf(saved, mac) !== text) return { diagnostics: [damaged("is not as it was written")] };
  const madeWith = (key: Uint8Array | undefined) => {
    if (mac === undefined || key === undefined) return "unknown";
    return macOf(saved, key) === mac ? "yes" : "no";
  };
  return { document: saved, madeWith, diagnostics: [] };
}

const damaged = (fact: string): Diagnostic =>
  error("plan.damaged", `the saved plan ${fact}`, { hint: "make it again: rnv plan -out" });

function parse(text: string): { readonly saved: SavedPlan; readonly mac: string | undefined } | undefined {
  try {
    const { saved, mac } = JSON.parse(text) as { readonly saved?: SavedPlan; readonly mac?: string };
    return saved?.format === "rnv-plan" ? { saved, mac } : undefined;
  } catch {
    return undefined;
  }
}

interface Consents {
  readonly confirmedDeletes: readonly string[];
  readonly confirmedConsumers?: readonly string[];
  readonly allowEmpty: boolean;
  readonly overridePolicies?: readonly string[] | undefined;
}

export const consentsIn = (request: Consents): readonly string[] => [
  ...request.confirmedDeletes.map((address) => `--confirm-delete ${address}`),
  ...(request.confirmedConsumers ?? []).map((address) => `--confirm-consumers ${address}`),
  ...overridesIn(request),
];

const overridesIn = ({ allowEmpty, overridePolicies = [] }: Consents): readonly string[] => [
  ...overridePolicies.map((name) => `--override-policy ${name}`),
  ...(allowEmpty ? ["--allow-empty"] : []),
];

/** Refuses a plan that was made with another key, and overrides that neither a key nor the command line confirms. */
export function refuseAuthor(
  { request }: SavedPlan,
  madeWith: "yes" | "no" | "unknown",
  given: Consents,
): Diagnostic | undefined {
  const hint = "Give RNV_STATE_KEY to the commands that plan and apply, or plan and apply in one command.";
  if (madeWith === "yes") return undefined;
  if (madeWith === "no")
    return error("plan.damaged", "the saved plan was changed, or made with another key", { hint });
  const missing = overridesIn(request).filter((option) => !overridesIn(given).includes(option));
  if (missing.length === 0) return undefined;
  const summary = `no key authenticates what the saved plan overrides: ${missing.join(" ")}`;
  return error("guard.plan_unauthenticated", summary, { hint });
}
