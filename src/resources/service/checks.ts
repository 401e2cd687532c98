import { type GapName, gapVariable } from "../../api/gaps";
import { documentedDefaults } from "../../api/wire/shapes";
import { didYouMean, joinHints } from "../../diagnostics/suggest";
import type { Catalog, CatalogPlan } from "../../model/catalog";
import { matchingChoices } from "../../model/declared-choice";
import type { Offered } from "../../model/live";
import type { Finding } from "../../model/resource-operations";
import type { CheckContext } from "../../model/resource-type";
import type { AttributeLookup, ResolvedValue } from "../../model/value";
import { checkName, doubtful, textAt } from "../attribute-values";
import { configurationRules, ranges } from "./configuration";

type DeclaredService = ReadonlyMap<string, ResolvedValue>;

export function checkService(
  declared: DeclaredService,
  catalog: Catalog,
  around?: CheckContext,
): readonly Finding[] {
  return [
    ...["kind", "configuration.region", "configuration.runtime"].flatMap((path) =>
      checkChoice(declared, path, catalog),
    ),
    ...checkPlan(declared, catalog),
    ...checkLimits(declared, catalog, around),
    ...checkNumbers(declared),
    ...checkReplicas(declared),
    ...checkEnvironment(declared, around),
    ...checkShown(declared),
    ...checkSchedule(declared),
    ...checkTimezone(declared),
    ...checkName(declared, "name"),
  ];
}

/** Warns of texts that the interface does not show and no catalog lists. */
const checkShown = (declared: DeclaredService): readonly Finding[] =>
  Object.entries(configurationRules).flatMap(([attribute, { known, offered }]) => {
    const value = textAt(declared, attribute);
    if (!known || offered || value === undefined || known.includes(value)) return [];
    const summary = `the value "${value}" is not documented`;
    return [notShown("values of settings", attribute, summary, didYouMean(value, known))];
  });

/** Warns of a schedule that no cron reads, and of an undocumented schedule for a kind that is served. */
function checkSchedule(declared: DeclaredService): readonly Finding[] {
  const attribute = "configuration.schedule";
  const kind = textAt(declared, "kind");
  const schedule = textAt(declared, attribute) ?? documentedDefaults.schedule;
  if (/^\s*[^\s@]\S*\s*$/.test(schedule))
    return [doubtful(attribute, `"${schedule}" is not a cron expression`, 'such as "0 * * * *"')];
  if ((kind !== "web" && kind !== "static") || schedule === documentedDefaults.schedule) return [];
  const summary = `a schedule is not documented for kind "${kind}"`;
  return [notShown("settings of kinds", attribute, summary, undefined)];
}

function checkTimezone(declared: DeclaredService): readonly Finding[] {
  const attribute = "configuration.timezone";
  const timeZone = textAt(declared, attribute);
  try {
    if (timeZone) new Intl.DateTimeFormat("en", { timeZone });
    return [];
  } catch {
    const suggestion = didYouMean(timeZone ?? "", Intl.supportedValuesOf("timeZone"));
    return [doubtful(attribute, `time zone ${JSON.stringify(timeZone)} does not exist`, suggestion)];
  }
}

const notShown = (gap: GapName, attribute: string, summary: string, hint: string | undefined): Finding => ({
  ...doubtful(attribute, summary),
  hint: joinHints(hint, `it is sent as it is written: gap "${gap}"`),
});

const idsOf = (choices: readonly { readonly id: string }[]): readonly string[] => choices.map(({ id }) => id);

/** Returns the plan of an id for a kind, else any plan of that id. */
export function findPlan(catalog: Catalog, id: string, kind: string | undefined): CatalogPlan | undefined {
  const plans = [...catalog.plans, ...catalog.databasePlans].filter((plan) => plan.id === id);
  return plans.find(({ kinds }) => kind !== undefined && kinds.includes(kind)) ?? plans[0];
}

export function offeredWords(path: string, catalog: Catalog): readonly string[] {
  if (path === "kind") return idsOf(catalog.serviceTypes);
  if (path === "configuration.region") return idsOf(catalog.regions);
  if (path === "configuration.runtime") return catalog.runtimes;
  return path === "configuration.plan" ? idsOf([...catalog.plans, ...catalog.databasePlans]) : [];
}

function checkChoice(declared: DeclaredService, path: string, catalog: Catalog): readonly Finding[] {
  const chosen = textAt(declared, path);
  const offered = offeredWords(path, catalog);
  // A default is available even if the list lacks it: `auto` is no region.
  const isDefault = chosen === catalog.defaults[path.slice(path.indexOf(".") + 1)];
  if (chosen === undefined || isDefault || offered.length === 0 || offered.includes(chosen)) return [];
  return [notOffered(path, chosen, offered)];
}

function checkPlan(declared: DeclaredService, catalog: Catalog): readonly Finding[] {
  const path = "configuration.plan";
  const id = textAt(declared, path);
  const plans = [...catalog.plans, ...catalog.databasePlans];
  if (id === undefined || plans.length === 0) return [];
  const declaredKind = textAt(declared, "kind");
  // A kind that does not exist is reported once, under `kind`.
  const kind = plans.some((plan) => plan.kinds.includes(declaredKind ?? "")) ? declaredKind : undefined;
  const offering = kind === undefined ? plans : plans.filter((plan) => plan.kinds.includes(kind));
  if (offering.some((plan) => plan.id === id)) return [];
  const offered = [...new Set(offering.map((plan) => plan.id))];
  if (!plans.some((plan) => plan.id === id)) return [notOffered(path, id, offered, kind)];
  return [unavailable(path, `plan "${id}" is not available for kind "${kind}"`, onOffer(offered, kind))];
}

/** The limits of a plan by setting. */
const limited = { backupRetentionDays: "backupRetentionDays", maxConcurrency: "maxConnections" } as const;

/** Warns of declared settings above the limits of their plan. The meaning of the limits is not shown. */
function checkLimits(
  declared: DeclaredService,
  catalog: Catalog,
  around: CheckContext | undefined,
): readonly Finding[] {
  const path = "configuration.plan";
  const kept = around?.isNew ? catalog.defaults.plan : around?.live?.get(path);
  const id = textAt(declared, path) ?? String(kept ?? "");
  const plan = findPlan(catalog, id, textAt(declared, "kind"));
  return Object.entries(limited).flatMap(([field, name]): readonly Finding[] => {
    const attribute = `configuration.${field}`;
    const value = declared.get(attribute);
    const most = plan?.[name as (typeof limited)[keyof typeof limited]] || Number.POSITIVE_INFINITY;
    if (typeof value !== "number" || value <= most) return [];
    const summary = `${field} ${value} is above the ${name} of plan "${id}": ${most}`;
    return [{ code: "plan.limit", attribute, summary, isWarning: true, hint: limitHint }];
  });
}

const limitHint = 'what the limit means is not documented: gap "limits of plans"';

export function planLimit(attributes: AttributeLookup, catalog: Catalog) {
  const id = textAt(attributes, "configuration.plan") ?? String(catalog.defaults.plan ?? "");
  const most = findPlan(catalog, id, textAt(attributes, "kind"))?.workspaceLimit;
  return most ? { choice: `plan "${id}"`, most } : undefined;
}

const unavailable = (
  attribute: string,
  summary: string,
  ...hints: readonly (string | undefined)[]
): Finding => ({ code: "plan.not_on_offer", summary, hint: joinHints(...hints), attribute });

const impossible = (attribute: string, summary: string, hint?: string): Finding => ({
  code: "plan.invalid_combination",
  summary,
  hint,
  attribute,
});

function notOffered(path: string, chosen: string, offered: readonly string[], kind?: string): Finding {
  const name = path.slice(path.indexOf(".") + 1);
  const summary = `${name} "${chosen}" does not exist`;
  return unavailable(path, summary, didYouMean(chosen, offered), onOffer(offered, kind));
}

function onOffer(offered: readonly string[], kind: string | undefined): string {
  const scope = kind === undefined ? "" : ` for ${kind}`;
  return offered.length === 0 ? `nothing is available${scope}` : `available${scope}: ${offered.join(", ")}`;
}

const percentages = ["targetCpu", "targetMemory"];

const checkNumbers = (declared: DeclaredService): readonly Finding[] =>
  Object.keys(documentedDefaults).flatMap((field) => {
    const attribute = `configuration.${field}`;
    const value = declared.get(attribute);
    // Ranges of other fields are assumed from their names.
    const assumed = { minimum: 0, maximum: percentages.includes(field) ? 100 : undefined };
    const { minimum, maximum } = ranges[field] ?? assumed;
    if (typeof value !== "number" || (value >= minimum && value <= (maximum ?? value))) return [];
    const expected = maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
    const summary = `${field} must be a number ${expected}, not ${value}`;
    return [ranges[field] ? impossible(attribute, summary) : doubtful(attribute, summary)];
  });

function checkReplicas(declared: DeclaredService): readonly Finding[] {
  const fewest = declared.get("configuration.minReplicas");
  const most = declared.get("configuration.maxReplicas");
  if (typeof fewest !== "number" || typeof most !== "number" || fewest <= most) return [];
  const summary = `the minimum of ${fewest} replicas is above the maximum of ${most}`;
  const hint = `raise the maximum to ${fewest}, or lower the minimum`;
  return [impossible("configuration.minReplicas", summary, hint)];
}

function checkEnvironment(declared: DeclaredService, around: CheckContext | undefined): readonly Finding[] {
  const isDeclared = declared.has("environment");
  if ((declared.get("projectId") ?? null) === null) {
    const hint = "move the service into a project, or remove `environment`";
    const summary = "a service outside a project has no environment";
    return isDeclared ? [impossible("environment", summary, hint)] : [];
  }
  const environment = textAt(declared, "environment");
  const isOpen = environment === undefined && (!around?.isNew || isDeclared);
  return isOpen || !around?.offers?.environment
    ? []
    : checkOffered(environment, around.offers.environment, around.isParentNew ? "new" : "existing");
}

/** Returns the finding about an environment that a project does not offer; undefined: its default environment. */
export function checkOffered(
  environment: string | undefined,
  offered: readonly Offered[],
  project: "new" | "existing",
): readonly Finding[] {
  if (environment === undefined) {
    if (offered.some(({ isDefault }) => isDefault)) return [];
    const summary = "the project has no environment for services that name none";
    const hint = `write \`environment\`, or name the one for all services with ${gapVariable("productionEnvironment")}`;
    return [unavailable("environment", summary, hint, hasText(offered))];
  }
  const named = matchingChoices(offered, environment);
  const ids = named.flatMap(({ id }) => id ?? []);
  if (named.length === 1) return [];
  if (named.length > 1) {
    const summary = `the project has ${named.length} environments called "${environment}"`;
    return [unavailable("environment", summary, `name one by its id: ${ids.join(", ")}`)];
  }
  const names = offered.map(({ name }) => name);
  const choices =
    project === "new"
      ? `a new project has only ${names.join(", ")}: others are made in the dashboard once it is there`
      : `${hasText(offered)}; others are made in the dashboard`;
  const summary = `the project has no environment "${environment}"`;
  return [unavailable("environment", summary, didYouMean(environment, names), choices)];
}

const hasText = (offered: readonly Offered[]): string =>
  `it has: ${offered.map(({ name }) => name).join(", ") || "none"}`;
