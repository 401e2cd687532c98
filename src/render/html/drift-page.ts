import { type Diagnostic, positionAt } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { shortList } from "../../model/text";
import { planDocument } from "../../plan/document";
import type { AcceptedDrift, DriftReport, PendingResource } from "../../plan/drift";
import type { Plan } from "../../plan/plan";
import {
  acceptedHeading,
  consequencePhrase,
  consequencesByRoot,
  driftLine,
  expiredHeading,
  isTelling,
  mostNames,
  partsByHolder,
  pendingPhrase,
  plainly,
  unmanagedWhole,
} from "../drift-text";
import type { Mark } from "../graph";
import { planDocumentSchema } from "../plan-json";
import { asRecorded, revealedLine, standingPhrase } from "../plan-wording";
import { addressesInReadingOrder } from "../reading-order";
import { plainText } from "../values";
import { fieldRows, headOf, type Lines } from "./entry";
import { filterForm } from "./filter";
import { html, list, Markup, nothing } from "./markup";
import { page, type Section } from "./page";
import { findingsSection, type ReportScope, uncheckedList, unmanagedSection } from "./plan-page";
import { type Topology, topologyOf } from "./topology";
import { topologySection } from "./topology-svg";

/** What a page of drift is made of besides the report. */
export interface DriftScope extends ReportScope {
  readonly diagnostics: readonly Diagnostic[];
  /** Texts of the manifest's files, by path. */
  readonly sources: ReadonlyMap<string, string>;
  /** The plan that the report was made of. */
  readonly plan: Plan;
}

/** A drift report as a page. */
export function driftPage(report: DriftReport, scope: DriftScope): string {
  const { stage, stack, plan, sources } = scope;
  const lines: Lines = ({ file, start }) => {
    const text = sources.get(file);
    return text === undefined ? undefined : positionAt(text, start).line;
  };
  const facts = [
    ["Stage", stage ?? ""],
    ["Stack", stack ?? ""],
    ["Workspace", plan.binding.workspaceId],
    ["Service", plan.binding.baseUrl],
    ["Counted", report.failOn.join(", ")],
  ] as const;
  const anchors = new Set([
    ...report.missing,
    ...[...report.drifted, ...report.pending].map(({ address }) => address),
  ]);
  return page({
    heading: "rnv drift",
    verdict: report.hasDrift ? "\u2716 Drift" : "\u2714 No drift",
    tone: report.hasDrift ? "stop" : report.pending.length > 0 ? "act" : "calm",
    line: driftLine(report),
    facts: facts.filter(([, value]) => value !== ""),
    sections: [
      findingsSection(scope.diagnostics),
      topologySection(driftTopology(report, plan, scope), anchors),
      foundSection(report, lines),
      runningSection(report),
      report.unchecked.length === 0
        ? undefined
        : {
            ...{ id: "unchecked", title: "Not checked", count: report.unchecked.length },
            body: uncheckedList("Could not be checked:", report.unchecked),
          },
      undeclaredSection(report),
      acceptedSection("accepted", "Accepted", acceptedHeading, report.accepted),
      acceptedSection("expired", "Accepted before", expiredHeading, report.expired),
      revealedSection(report),
      unmanagedSection({ unmanaged: unmanagedWhole(report) }),
    ],
  });
}

/** What is there, with marks of what was found. */
function driftTopology(report: DriftReport, plan: Plan, { types }: ReportScope): Topology {
  const found = new Map<string, Mark>([
    ...report.pending.map(({ address }) => [address, "pending"] as const),
    ...report.drifted.map(({ address }) => [address, "drift"] as const),
    ...report.missing.map((address) => [address, "missing"] as const),
  ]);
  const document = planDocumentSchema.parse(planDocument(plan));
  return topologyOf(document, types, found);
}

type Kind = "missing" | "drifted" | "pending";

const kindMarks: Readonly<Record<Kind, Markup>> = {
  missing: html`<span class="mark delete">\u2717 missing</span>`,
  drifted: html`<span class="mark update">\u2260 drift</span>`,
  pending: html`<span class="mark adopt">\u2026 pending</span>`,
};

/** So many findings are shown unfolded. */
const mostOpen = 40;

interface ItemForm {
  readonly isOpen: boolean;
  /** An entry above bears its address as an id. */
  readonly isTold?: boolean;
}

const item = (
  kind: Kind,
  address: Address,
  phrase: string,
  body: Markup,
  { isOpen, isTold = false }: ItemForm,
): Markup =>
  html`<details class="entry" data-action="${kind}" data-project="${headOf({ address })}"${isOpen ? new Markup(" open") : nothing}><summary>${kindMarks[kind]} <code>${address}</code> ${phrase}</summary>
<div id="${isTold ? `${kind}-${address}` : address}" class="body">${body}</div></details>
`;

/** What was found, to filter: what is gone, what is changed, and what waits to be applied. */
function foundSection(report: DriftReport, lines: Lines): Section | undefined {
  const { missing, drifted, pending } = report;
  const count = missing.length + drifted.length + pending.length;
  if (count === 0) return undefined;
  const isOpen = count <= mostOpen;
  const kinds: readonly [Kind, readonly { readonly address: Address }[]][] = [
    ["missing", missing.map((address) => ({ address }))],
    ["drifted", drifted],
    ["pending", pending],
  ];
  const filter = filterForm("differences", [
    {
      ...{ name: "action", label: "Found" },
      values: kinds.flatMap(([kind, all]) => (all.length === 0 ? [] : [kind])),
    },
    {
      ...{ name: "project", label: "Project or service" },
      values: kinds.flatMap(([, all]) => all.map((one) => headOf(one))),
    },
  ]);
  const part = (kind: Kind, title: string, entries: readonly Markup[], note: Markup = nothing): Markup =>
    entries.length === 0
      ? nothing
      : html`<div class="part" id="${kind}"><h3>${title} <span class="count">${entries.length}</span></h3>
${note}${entries}</div>`;
  const gone = addressesInReadingOrder(missing.map((address) => ({ address }))).map(({ address }) =>
    item("missing", address, "was deleted outside rnv", following(report, address), { isOpen }),
  );
  const changed = addressesInReadingOrder(drifted).map(({ address, fields }) =>
    item(
      ...(["drifted", address, "changed outside rnv"] as const),
      html`${fieldRows(fields.map(plainly), lines)}${following(report, address)}`,
      { isOpen },
    ),
  );
  const told = new Set([...missing, ...drifted.map(({ address }) => address)]);
  const waiting = addressesInReadingOrder(pending).map((one) =>
    pendingItem(one, lines, { isOpen, isTold: told.has(one.address) }),
  );
  const body = html`${filter}${part("missing", "Deleted outside rnv", gone)}${part("drifted", "Changed outside rnv", changed, html`<p>As recorded, and as it is now.</p>`)}${part("pending", "Declared, but not applied yet", waiting)}`;
  return { id: "differences", title: "Differences", count, body };
}

const following = (report: DriftReport, address: Address): Markup =>
  list(
    (consequencesByRoot(report).get(address) ?? []).map(
      (one) => html`to repair it: ${consequencePhrase(one)}`,
    ),
  );

function pendingItem(pending: PendingResource, lines: Lines, form: ItemForm): Markup {
  const { address, fields, standing } = pending;
  const why = standing === undefined ? nothing : html`<p>${standingPhrase(standing)}</p>`;
  const phrase = pending.action === "no-op" && standing && fields.length === 0 ? "" : pendingPhrase(pending);
  const body = html`${why}${fieldRows(fields.filter(isTelling), lines)}`;
  return item("pending", address, phrase, body, form);
}

function runningSection(report: DriftReport): Section | undefined {
  if (report.running.length === 0) return undefined;
  const body = list(
    addressesInReadingOrder(report.running).map(
      (one) => html`<code>${one.address}</code>: ${standingPhrase(one)}`,
    ),
  );
  return {
    ...{ id: "running", title: "Not running the last deployment", count: report.running.length },
    body,
  };
}

function undeclaredSection(report: DriftReport): Section | undefined {
  const parts = partsByHolder(report).map(
    ([holder, names]) =>
      html`<code>${holder}</code>: variables not in the manifest: ${shortList(names, mostNames)}`,
  );
  const settings = report.undeclared.map(
    ({ address, path, value, default: byDefault }) =>
      html`<code>${address}</code> <code>${path}</code>: ${plainText(value)} (default ${plainText(byDefault)})`,
  );
  const items = [...parts, ...settings];
  return items.length === 0
    ? undefined
    : { id: "undeclared", title: "Not declared", count: items.length, body: list(items) };
}

function acceptedSection(
  id: string,
  title: string,
  heading: string,
  accepted: readonly Omit<AcceptedDrift, "class">[] = [],
): Section | undefined {
  if (accepted.length === 0) return undefined;
  const rows = accepted.map(
    ({ address, attribute, until, reason }) =>
      html`<tr><th><code>${address}</code><td>${attribute}<td>until ${until}<td>${reason}`,
  );
  const body = html`<p>${heading}</p><table class="rows">${rows}</table>`;
  return { id, title, count: accepted.length, body };
}

function revealedSection(report: DriftReport): Section | undefined {
  const line = revealedLine(report, asRecorded);
  return line === undefined ? undefined : { id: "revealed", title: "Revealed", body: html`<p>${line}</p>` };
}
