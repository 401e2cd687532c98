import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { sha256 } from "../model/text";
import { canonicalJson, type Plain } from "../model/value";
import { planDocument, type Sources, type Unbound } from "./document";
import type { Plan, PlanInput, PlanOptions, Revealed } from "./plan";

/** The request to plan again: the same files, the same options. */
export interface SavedRequest extends PlanOptions {
  readonly files: readonly string[];
  /** The stack that was planned, of an app of constructs. */
  readonly stack?: string;
  /** The stage that was planned: `preview/12`. */
  readonly stage?: string;
  /** Policies that it overrides. */
  readonly overridePolicies?: readonly string[];
}

export interface SavedPlan {
  readonly format: "rnv-plan";
  readonly version: 1;
  readonly request: SavedRequest;
  /** As `planDocument` made it. */
  readonly plan: Readonly<Record<string, Plain>>;
  /** Fingerprints of what was revealed for it, by address: applying it reveals nothing again. */
  readonly revealed?: Readonly<Record<string, Revealed>>;
}

/**
 * A plan as text to keep: canonical JSON with a SHA-256 over all of it. It is applied by planning again and
 * demanding the same, so it needs neither secrets nor live values.
 */
export function savePlan(
  plan: Plan,
  extra: {
    readonly files: readonly string[];
    readonly stack?: string | undefined;
    readonly stage?: string | undefined;
    readonly overridePolicies?: readonly string[] | undefined;
    readonly revealed?: PlanInput["revealed"];
    /** Texts of the files that were read, by path. */
    readonly sources?: Sources;
  },
): string {
  const saved: SavedPlan = {
    format: "rnv-plan",
    version: 1,
    request: {
      ...plan.options,
      files: extra.files,
      ...(extra.stack !== undefined && { stack: extra.stack }),
      ...(extra.stage !== undefined && { stage: extra.stage }),
      ...(extra.overridePolicies?.length && { overridePolicies: extra.overridePolicies }),
    },
    plan: planDocument(plan, new Map(), extra.sources),
    ...(extra.revealed && { revealed: Object.fromEntries(extra.revealed) }),
  };
  return textOf(saved as unknown as Plain);
}

const textOf = (saved: Plain): string =>
  `${canonicalJson({ checksum: sha256(canonicalJson(saved)), saved })}\n`;

/** Reads what `savePlan` wrote. One byte that differs makes it damaged. */
export function readSavedPlan(text: string): {
  readonly document?: SavedPlan;
  readonly diagnostics: readonly Diagnostic[];
} {
  const saved = parse(text);
  if (saved === undefined || textOf(saved as unknown as Plain) !== text)
    return {
      diagnostics: [
        error("plan.damaged", "the saved plan is not as it was written", {
          hint: "make it again: rnv plan -out",
        }),
      ],
    };
  return { document: saved, diagnostics: [] };
}

function parse(text: string): SavedPlan | undefined {
  try {
    const { saved } = JSON.parse(text) as { readonly saved?: SavedPlan };
    return saved?.format === "rnv-plan" && saved.version === 1 ? saved : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Undefined when a new plan says what the saved one said; else the first thing that differs. A secret that the saved one
 * was made without counts as what it was planned as: one that is to be set is set, one that turns out to have changed
 * is a change that nobody reviewed.
 */
export function compareWithSaved(saved: SavedPlan, plan: Plan): Diagnostic | undefined {
  const fresh = planDocument(plan, unboundIn(saved.plan));
  for (const part of ["binding", "options"] as const) {
    const moved = firstDifference(saved.plan[part], fresh[part]);
    if (moved !== undefined) return stale(`its ${moved} is another`);
  }
  const before = changesByAddress(saved.plan);
  const after = changesByAddress(fresh);
  const addresses = [...new Set([...before.keys(), ...after.keys()])].sort();
  // What else differs may only follow from these.
  for (const address of addresses) {
    if (!before.has(address)) return stale(`${address} would change now`, address);
    if (!after.has(address)) return stale(`${address} no longer needs to change`, address);
  }
  for (const address of [...addresses.filter((one) => !isReaction(after.get(one))), ...addresses]) {
    const moved = firstDifference(before.get(address), after.get(address));
    if (moved !== undefined) return stale(`${address} is not as it was: ${moved}`, address);
  }
  const output = firstDifference(saved.plan.output_changes, fresh.output_changes);
  return output === undefined ? undefined : stale(`output ${output} is another`);
}

/** It runs because of other changes. */
const isReaction = (change: Plain | undefined): boolean =>
  (change as { readonly reason?: Plain } | undefined)?.reason !== undefined;

const stale = (why: string, address?: string): Diagnostic =>
  error("plan.stale", `the saved plan is out of date: ${why}`, {
    hint: "plan again, review, and apply the new plan",
    ...(address !== undefined && { address }),
  });

function unboundIn(document: Readonly<Record<string, Plain>>): Unbound {
  const changes = (document.resource_changes ?? []) as readonly Readonly<Record<string, Plain>>[];
  return new Map(
    changes.flatMap(({ address, unbound_values: paths }) =>
      Array.isArray(paths) ? [[String(address), paths as readonly string[]] as const] : [],
    ),
  );
}

/** Changes by address, without those that change nothing, and without what says nothing of what apply would do. */
function changesByAddress(document: Readonly<Record<string, Plain>>): ReadonlyMap<string, Plain> {
  const changes = (document.resource_changes ?? []) as readonly Readonly<Record<string, Plain>>[];
  return new Map(
    changes
      .filter((change) => !isNoOp(change))
      .map(({ references: _references, parent: _parent, removal_declared: _declared, ...change }) => [
        String(change.address),
        { ...change, attributes: withoutRanges(change.attributes), released: withoutRanges(change.released) },
      ]),
  );
}

/** An adoption without fields is a no-op to Terraform, but not to us. */
function isNoOp({ change, previous_address }: Readonly<Record<string, Plain>>): boolean {
  const { actions, importing } = change as {
    readonly actions: readonly string[];
    readonly importing?: Plain;
  };
  return actions[0] === "no-op" && importing === undefined && previous_address === undefined;
}

const withoutRanges = (fields: Plain | undefined): Plain =>
  ((fields ?? []) as readonly Readonly<Record<string, Plain>>[]).map(({ range: _range, ...field }) => field);

/** Returns the key of the first member that differs. */
function firstDifference(a: Plain | undefined, b: Plain | undefined): string | undefined {
  const left = (a ?? {}) as Readonly<Record<string, Plain>>;
  const right = (b ?? {}) as Readonly<Record<string, Plain>>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .sort()
    .find((key) => canonicalJson(left[key] ?? null) !== canonicalJson(right[key] ?? null));
}
