import { type Address, nameOf } from "../model/address";
import { compareTexts, groupBy } from "../model/collections";
import { isCrossStackOutput } from "../model/desired";
import { capitalized, shortList } from "../model/wording";
import { free, sameMoney, totalCost } from "../plan/change";
import { shownPlan } from "../plan/document";
import { type AttributeChange, type Change, isListed, isRun, operationOf, type Plan } from "../plan/plan";
import { escapeText, quoteText, shorten } from "./escape-text";
import { attributeSign, type ShownField, shownText } from "./field-text";
import { asciiSign, tagOf } from "./marks";
import { homeOf, readingOrder } from "./order";
import {
  actionPhrase,
  checkWords,
  counted,
  countList,
  countNouns,
  effectWords,
  moneyChange,
  planLine,
} from "./plan-wording";
import { arrow, type Cell, code, codes, itemSection, type Section, section } from "./sections";
import { exactTime } from "./time-text";

/**
 * Which changes are one item, from the finest to the coarsest. `equal`: those that read the same. `alike`: new resources
 * of one type, too. `types`: all of one type, and a deletion with its parts.
 */
type Grouping = "none" | "equal" | "alike" | "types";

const fewestEqual = 4;
const mostCreates = 20;

/**
 * Returns the sections of every report of a plan: losses and blocked changes first, then alterations, then new
 * resources, then further facts. Each section is in reading order. No loss is part of a group, or left out. A line around
 * them that has nothing to say is empty.
 */
export function planReport(raw: Plan, grouping: Grouping = "alike") {
  const plan = shownPlan(raw);
  const listed = readingOrder(plan.changes.filter((change) => isListed(change, plan)));
  const isNew = (change: Change): boolean => !isLoss(change) && change.action === "create";
  const isFolded = grouping === "types";
  const part = (title: string, isPart: (change: Change) => boolean, weight?: "whole") =>
    itemSection("changes", title, "", grouped(listed.filter(isPart), plan, grouping), { isFolded, weight });
  const parts = [
    ...part("Destroyed, replaced or blocked", isLoss, "whole"),
    ...part("Changed", (change) => !isLoss(change) && !isNew(change)),
    ...part("Created", isNew),
  ];
  const changes = parts.flatMap(({ items = [] }) => items.flatMap((one) => [...one.changes, ...one.parts]));
  const { checks = [] } = plan;
  const { title, counts } = checkWords(checks);
  return {
    sections: [...parts, ...planSections(plan)],
    /** Those of the sections, in their order. */
    changes,
    isFolded,
    line: planLine(plan),
    blocked: blockedLine(changes),
    checks: checks.length === 0 ? "" : `${title}: ${counts}.`,
    // Items of one type each have its count.
    counts: changes.length > 1 && !isFolded ? countsOf(changes) : "",
    cost: (arrow: string) => costLine(plan, arrow),
  };
}

function countsOf(changes: readonly Change[]): string {
  const byType = [...groupBy(changes, ({ type }) => type)].sort(([a], [b]) => compareTexts(a, b));
  const sentences = byType.map(([type, own]) => {
    const deeds = own.map((change) => (isRun(change) ? "run" : operationOf(change)));
    const counts = Object.entries(countedDeeds).map(
      ([word, counted]) => [`to ${word}`, deeds.filter((deed) => counted.includes(deed)).length] as const,
    );
    return `${capitalized(counted(2, escapeText(type)).slice(2))}: ${countList(counts)}.`;
  });
  return sentences.join(" ");
}

/** The words of the counts in their order, each with the deeds that it counts. */
const countedDeeds: Readonly<Record<string, readonly string[]>> = {
  destroy: ["delete", "replace"],
  archive: ["archive"],
  change: ["update"],
  import: ["adopt"],
  forget: ["forget"],
  record: ["no-op"],
  run: ["run"],
  add: ["create", "replace"],
};

function blockedLine(changes: readonly Change[]): string {
  const blocked = changes.filter(({ blockedBy }) => blockedBy !== undefined).length;
  if (blocked === 0) return "";
  const [verb, them] = blocked === 1 ? ["is", "it"] : ["are", "them"];
  return `${counted(blocked, "change")} ${verb} blocked. Nothing is applied until you confirm or remove ${them}.`;
}

/** Returns true if a change ends something, or may not be applied as it stands: it is shown first, and never left out. */
const isLoss = ({ action, blockedBy }: Change): boolean =>
  action === "delete" || action === "replace" || blockedBy !== undefined;

function grouped(changes: readonly Change[], plan: Plan, grouping: Grouping): readonly PlanEntry[] {
  const ownerOf = ownersIn(plan);
  const isFolded = (change: Change): boolean =>
    grouping === "types" && change.withParent && !change.blockedBy && ownerOf(change) !== undefined;
  const parts = groupBy(changes.filter(isFolded), ownerOf);
  const shown = changes.filter((change) => !isFolded(change));
  const groups = groupBy(shown, (change) => likeness(change, plan, grouping) ?? change);
  const entryAt = new Map<Change, PlanEntry>();
  for (const own of groups.values()) {
    const isMany = own.length >= (grouping !== "types" && own.some(isMade) ? mostCreates + 1 : fewestEqual);
    for (const one of isMany ? [own] : own.map((change) => [change])) {
      const [first] = one as [Change];
      entryAt.set(first, entryOf(one, plan, parts.get(first), first.withParent ? ownerOf(first) : undefined));
    }
  }
  return shown.flatMap((change) => entryAt.get(change) ?? []);
}

const isMade = (change: Change): boolean => change.action === "create" && !isRun(change);

/** Equal for changes that share an item; undefined for a change that is shown by itself. */
function likeness(change: Change, plan: Plan, grouping: Grouping): string | undefined {
  const { type, effects, cost, missing, previousAddress, deployed, reason } = change;
  if (grouping === "none" || isLoss(change) || previousAddress !== undefined || missing) return undefined;
  const same = `${type} ${actionPhrase(change)}`;
  if (isMade(change)) return grouping === "equal" ? undefined : same;
  if (grouping === "types") return same;
  const fields = listedFields(change, plan);
  const sides = fields.map(({ path, before, after, cause }) => [path, before, after, cause]);
  const bill = costOf([change]) && [cost?.before, cost?.after];
  return JSON.stringify([same, reason, deployed, sides, effects, bill]);
}

type PlanEntry = ReturnType<typeof entryOf>;

/** `parts` go with it, and have no items of their own; `owner` is the resource that it goes with. */
function entryOf(changes: readonly Change[], plan: Plan, parts: readonly Change[] = [], owner?: Change) {
  const [first] = changes as [Change];
  const { action, withParent, construct, previousAddress, blockedBy } = first;
  const isMany = changes.length > 1;
  const reason = changes.every((one) => one.reason === first.reason) ? first.reason : undefined;
  const deployed = changes.every((one) => one.deployed === first.deployed) ? first.deployed : undefined;
  const effects = isMany ? [...new Set(changes.flatMap((one) => one.effects))] : first.effects;
  // The consequences of a deletion with its parent are shown once, at the parent.
  const cost = withParent ? undefined : costOf(changes);
  const together = parts.length > 0 ? ` with ${countParts(parts)}` : "";
  const holder = construct?.in === undefined ? "" : `, in ${construct.in}`;
  const notes = [
    isMany ? undefined : construct && `construct ${construct.path}${holder}`,
    previousAddress && `moved from ${previousAddress}`,
    reason === undefined ? undefined : `because ${reason}`,
    deployed,
  ];
  const bill = cost && moneyChange(cost.before, cost.after, arrow);
  return {
    changes,
    parts,
    tag: tagOf(operationOf(first)),
    homes: changes.map(({ address, construct }) => homeOf(construct?.in ?? address)),
    effects: (!withParent && effects.map((effect) => effectWords[effect]).join(", ")) || undefined,
    facts: bill === undefined ? [] : [{ label: "cost", text: `${bill} a month` }],
    stop: blockedBy,
    sign: asciiSign(operationOf(first)),
    subject: isMany ? counted(changes.length, first.type) : first.address,
    names: isMany ? changes.map(({ address }) => address) : [],
    name: isMany || isNameShown(first) ? undefined : first.liveName,
    id: isMany || action === "update" || withParent ? undefined : first.id,
    phrase: isMany
      ? actionPhrase(first).replace(/^has /, "have ")
      : `${actionPhrase(first)}${owner ? ` together with ${owner.address}` : together}`,
    notes: notes.filter((note) => note !== undefined),
    fields: isMany ? fieldsOfMany(changes, plan) : listedFields(first, plan),
  };
}

/** The address already tells the name, or the name is among the fields shown. */
const isNameShown = (change: Change): boolean =>
  change.liveName === "" || change.action === "create" || change.address.split(".").includes(change.liveName);

function costOf(changes: readonly Change[]) {
  const total = totalCost(changes.flatMap(({ cost }) => cost ?? []));
  return sameMoney(total.before, total.after) ? undefined : total;
}

/** The fields to show: those that a change sends and leaves alone; in a refresh-only plan those that it records. */
const listedFields = (change: Change, plan: Plan): readonly AttributeChange[] =>
  plan.options.mode === "refresh-only"
    ? (change.drift ?? []).map((field) => ({ ...field, cause: "edit" as const }))
    : [
        ...change.attributes.filter(({ placement }) => !placement),
        ...change.released,
        ...(change.lifecycle ?? []),
      ];

/** The fields of many resources: a change that all have as it is, of others how many have them. */
function fieldsOfMany(changes: readonly Change[], plan: Plan): readonly ShownField[] {
  const all = changes.flatMap((change) => listedFields(change, plan));
  const listed = all.filter((field) => attributeSign(field) !== " " || field.cause === "released");
  const byPath = groupBy(listed, (field) => `${attributeSign(field)} ${field.cause} ${field.path}`);
  return [...byPath.values()].map((fields): ShownField => {
    const [first] = fields as [AttributeChange];
    const kinds = [...groupBy(fields, ({ before, after }) => JSON.stringify([before, after])).values()];
    const isOfAll = fields.length === changes.length;
    if (kinds.length === 1 && isOfAll) return first;
    return { ...first, several: kinds.sort((a, b) => b.length - a.length), isOfAll };
  });
}

/** Returns a function that finds the removed resource of a part: the resource with the nearest name around it. */
export function ownersIn({ changes }: Pick<Plan, "changes">): (part: Change) => Change | undefined {
  const removed = changes.filter(
    ({ action, withParent }) => !withParent && (action === "delete" || action === "replace"),
  );
  const byName = new Map(removed.map((change) => [nameOf(change.address), change]));
  return ({ address }) => {
    const parts = nameOf(address).split(".");
    const owners = parts.map((_, i) => byName.get(parts.slice(0, parts.length - i).join(".")));
    return owners.find((owner) => owner !== undefined);
  };
}

export function deletionText(change: Change, plan: Plan): string {
  const { address, type, action, liveName: name } = change;
  const verb = action === "replace" ? "deleted and created again" : "deleted";
  const ownerOf = ownersIn(plan);
  const parts = plan.changes.filter((part) => part.withParent && ownerOf(part) === change);
  const more = parts.length === 0 ? "" : `  Deleted with it: ${countParts(parts)}.\n`;
  return `\n${address} (${type} ${quoteText(name)}) will be ${verb}. This cannot be undone.\n${more}`;
}

export const countParts = (parts: readonly Change[]): string =>
  countNouns(parts.map(({ type }) => escapeText(type))).join(", ");

function costLine({ cost }: Plan, arrow: string): string {
  const isSame = sameMoney(cost.before, cost.after);
  if (isSame && sameMoney(cost.after, free)) return "";
  const label = cost.estimate ? "Estimated monthly cost" : "Monthly cost";
  return `${label}: ${moneyChange(cost.before, cost.after, arrow, true)}${isSame ? " (unchanged)" : ""}`;
}

/** Returns the facts of a plan besides its changes: resources that moved, were left alone, not read, or not managed. */
function planSections(plan: Plan): readonly Section<never>[] {
  const unmoving = plan.changes.filter(({ action }) => action === "no-op");
  const moved = unmoving.flatMap(({ address, previousAddress: before }) =>
    before === undefined ? [] : [[[code(before), " has moved to ", code(address)]]],
  );
  const released = unmoving.flatMap((change) =>
    change.released.map(({ path, after }) => [
      code(change.address),
      code(path),
      after.kind === "absent" ? "(unset)" : code(shownText(after)),
    ]),
  );
  const resources = plan.unchecked.filter(({ attribute }) => attribute === undefined);
  const values = plan.unchecked.filter(({ attribute }) => attribute !== undefined);
  const warning = { severity: "warning" } as const;
  const unread = "Could not be read, planned from what is recorded:";
  const withheld = `This run cannot read ${counted(values.length, "value")}. Apply reads each, and applies what is new or changed:`;
  return [
    ...section("outputs", "Changes to outputs", "Changes to outputs:", outputRows(plan), { weight: "whole" }),
    ...section("moved", "Moved", "Moved in the manifest:", moved),
    ...section("released", "Released", "Left as they are (no longer managed):", released),
    ...standingSection("standing", plan.standing, warning),
    ...section("unchecked", "Not checked", unread, rowsByReason(resources), warning),
    ...section("unchecked", "Not checked", withheld, rowsByReason(values), warning),
    ...section("revealed", "Revealed", revealedLine(plan, "as declared and not written")),
    ...section("unmanaged", "Not managed here", unmanagedLine(plan.unmanaged)),
    ...section("narrowed", "Narrowed", narrowedLine(plan.options)),
  ];
}

/** Says that a plan is of a part of the manifest; empty unless it is. */
function narrowedLine({ targets, excludes }: Plan["options"]): string {
  if (targets.length + excludes.length === 0) return "";
  return "Narrowed by -target or -exclude: nothing else was compared with the manifest.";
}

function outputRows({ outputs }: Plan): readonly (readonly Cell[])[] {
  const shown = outputs.filter(({ name }) => !isCrossStackOutput(name));
  const rows = shown.map(({ name, before, after }): readonly Cell[] => {
    const sign = attributeSign({ path: name, before, after, cause: "edit", forcesReplacement: false });
    const sides = [before, after]
      .filter(({ kind }) => kind !== "absent")
      .map((side) => code(shownText(side)));
    return [[`${sign} `, code(name)], sides.flatMap((side, i) => (i === 0 ? [side] : [` ${arrow} `, side]))];
  });
  const hidden = outputs.length - shown.length;
  return hidden === 0 ? rows : [...rows, [`${counted(hidden, "value")} that other stacks read`]];
}

export const mostNamed = 3;

/** Counts the revealed values by result; empty unless the plan may reveal values. */
export function revealedLine({ revealed }: Pick<Plan, "revealed">, equal: string): string {
  if (revealed === undefined) return "";
  const { length } = revealed;
  if (length === 0) return "No value had to be revealed.";
  const same = revealed.filter(({ isEqual }) => isEqual).length;
  const found = countList(Object.entries({ [equal]: same, different: length - same }));
  return `${counted(length, "value")} revealed for the comparison (the platform keeps an audit event of each): ${found}.`;
}

/** Rows of an address and a reason; many with one reason are one row that names the first of them. */
export function rowsByReason(
  items: readonly { readonly address: Address; readonly reason: string; readonly detail?: string }[],
): readonly (readonly Cell[])[] {
  const byReason = groupBy(items, ({ reason }) => reason);
  return [...byReason].flatMap(([reason, own]): readonly (readonly Cell[])[] => {
    if (own.length <= mostNamed)
      return own.map(({ address, detail = "" }) => [code(address), `${reason}${detail}`]);
    const names = own.map(({ address }) => address);
    return [[codes(names, mostNamed), reason]];
  });
}

const longestSummary = 300;

export const standingReason = ({ address, summary, since }: Plan["standing"][number]) => ({
  address,
  reason: shorten(summary, longestSummary),
  detail: since === undefined ? "" : ` (${exactTime(since)})`,
});

const notRunning = "Not running what was applied last";

export const standingSection = (id: string, standing: Plan["standing"], marks?: Pick<Section, "severity">) =>
  section(id, notRunning, `${notRunning}:`, rowsByReason(readingOrder(standing).map(standingReason)), marks);

const longestUnmanaged = 60;

/** `Also in this workspace, not managed here: 2 services ("cron", "mail"), 1 project ("Old"); …`, the most numerous first. */
export function unmanagedLine(unmanaged: Plan["unmanaged"]): string {
  if (unmanaged.length === 0) return "";
  const counts = [...groupBy(unmanaged, ({ type }) => type)]
    .sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(([type, all]) => {
      const names = all.map(({ name }) => quoteText(shorten(name, longestUnmanaged)));
      return `${counted(all.length, escapeText(type))} (${shortList(names)})`;
    })
    .join(", ");
  return `Also in this workspace, not managed here: ${counts}; archived services cannot be listed.`;
}
