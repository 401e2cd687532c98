import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import { canonicalJson, noMask, type Plain } from "../model/value";
import { compact, planDocument, type Unbound } from "./document";
import type { Plan, PlanInput, PlanOptions, Revealed } from "./plan";
import type { ChangeDocument, PlanDocument } from "./plan-schema";

export interface SavedRequest extends PlanOptions {
  readonly files: readonly string[];
  readonly stack?: string | undefined;
  readonly stage?: string | undefined;
  readonly overridePolicies?: readonly string[] | undefined;
}

export interface SavedPlan {
  readonly format: "rnv-plan";
  readonly version: 1;
  readonly request: SavedRequest;
  readonly plan: PlanDocument;
  /** Fingerprints of what was revealed for it, by address: applying it reveals nothing again. */
  readonly revealed?: Readonly<Record<string, Revealed>>;
}

/**
 * A plan as text to keep: canonical JSON with a SHA-256 over all of it, and an HMAC under the key of the state where there
 * is one. It is applied by planning again and demanding the same, so it needs neither secrets nor live values.
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
    version: 1,
    request: compact({ ...plan.options, ...asked, overridePolicies }),
    plan: planDocument(plan),
    revealed: revealed && Object.fromEntries(revealed),
  }) as unknown as SavedPlan;
  return textOf(saved, key && macOf(saved, key));
}

const canonical = (object: object): string => canonicalJson(compact(object));

const textOf = (saved: SavedPlan, mac: string | undefined): string =>
  `${canonical({ checksum: sha256(canonical(saved)), mac, saved })}\n`;

const macOf = (saved: SavedPlan, key: Uint8Array): string =>
  new Secret(Buffer.from(key).toString("hex")).sign(`saved plan\0${canonical(saved)}`);

/** Reads what `savePlan` wrote. One byte that differs makes it damaged. */
export function readSavedPlan(text: string): {
  readonly document?: SavedPlan;
  /** Whether this key made the plan: "unknown" for a plan that was saved without a key, or is read without one. */
  readonly madeWith?: (key: Uint8Array | undefined) => "yes" | "no" | "unknown";
  readonly diagnostics: readonly Diagnostic[];
} {
  const { saved, mac } = parse(text) ?? {};
  if (saved === undefined || textOf(saved, mac) !== text) return { diagnostics: [damaged()] };
  const madeWith = (key: Uint8Array | undefined) => {
    if (mac === undefined || key === undefined) return "unknown";
    return macOf(saved, key) === mac ? "yes" : "no";
  };
  return { document: saved, madeWith, diagnostics: [] };
}

const damaged = (): Diagnostic =>
  error("plan.damaged", "the saved plan is not as it was written", { hint: "make it again: rnv plan -out" });

function parse(text: string): { readonly saved: SavedPlan; readonly mac: string | undefined } | undefined {
  try {
    const { saved, mac } = JSON.parse(text) as { readonly saved?: SavedPlan; readonly mac?: string };
    return saved?.format === "rnv-plan" && saved.version === 1 ? { saved, mac } : undefined;
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

/**
 * Refuses a plan that its key did not make, and one that no key authenticates where it carries overrides that the command
 * line does not give.
 */
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

/**
 * Undefined when a new plan says what the saved one said; else the first thing that differs. A secret that the saved one
 * was made without counts as what it was planned as: one that is to be set is set, one that turns out to have changed
 * is a change without a review.
 */
export function compareWithSaved(saved: SavedPlan, plan: Plan): Diagnostic | undefined {
  const fresh = planDocument(plan, unboundIn(saved.plan));
  for (const part of ["binding", "options"] as const) {
    const moved = firstDifference(saved.plan[part], fresh[part]);
    if (moved !== undefined) return stale(`its ${moved} changed`);
  }
  const before = changesByAddress(saved.plan);
  const after = changesByAddress(fresh);
  const addresses = [...new Set([...before.keys(), ...after.keys()])].sort();
  // What else differs may only follow from these, and what runs because of other changes from those.
  for (const address of addresses) {
    if (!before.has(address)) return stale(`${address} would change now`, address);
    if (!after.has(address)) return stale(`${address} no longer needs to change`, address);
  }
  for (const address of [...addresses.filter((one) => after.get(one)?.reason === undefined), ...addresses]) {
    const [old, now] = [before.get(address), after.get(address)];
    // A plan of an earlier version binds times that move by themselves.
    const isTimed = now?.binding?.updatedAt !== null;
    const binding = old?.binding && !isTimed ? { ...old.binding, updatedAt: null } : old?.binding;
    const moved = firstDifference({ ...old, binding }, now, plan.mask);
    if (moved !== undefined) return stale(`${address} is not as it was: ${moved}`, address);
  }
  const output = firstDifference(saved.plan.output_changes, fresh.output_changes, plan.mask);
  return output === undefined ? undefined : stale(`output ${output} changed`);
}

const stale = (why: string, address?: string): Diagnostic =>
  error("plan.stale", `the saved plan is out of date: ${why}`, {
    address,
    hint: "plan again, review, and apply the new plan",
  });

const unboundIn = ({ resource_changes: changes }: PlanDocument): Unbound =>
  new Map(
    changes.flatMap(({ address, unbound_values: paths }) => (paths ? [[address, paths] as const] : [])),
  );

/** Says nothing of what apply would do, or says again what another part does; plans of earlier versions lack some of it. */
const uncompared = {
  ...{ action: undefined, parent: undefined, references: undefined, removal_declared: undefined },
  ...{ retains: undefined, restores: undefined, held: undefined },
};

const changesByAddress = ({ resource_changes: changes }: PlanDocument) =>
  new Map(
    changes
      .filter((change) => !isNoOp(change))
      .map((change) => {
        const [attributes, released] = [change.attributes, change.released].map(withoutRanges);
        // The reason is a sentence, and another version has other words for it.
        const reason = change.reason !== undefined || undefined;
        return [change.address as string, { ...change, attributes, released, ...uncompared, reason }];
      }),
  );

/** An adoption without fields is a no-op to Terraform, but not to us. */
const isNoOp = ({ change: { actions, importing }, previous_address: moved }: ChangeDocument): boolean =>
  actions[0] === "no-op" && importing === undefined && moved === undefined;

const withoutRanges = (fields: ChangeDocument["attributes"]) =>
  fields.map(({ range: _range, placement: _placement, ...field }) => field);

function firstDifference(a: object | undefined, b: object | undefined, mask = noMask): string | undefined {
  const left = (a ?? {}) as Readonly<Record<string, Plain>>;
  const right = (b ?? {}) as Readonly<Record<string, Plain>>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .sort()
    .find((key) => canonicalJson(mask(left[key] ?? null)) !== canonicalJson(mask(right[key] ?? null)));
}
