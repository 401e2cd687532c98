import type { ApplyEvent, StepAction, SummaryEvent } from "../model/apply-event";
import { atCheckout } from "../model/live";
import { escapeText } from "./escape-text";
import { countList } from "./plan-wording";
import { idNote, type Style, wrapLines } from "./style";
import { elapsedText } from "./time-text";

const stepWords: Readonly<Record<StepAction, { readonly doing: string; readonly deed: string }>> = {
  create: { doing: "Creating", deed: "Creation" },
  update: { doing: "Modifying", deed: "Modifications" },
  delete: { doing: "Destroying", deed: "Destruction" },
  archive: { doing: "Archiving", deed: "Archiving" },
  adopt: { doing: "Importing", deed: "Import" },
  forget: { doing: "Forgetting", deed: "Forgetting" },
};

/**
 * One event of a run as the line that Terraform users know, without a line break; several lines for the summary.
 * Empty for events that only machines need.
 */
export const eventText = (event: ApplyEvent, style: Style): string =>
  wrapLines(textOf(event, style), style, 2);

function textOf(event: ApplyEvent, style: Style): string {
  const { colors } = style;
  if (event.type === "summary") return summaryText(event, style);
  if (!("address" in event) || event.type === "planned") return "";
  const subject = colors.bold(`${escapeText(event.address)}:`);
  switch (event.type) {
    case "start":
      return `${subject} ${stepWords[event.action].doing}...${idNote(event.id, style)}`;
    case "progress":
      return `${subject} ${colors.dim(escapeText(event.note))}`;
    case "waiting": {
      const time = event.elapsedSeconds < 1 ? "" : elapsedText(event.elapsedSeconds);
      const status = escapeText([event.status, event.note].filter(Boolean).join(": "));
      const shown = [time, status && colors.dim(status)].filter(Boolean).join(", ");
      return `${subject} Still ${stepWords[event.action].doing.toLowerCase()}...${idNote(event.id, style)} ${shown}`.trimEnd();
    }
    case "done":
      return `${subject} ${stepWords[event.action].deed} complete after ${elapsedText(event.elapsedSeconds)}${idNote(event.id, style)}`;
    case "failed":
      return `${subject} ${colors.red(`failed after ${elapsedText(event.elapsedSeconds)}:`)} ${escapeText(factOf(event))}`;
    case "awaiting":
      return `${subject} ${colors.yellow(atCheckout)}${idNote(event.id, style)}`;
    case "skipped": {
      const causes = event.because.map(escapeText).join(", ");
      return `${subject} ${colors.yellow("Skipped")}, because ${causes === "" ? "the run was interrupted" : `${causes} failed`}`;
    }
  }
}

const factOf = ({ address, diagnostic: { summary } }: Extract<ApplyEvent, { type: "failed" }>): string =>
  /^:? /.test(summary.replace(address, "")) ? summary.replace(address, "").replace(/^:? /, "") : summary;

function summaryText(event: SummaryEvent, style: Style): string {
  const { colors } = style;
  const colour = event.exitCode === 0 ? colors.green : event.exitCode === 8 ? colors.yellow : colors.red;
  const line = colour(colors.bold(summaryLine(event)));
  return event.hint === undefined ? line : `${line}\n\n${event.hint.split("\n").map(escapeText).join("\n")}`;
}

const ends: Readonly<Record<number, string>> = {
  0: "complete!",
  8: "saved, awaiting checkout.",
  130: "interrupted.",
};

/** The closing line that other tools parse: `Apply complete! Resources: 1 added, 0 changed, 0 destroyed.` */
export function summaryLine(event: Pick<SummaryEvent, "mode" | "exitCode" | "counts">): string {
  const { mode, exitCode, counts } = event;
  const { adopted, added, changed, destroyed, forgotten, failed, skipped, awaiting } = counts;
  const isDestroyed = mode === "destroy" && added === 0 && changed === 0;
  const kept = isDestroyed ? [] : [countList([["imported", adopted]]), `${added} added, ${changed} changed`];
  const rest = countList(Object.entries({ forgotten, failed, skipped, "awaiting checkout": awaiting }));
  const parts = [...kept, `${destroyed} destroyed`, rest].filter((part) => part !== "");
  return `${mode === "destroy" ? "Destroy" : "Apply"} ${ends[exitCode] ?? "incomplete."} Resources: ${parts.join(", ")}.`;
}

/** Counts the changes of a run: `8 of 12 done, 4 deploying, 32s`. A change alone has no such line. */
export function countRun() {
  let begun = 0;
  const isSettled = new Map<string, boolean>();
  return {
    note: (event: ApplyEvent, now: number): void => {
      if (event.type === "planned") {
        if (isSettled.size === 0) begun = now;
        isSettled.set(event.address, false);
      } else if ("address" in event && isSettled.has(event.address)) {
        // The end of the first half of a replacement is followed by the start of the other.
        isSettled.set(event.address, ["done", "failed", "awaiting", "skipped"].includes(event.type));
      }
    },
    lines: (inFlight: readonly string[], now: number): readonly string[] => {
      if (isSettled.size < 2) return [];
      const done = [...isSettled.values()].filter((is) => is).length;
      const deploying = inFlight.filter((step) => /^(?!delete|forget)\S+ deployment\./.test(step)).length;
      const more = deploying > 0 ? `, ${deploying} deploying` : "";
      const elapsed = elapsedText(Math.floor((now - begun) / 1000));
      return [`  ${done} of ${isSettled.size} done${more}, ${elapsed}`];
    },
  };
}
