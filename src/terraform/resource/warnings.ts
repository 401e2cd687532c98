import type { Resource } from "../../api/reads";
import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import type { LiveResource } from "../../model/live";
import type { Money } from "../../model/resource-type";
import { type Attributes, Unknown } from "../../model/value";
import { moneyChange, sameMoney } from "../../report/plan-wording";
import type { Session } from "../provider";
import { addressIn, declaredIn, knownIn, nameIn, parentIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { readById } from "./confirm-deleted";
import type { PlannedChange } from "./plan-change";
import { defaultsOf } from "./record";

const free: Money = { usd: 0, ngn: 0 };

/** Returns what a plan says beside its attributes: another price, and what waits for a checkout. */
export async function planWarnings(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject | undefined,
  change: PlannedChange,
): Promise<readonly Diagnostic[]> {
  if (!change.acts) return [];
  return [
    ...(await priceWarnings(session, type, prior, change)),
    ...(prior === undefined ? await waitsBefore(session, type, change.planned) : []),
  ];
}

/** Looks a value up by attribute path; undefined where nothing is declared. */
type Lookup = (path: string) => unknown;

/** Returns the price by what `lookUp` finds, else by the defaults; undefined where a part of it is not known. */
function priceBy(type: TerraformShape, catalog: Catalog, lookUp: Lookup): Money | undefined {
  const defaults = defaultsOf(type, catalog);
  let isKnown = true;
  const get = (path: string) => {
    const found = lookUp(path) ?? defaults.get(path);
    if (found instanceof Unknown) isKnown = false;
    return found as never;
  };
  const price = type.resource.monthlyCost?.({ get }, catalog);
  return isKnown ? price : undefined;
}

async function priceWarnings(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject | undefined,
  { planned, sent }: PlannedChange,
): Promise<readonly Diagnostic[]> {
  if (type.resource.monthlyCost === undefined) return [];
  const catalog = await session.reads.catalog();
  const wanted = declaredIn(type, planned);
  const known = prior && knownIn(type, prior);
  const priceOf = (lookUp: Lookup) => priceBy(type, catalog, lookUp);
  const isSame = (before: Money, after: Money | undefined) => after === undefined || sameMoney(before, after);
  const byState = known ? (priceOf((path) => known.get(path)) ?? free) : free;
  if (
    isSame(
      byState,
      priceOf((path) => wanted.get(path)),
    )
  )
    return [];
  // What is not declared may be other than its default, and the state does not show it.
  const read = prior && (await readById(session.reads, type.resource, textIn(prior, "id") ?? ""));
  const live = read?.kind === "found" ? read.live.attributes : undefined;
  const atService = (path: string) => live?.get(path) ?? known?.get(path);
  const now = prior === undefined ? free : (priceOf(atService) ?? free);
  const then = priceOf((path) => wanted.get(path) ?? atService(path));
  if (then === undefined || sameMoney(now, then)) return [];
  const attribute =
    prior &&
    [...sent].find(
      (path) =>
        !isSame(
          now,
          priceOf((one) => (one === path ? wanted : { get: atService }).get(one)),
        ),
    );
  const checkout = " The service may wait for a checkout in the dashboard before it deploys.";
  const summary = `${addressIn(type, nameIn(type, planned))} costs ${moneyChange(now, then, "->")} a month`;
  const detail = `An estimate by the prices of the catalog.${then.usd > now.usd ? checkout : ""}`;
  return [warning("plan.price", summary, { detail, ...(attribute !== undefined && { attribute }) })];
}

/** Returns the warnings about a run that an earlier apply started and no state has: the next apply follows it. */
async function waitsBefore(
  session: Session,
  type: TerraformShape,
  planned: TerraformObject,
): Promise<readonly Diagnostic[]> {
  const { resource } = type;
  const declared = knownIn(type, planned);
  const parentId = parentIn(type, declared);
  if (resource.runs === undefined || parentId === undefined) return [];
  const name = nameIn(type, planned) || resource.type;
  const address = addressIn(type, name);
  const read = await resource.read(session.reads, { address, name, declared, parentId });
  return read.kind === "found" ? waitWarnings(read.live) : [];
}

/** Returns a warning where what was read waits for someone to pay. */
export const waitWarnings = ({ type, standing = [] }: LiveResource): readonly Diagnostic[] =>
  standing
    .filter(({ code }) => code === "awaiting_checkout")
    .map(({ summary }) =>
      warning("apply.awaiting_checkout", `the ${type}: ${summary}`, {
        hint: "complete the checkout in the dashboard, then apply again; nothing of what is saved is lost",
      }),
    );

/**
 * Returns what a live thing does that none of its attributes says, for people: that its runtime is suspended, or that it is
 * archived though that is not declared. Only of what is not run again and again: the outcome of a run is told where it is run.
 */
export function standingOf(
  resource: Resource,
  live: LiveResource,
  declared: Attributes = new Map(),
): readonly Diagnostic[] {
  if (resource.reacts !== undefined) return [];
  const about = `${resource.type} "${live.name}"`;
  const found = (live.standing ?? [])
    .filter(({ code }) => code === "suspended")
    .map(({ summary }) =>
      warning("live.standing", `${about} is ${summary}`, {
        detail: "It answers nothing until it is resumed; no plan changes that.",
        hint: "resume it in the dashboard, or with the action rnv_resume (Terraform 1.14)",
      }),
    );
  const { archives } = resource;
  const isArchived = archives !== undefined && live.attributes.get(archives.attribute) === true;
  if (!isArchived || declared.get(archives.attribute) === true) return found;
  return [
    ...found,
    warning("live.standing", `${about} is archived`, {
      detail: "It takes no new deployments; what runs of it goes on.",
    }),
  ];
}
