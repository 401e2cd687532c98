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
import { cards, type Entry, entriesSection, findingList, tag } from "./entries";
import { html, nothing, type Part, preformatted } from "./markup";
import { page, type Section, shortened, type Verdict } from "./page";

/** So many members that need attention are shown unfolded. */
const mostOpen = 40;

/** The report of a fleet as a page: what needs attention first, with its errors; then what is well. */
export function fleetPage(report: FleetReport): string {
  const { verb, started_at: started, seconds, shard, selected } = report;
  return page({
    heading: `rnv fleet ${verb}`,
    ...verdictOf(report),
    line: fleetLine(report),
    facts: [
      ["Began", started],
      ["Took", elapsedText(seconds)],
      ["Shard", shard && `${shard.index} of ${shard.count}, of ${selected.length} members`],
      ["Exit code", String(report.exit_code)],
    ],
    sections: [countsSection(report), membersSection(report)],
  });
}

const mild: ReadonlySet<MemberStatus> = new Set(["changes", "checkout", "locked"]);

function verdictOf({ members }: FleetReport): Verdict {
  if (members.every(isWell)) return { verdict: "\u2714 All well", tone: "calm" };
  return members.every((one) => isWell(one) || mild.has(one.status))
    ? { verdict: "\u25b6 Changes", tone: "act" }
    : { verdict: "\u2716 Look here", tone: "stop" };
}

const kindOf = (status: MemberStatus): "create" | "update" | "delete" =>
  isWell({ status }) ? "create" : status === "drift" || mild.has(status) ? "update" : "delete";

const signs = { create: "\u2714", update: "~", delete: "\u2716" } as const;

function countsSection({ counts, members }: FleetReport): Section | undefined {
  if (members.length === 0) return undefined;
  const all = [...memberStatuses]
    .reverse()
    .map((status) => ({ kind: kindOf(status), words: statusWords[status], count: counts[status] ?? 0 }));
  return { id: "counts", title: "Counts", body: cards(all.filter(({ count }) => count > 0)) };
}

/** Members are distinguished by what they are and, where there are stages, by that. */
function membersSection({ verb, members }: FleetReport): Section | undefined {
  const urgent = members.filter((one) => !isWell(one)).sort(byUrgency);
  const partOf = (id: string, title: string, own: readonly MemberResult[], isOpen: boolean) => ({
    ...{ id, title, groups: [{ entries: own.map((one) => entryOf(one, verb)) }], isOpen },
  });
  return entriesSection({
    subject: "members",
    parts: [
      partOf("urgent", "Needs attention", urgent, urgent.length <= mostOpen),
      partOf("well", "Well", members.filter(isWell), false),
    ],
    filters: { action: "Ended", project: "Stage" },
    wordOf: (value, name) => (name === "action" ? statusWords[value as MemberStatus] : value),
    whole: `rnv fleet ${verb} --format json`,
  });
}

function entryOf(one: MemberResult, verb: FleetReport["verb"]): Entry {
  const { name, folder, stage, status, digest, diagnostics = [], output } = one;
  // Through the fleet: it alone knows the files, the state and the key of a member.
  const again = `rnv fleet ${verb === "apply" ? "plan" : verb} --member ${quoted(name)}`;
  const notes: readonly (readonly [string, Part])[] = [
    ["folder", folder && html`<code>${folder}</code>`],
    ["stage", stage],
    ["exit code", one.exit_code],
    ["took", elapsedText(one.seconds)],
    ["digest", digest && shortened(digest)],
    ["look again", html`<code class="copy">${again}</code>`],
  ];
  const kind = kindOf(status);
  return {
    ids: [name],
    line: html`${tag(kind, signs[kind], statusWords[status])} <code>${name}</code> ${foundText(one, verb === "apply")}`,
    notes,
    fields: () =>
      html`${findingList(diagnostics, ({ location }) => location && placeText(location))}${output === undefined ? nothing : html`<pre tabindex="0">${preformatted(output)}</pre>`}`,
    found: { action: [status], project: stage === undefined ? [] : [stage] },
    isKept: !isWell(one),
  };
}

/** A word for a shell, where it needs quotes. */
const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
