import {
  type FleetReport,
  type MemberResult,
  type MemberStatus,
  statusWords,
} from "../../model/report-documents";
import { byUrgency, fleetLine, foundText, isWell, placeText } from "../fleet-report";
import { elapsedText } from "../time-text";
import { type Entry, entriesSection, findingList, noteTable, tag } from "./entries";
import { code, html, preformatted } from "./markup";
import { page, type Section, shortened, type Verdict } from "./page";

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
    sections: [membersSection(report)],
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

function membersSection({ verb, members }: FleetReport): Section | undefined {
  const urgent = members.filter((one) => !isWell(one)).sort(byUrgency);
  const entriesOf = (own: readonly MemberResult[]) => own.map((one) => entryOf(one, verb));
  return entriesSection("members", [
    { title: "Needs attention", entries: entriesOf(urgent) },
    { title: "Well", entries: entriesOf(members.filter(isWell)), isFolded: true },
  ]);
}

function entryOf(one: MemberResult, verb: FleetReport["verb"]): Entry {
  const { name, folder, stage, status, digest, diagnostics = [], output } = one;
  // Through the fleet: it alone knows the files, the state and the key of a member.
  const again = `rnv fleet ${verb === "apply" ? "plan" : verb} --member ${quoted(name)}`;
  const placeOf = ({ location }: (typeof diagnostics)[number]) => location && placeText(location);
  const kind = kindOf(status);
  return {
    ids: [name],
    line: html`${tag(kind, signs[kind], statusWords[status])} <code>${name}</code> ${foundText(one, verb === "apply")}`,
    body: () =>
      html`${noteTable([
        ["folder", folder && code(folder)],
        ["stage", stage],
        ["exit code", one.exit_code],
        ["took", elapsedText(one.seconds)],
        ["digest", digest && shortened(digest)],
        ["look again", html`<code class="copy">${again}</code>`],
      ])}${findingList(diagnostics, placeOf)}${output && html`<pre tabindex="0">${preformatted(output)}</pre>`}`,
    found: { Ended: [statusWords[status]], Stage: stage === undefined ? [] : [stage] },
  };
}

/** A word for a shell, where it needs quotes. */
const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
