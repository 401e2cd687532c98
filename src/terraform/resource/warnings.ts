import type { Resource } from "../../api/reads";
import { looksSecret } from "../../declaration/secret-texts";
import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Money } from "../../model/resource-type";
import { type Attributes, Unknown } from "../../model/value";
import { free, sameMoney } from "../../plan/change";
import { moneyChange } from "../../report/plan-wording";
import { findResource } from "../../resources";
import { textIn, valueAt } from "../values";
import type { CheckedChange } from "./plan-change";

/** Warns about another price; says nothing where a part of it is not known yet. */
export async function priceWarnings(change: CheckedChange): Promise<readonly Diagnostic[]> {
  const { session, type, prior, planned, sent, acts } = change;
  const { resource } = type;
  if (session === undefined || !acts || resource.monthlyCost === undefined) return [];
  const catalog = await session.reads.catalog();
  const defaults = type.defaultsIn(catalog);
  const wanted = type.declaredIn(planned);
  // An undeclared attribute may differ from its default, and the state does not show it.
  const read = prior && (await findResource(session.reads, resource, { id: textIn(prior, "id") }));
  const known = read?.kind === "found" ? read.live.attributes : prior && type.knownIn(prior);
  const parts = new Set<string>();
  let isKnown = true;
  const priceOf = (lookUp: (path: string) => unknown): Money | undefined => {
    const get = (path: string) => {
      parts.add(path);
      const found = lookUp(path) ?? defaults.get(path);
      if (found instanceof Unknown) isKnown = false;
      return found as never;
    };
    return resource.monthlyCost?.({ get }, catalog);
  };
  const now = (known && priceOf((path) => known.get(path))) ?? free;
  const then = priceOf((path) => wanted.get(path) ?? known?.get(path));
  if (!isKnown || then === undefined || sameMoney(now, then)) return [];
  const attribute = prior && [...sent].find((path) => parts.has(path));
  const checkout = " The platform may wait for a checkout in the dashboard before it deploys.";
  const summary = `${type.addressOf(type.nameIn(planned))} costs ${moneyChange(prior ? now : then, then, "->")} a month`;
  const detail = `An estimate by the prices of the catalog.${then.usd > now.usd ? checkout : ""}`;
  return [warning("plan.price", summary, { detail, attribute })];
}

/** Warns of a secret that plans and the state show, and of a bound that does not count. */
export function configWarnings({ type, config }: CheckedChange): readonly Diagnostic[] {
  const secrets = type.declared.filter(({ steps }) => looksSecret(String(valueAt(config, steps))));
  const isBoundTwice = [config.timeout, valueAt(config, ["timeouts", "create"])].every(
    (bound) => typeof bound === "string",
  );
  const details = { attribute: "timeout", hint: "remove one of the two" };
  return [
    // At its attribute, Terraform would print the line that holds it.
    ...secrets.map(({ steps }) =>
      warning("manifest.plain_secret", `${steps.join(".")} holds a secret`, {
        detail: "Plans and the state show it.",
        hint: "take it out of the value, and replace it",
      }),
    ),
    ...(isBoundTwice
      ? [warning("plan.invalid_combination", "timeouts.create counts in place of timeout", details)]
      : []),
  ];
}

/**
 * Returns conditions of a live resource that no attribute shows: a payment is due, its runtime is suspended, or it is
 * archived undeclared.
 */
export function standingOf(
  { type, archives }: Resource,
  live: LiveResource,
  declared: Attributes = new Map(),
): readonly Diagnostic[] {
  const about = `${type} "${live.name}"`;
  const found = (live.standing ?? []).flatMap(({ code, summary }) => {
    if (code === "awaiting_checkout")
      return warning("apply.awaiting_checkout", `the ${type}: ${summary}`, {
        hint: "complete the checkout in the dashboard, then apply again; nothing of what is saved is lost",
      });
    if (code !== "suspended") return [];
    return warning("live.standing", `${about} is ${summary}`, {
      detail: "It answers nothing until it is resumed; no plan changes that.",
      hint: "resume it in the dashboard, or with the action rnv_resume (Terraform 1.14)",
    });
  });
  const isArchived = archives !== undefined && live.attributes.get(archives.attribute) === true;
  if (!isArchived || declared.get(archives.attribute) === true) return found;
  const detail = "It takes no new deployments; what runs of it keeps running.";
  return [...found, warning("live.standing", `${about} is archived`, { detail })];
}
