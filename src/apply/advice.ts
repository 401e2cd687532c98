import { type Diagnostic, sortDiagnostics, warning } from "../diagnostics/diagnostic";
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
  const [, hint, settings] = advice.find((one) => setBy(one[2]).length > 0) ?? advice[0] ?? [];
  const set = settings ? setBy(settings) : [];
  const [{ range } = {}] = set;
  if (set.length === 0) return hint === undefined ? {} : { hint };
  const names = shortList(set.map(({ path }) => path));
  return { ...(range && { range }), hint: `This apply set ${names}. Check that first. ${hint}` };
}

export const awaitingCheckout = (
  what: string,
  { address, range, detail }: Partial<Diagnostic>,
): Diagnostic => {
  const hint = "Finish the checkout in the dashboard.";
  return warning("apply.awaiting_checkout", `${what}: ${atCheckout}`, { address, range, detail, hint });
};

/** Returns one finding for all that await a checkout, at the place of the first. */
export function awaitingTogether(waiting: readonly Diagnostic[]): readonly Diagnostic[] {
  const all = sortDiagnostics(waiting);
  const names = shortList(all.flatMap(({ address = [] }) => address));
  const detail = [...new Set(all.flatMap((one) => one.detail ?? []))].join("\n");
  return all.slice(0, 1).map((first) => awaitingCheckout(names, { ...first, detail }));
}
