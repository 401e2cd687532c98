import {
  byUrgency,
  type FleetReport,
  fleetLine,
  foundText,
  isWell,
  type MemberResult,
  type MemberStatus,
  memberStatuses,
  placeText,
  statusWords,
} from "../fleet-report";
import { elapsedText } from "../time-text";
import { filterForm } from "./filter";
import { html, Markup, nothing, type Part, preformatted } from "./markup";
import { page, type Section } from "./page";

/** So many members that need attention are shown unfolded. */
const mostOpen = 40;

/** The report of a fleet as a page: what needs attention first, with its errors; then what is well. */
export function fleetPage(report: FleetReport): string {
  const { verb, started_at: started, seconds, shard, selected, members } = report;
  const urgent = members.filter((one) => !isWell(one));
  const facts = [
    ["Began", started],
    ["Took", elapsedText(seconds)],
    ["Shard", shard === undefined ? "" : `${shard.index} of ${shard.count}, of ${selected.length} members`],
    ["Exit code", String(report.exit_code)],
  ] as const;
  return page({
    heading: `rnv fleet ${verb}`,
    ...verdictOf(report),
    line: fleetLine(report),
    facts: facts.filter(([, value]) => value !== ""),
    sections: [countsSection(report), membersSection(report, urgent)],
  });
}

const mild: ReadonlySet<MemberStatus> = new Set(["changes", "checkout", "locked"]);

function verdictOf({ members }: FleetReport): {
  readonly verdict: string;
  readonly tone: "stop" | "act" | "calm";
} {
  if (members.every(isWell)) return { verdict: "\u2714 All well", tone: "calm" };
  return members.every((one) => isWell(one) || mild.has(one.status))
    ? { verdict: "\u25b6 Changes", tone: "act" }
    : { verdict: "\u2716 Look here", tone: "stop" };
}

function countsSection({ counts, members }: FleetReport): Section | undefined {
  if (members.length === 0) return undefined;
  const cards = [...memberStatuses].reverse().flatMap((status) => {
    const count = counts[status] ?? 0;
    return count === 0
      ? []
      : [html`<div class="${classOf(status)}"><dt>${statusWords[status]}<dd>${count}</div>`];
  });
  return { id: "counts", title: "Counts", body: html`<dl class="cards">${cards}</dl>` };
}

const classOf = (status: MemberStatus): string =>
  isWell({ status }) ? "create" : status === "drift" || mild.has(status) ? "update" : "delete";

const signs = { create: "\u2714", update: "~", delete: "\u2716" } as Readonly<Record<string, string>>;

/** Members are distinguished by what they are and, where there are stages, by that. */
function membersSection({ verb, members }: FleetReport, urgent: readonly MemberResult[]): Section {
  const filter = filterForm("members", [
    {
      ...{ name: "action", label: "Ended" },
      values: members.map(({ status }) => status),
      wordOf: (status) => statusWords[status as MemberStatus],
    },
    { name: "project", label: "Stage", values: members.flatMap(({ stage }) => stage ?? []) },
  ]);
  const isOpen = urgent.length <= mostOpen;
  const entries = (ones: readonly MemberResult[]): readonly Markup[] =>
    ones.map((one) => memberEntry(one, verb, isOpen && !isWell(one)));
  const well = members.filter(isWell);
  const part = (id: string, title: string, ones: readonly MemberResult[]): Part =>
    ones.length === 0
      ? nothing
      : html`<div class="part" id="${id}"><h3>${title} <span class="count">${ones.length}</span></h3>
${entries(ones)}</div>`;
  return {
    ...{ id: "members", title: "Members", count: members.length },
    body: html`${filter}${part("urgent", "Needs attention", [...urgent].sort(byUrgency))}${part("well", "Well", well)}`,
  };
}

function memberEntry(one: MemberResult, verb: FleetReport["verb"], isOpen: boolean): Markup {
  const { name, folder, stage, status, digest, diagnostics = [], output } = one;
  const found = foundText(one, verb === "apply");
  // Through the fleet: it alone knows the files, the state and the key of a member.
  const again = `rnv fleet ${verb === "apply" ? "plan" : verb} --member ${quoted(name)}`;
  const rows: (readonly [string, Part])[] = [
    ...(folder === undefined ? [] : [["folder", html`<code>${folder}</code>`] as const]),
    ...(stage === undefined ? [] : [["stage", stage] as const]),
    ["exit code", one.exit_code],
    ["took", elapsedText(one.seconds)],
    ...(digest === undefined ? [] : [["digest", html`<code>${digest}</code>`] as const]),
    ["look again", html`<code class="copy">${again}</code>`],
  ];
  const kind = classOf(status);
  const mark = html`<span class="mark ${kind}">${signs[kind]} ${statusWords[status]}</span>`;
  return html`<details class="entry" data-action="${status}" data-project="${stage}"${isOpen ? new Markup(" open") : nothing}><summary>${mark} <code>${name}</code> ${found}</summary>
<div id="${name}" class="body"><dl class="notes">${rows.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>${diagnostics.map(findingItem)}${output === undefined ? nothing : html`<pre tabindex="0">${preformatted(output)}</pre>`}</div></details>
`;
}

/** A word for a shell, where it needs quotes. */
const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

type Finding = NonNullable<MemberResult["diagnostics"]>[number];

function findingItem({ severity, code, summary, hint, location }: Finding): Markup {
  const place = location === undefined ? nothing : html` <code>${placeText(location)}</code>`;
  const advice = hint === undefined ? nothing : html`<br>hint: ${hint}`;
  return html`<p><span class="${severity}">${severity}[${code}]</span> ${summary}${place}${advice}</p>`;
}
