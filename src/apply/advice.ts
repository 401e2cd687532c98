import { type Diagnostic, type error, sortDiagnostics, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { atCheckout } from "../model/live";
import { shortList } from "../model/wording";
import type { Change } from "../plan/plan";

/** A reason, its remedy, and the settings that may be its cause. */
const deploymentAdvice: readonly (readonly [reason: RegExp, remedy: string, settings: RegExp])[] = [
  [/cancel|supersed|roll/i, "To deploy again, run the same command.", /^$/],
  [
    /build|compile|install|docker|npm/i,
    "Fix the build in the repository and push it.",
    /build|docker|Directory|runtime/,
  ],
  [/branch|commit|repositor|clone/i, "Check repository, branch and commit.", /branch|repository|registryId/],
  [
    /health|port|start|exit|crash|memory/i,
    "Check the start command, the port and the health check path.",
    /health|port|Command|runtime/,
  ],
  [/quota|limit|bill|pay|card/i, "Check the plan and the billing in the dashboard.", /plan|[rR]eplicas/],
];

/** Returns the remedy of a failure. A setting that this run changed comes first, with its line of the manifest. */
export function adviceFor(summary: string, changed: Change | undefined): Pick<Diagnostic, "hint" | "range"> {
  const setBy = (settings: RegExp) => changed?.attributes.filter(({ path }) => settings.test(path)) ?? [];
  const advice = deploymentAdvice.filter(([reason]) => reason.test(summary));
  const [, hint, settings] = advice.find((entry) => setBy(entry[2]).length > 0) ?? advice[0] ?? [];
  const set = settings ? setBy(settings) : [];
  const [{ range } = {}] = set;
  if (set.length === 0) return hint === undefined ? {} : { hint };
  const names = shortList(set.map(({ path }) => path));
  return { range, hint: `This apply set ${names}. Check that first. ${hint}` };
}

export const awaitingCheckout = (
  what: string,
  { address, range, detail }: Partial<Diagnostic>,
): Diagnostic => {
  const hint = "Finish the checkout in the dashboard.";
  return warning("apply.awaiting_checkout", `${what}: ${atCheckout}`, { address, range, detail, hint });
};

/** Returns a single finding for all changes that await a checkout, at the range of the first. */
export function awaitingTogether(waiting: readonly Diagnostic[]): readonly Diagnostic[] {
  const all = sortDiagnostics(waiting);
  const names = shortList(all.flatMap(({ address = [] }) => address));
  const detail = [...new Set(all.flatMap(({ detail: text }) => text ?? []))].join("\n");
  return all.slice(0, 1).map((first) => awaitingCheckout(names, { ...first, detail }));
}

export const deletionFailed = (
  severity: typeof error | typeof warning,
  address: Address,
  { summary, detail }: { readonly summary: string; readonly detail?: string },
  details: Partial<Diagnostic> = {},
): Diagnostic =>
  severity("apply.delete_failed", `${address} was not deleted: ${summary}`, {
    ...details,
    address,
    detail,
    hint: "It stays in the state. To try again, run the same command.",
  });

/** Returns the diagnostic of a deletion that is not proven; `reason` says which part is missing. */
export const deletionUnproven = (
  severity: typeof error | typeof warning,
  address: Address,
  reason: string,
  hint = "Check what the key may read, then run the same command again. It stays in the state.",
): Diagnostic =>
  severity("live.gone_unproven", `unknown whether ${address} was deleted: ${reason}`, {
    address,
    detail: "The API accepted its deletion. A key that has lost its membership or role sees the same.",
    hint,
  });
