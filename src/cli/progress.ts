import { stripVTControlCharacters } from "node:util";
import type { WaitEvent } from "../api/retry";
import type { ApplyEvent, SummaryEvent } from "../model/apply-event";
import { reminderAfter, systemClock } from "../model/time";
import { countRun, eventJson, eventText } from "../report/events";
import { counted } from "../report/plan-wording";
import { cutText } from "../report/style";
import { elapsedText } from "../report/time-text";
import { openJsonLines } from "./output-files";
import { outStyle, type Screen } from "./screen";
import type { Terminal } from "./terminal";

/** Shows the events of a run: JSON lines with `-json`, a live view on a terminal, plain lines in CI and in pipes. */
export function createProgress(screen: Screen, jsonInto: string | undefined) {
  const { terminal, format, signal } = screen;
  const style = outStyle(screen);
  const shownText = (event: ApplyEvent): string =>
    event.type === "summary" ? `\n${eventText(event, style)}` : eventText(event, style);
  const isJson = format === "json";
  const shown =
    terminal.live && !isJson
      ? liveProgress(terminal, shownText, signal)
      : { emit: linesOf(terminal, isJson ? jsonOf : shownText), close: () => {} };
  const lines = openJsonLines(jsonInto, screen);
  return {
    close: shown.close,
    /** Ends the run with its summary, else with an `empty` summary, which only programs see. Returns 1 if `--json-into` lacks a line. */
    end: (summary: SummaryEvent | undefined, empty: SummaryEvent): number => {
      const last = summary ?? empty;
      lines.write(jsonOf(last));
      const lost = lines.end();
      if (isJson) shown.emit({ ...last, exitCode: last.exitCode || lost });
      else if (summary) shown.emit(summary);
      return lost;
    },
    emit: (event: ApplyEvent): void => {
      lines.write(jsonOf(event));
      shown.emit(event);
    },
  };
}

export const jsonOf = (event: ApplyEvent): string =>
  eventJson(event, new Date(systemClock.now()).toISOString());

/** The text of an event, without a line break; empty when it has none. */
type EventText = (event: ApplyEvent) => string;

/** Prints one line an event, for logs, pipes and (as JSON) programs. */
const linesOf = (terminal: Pick<Terminal, "out">, textOf: EventText) => (event: ApplyEvent) => {
  const text = textOf(event);
  if (text !== "") terminal.out(`${text}\n`);
};

interface InFlight {
  label: string;
  readonly since: number;
  status: string;
}

const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const mostLines = 8;

/**
 * Lines of finished steps above, and below them one line for each step in flight with its elapsed time and one for the
 * whole run, written again several times a second. `Still …` lines are not printed: the running clock says it. Once
 * `signal` has aborted, the view is erased and events are plain lines.
 */
function liveProgress(terminal: Pick<Terminal, "out" | "width">, textOf: EventText, signal: AbortSignal) {
  const inFlight = new Map<string, InFlight>();
  const total = countRun();
  const { elapsed: now } = systemClock;
  let frame = 0;
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;

  // A terminal writes ^C where the cursor is.
  const erase = (): string => (drawn > 0 ? `\r\u001b[${drawn}A\u001b[0J` : "");
  const lineOf = ({ label, since, status }: InFlight): string => {
    const elapsed = elapsedText(Math.floor((now() - since) / 1000));
    return [`${frames[frame % frames.length]} ${label} ${elapsed}`, status].filter(Boolean).join(", ");
  };
  const redraw = (above = ""): void => {
    const lines = [...inFlight.values()].slice(0, mostLines).map(lineOf);
    if (inFlight.size > mostLines) lines.push(`  … and ${inFlight.size - mostLines} more`);
    if (inFlight.size > 0) lines.push(...total.lines([...inFlight.keys()], now()));
    terminal.out(`${erase()}${above}${lines.map((line) => `${clip(line, terminal)}\n`).join("")}`);
    drawn = lines.length;
    frame += 1;
  };
  const pause = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const close = (): void => {
    pause();
    inFlight.clear();
    redraw();
  };
  signal.addEventListener("abort", close, { once: true });
  return {
    close,
    emit: (event: ApplyEvent): void => {
      if (signal.aborted) {
        linesOf(terminal, textOf)(event);
        return;
      }
      track(inFlight, event, now(), textOf);
      total.note(event, now());
      const text = event.type === "waiting" || event.type === "start" ? "" : textOf(event);
      redraw(text === "" ? "" : `${text}\n`);
      if (inFlight.size > 0) timer ??= setInterval(redraw, 120).unref();
      else pause();
    },
  };
}

function track(inFlight: Map<string, InFlight>, event: ApplyEvent, since: number, textOf: EventText): void {
  if (event.type === "summary") inFlight.clear();
  if (!("action" in event)) return;
  const step = `${event.action} ${event.address}`;
  if (event.type === "done" || event.type === "failed" || event.type === "awaiting") inFlight.delete(step);
  if (event.type !== "start" && event.type !== "waiting") return;
  const { address, action, id } = event;
  const label = stripVTControlCharacters(textOf({ type: "start", address, action, id })).replace(/\s+/g, " ");
  if (event.type === "start") inFlight.set(step, { label, since, status: "" });
  const waiting = event.type === "waiting" && inFlight.get(step);
  if (!waiting) return;
  if (id !== undefined) waiting.label = label;
  waiting.status = [event.status, event.note].filter(Boolean).join(": ");
}

/** A line that wraps would make the cursor go up too few lines; control characters would move it. */
function clip(line: string, { width = 80 }: Pick<Terminal, "width">): string {
  return cutText(line.replace(/\p{C}/gu, " "), width - 1, "…");
}

export type WaitNotice = ReturnType<typeof watchWaiting>;

/** How late a busy machine may send a retry, milliseconds. */
const lateMs = 5000;

function retryText(reason: string, host: string): string {
  if (reason === "not connected") return `Cannot connect to ${host}; retrying`;
  return reason === "rate limited" ? `Rate limited by ${host}; retrying` : `${host}: ${reason}; retrying`;
}

/** Says after 10 s that nothing was answered, after 30 s, and then each minute; a failed connection at once. */
export function watchWaiting(host: string, say: (line: string) => void) {
  const { elapsed: now } = systemClock;
  let underWay = 0;
  let since = now();
  let told = 0;
  let again: { readonly reason: string; readonly until: number } | undefined;

  const answered = (): void => {
    since = now();
    told = 0;
    again = undefined;
  };
  const begin = (): void => {
    const isWaiting = underWay > 0 || (again !== undefined && again.until + lateMs > now());
    if (!isWaiting) answered();
  };
  const look = (): void => {
    begin();
    const waited = now() - since;
    if (waited < reminderAfter(told)) return;
    told += 1;
    const time = `${elapsedText(Math.floor(waited / 1000))} so far`;
    const seconds = Math.floor(((again?.until ?? 0) - now()) / 1000);
    const left = seconds > 0 ? ` in ${elapsedText(seconds)}` : "";
    say(
      again === undefined || underWay > 0
        ? `Waiting for ${host} to answer ${counted(underWay, "request")} (${time})`
        : `${retryText(again.reason, host)}${left} (${time})`,
    );
  };
  const timer = setInterval(look, 1000).unref();
  return {
    close: (): void => clearInterval(timer),
    during: async <T extends { readonly status: number }>(request: () => Promise<T>): Promise<T> => {
      begin();
      underWay += 1;
      try {
        const answer = await request();
        // An answer that says "later" is none.
        if (answer.status < 500 && answer.status !== 429) answered();
        return answer;
      } finally {
        underWay -= 1;
      }
    },
    onWait: ({ reason, seconds }: WaitEvent): void => {
      if (reason === "not connected" && again === undefined) say(retryText(reason, host));
      again = { reason, until: now() + seconds * 1000 };
    },
  };
}
