import { stripVTControlCharacters } from "node:util";
import type { WaitEvent } from "../api/retry";
import type { ApplyEvent, SummaryEvent } from "../model/apply-event";
import { reminderAfter, systemClock } from "../model/time";
import { eventDocument } from "../report/documents";
import { escapeJson } from "../report/escape-text";
import { countRun, eventText } from "../report/events";
import { counted } from "../report/plan-wording";
import { cutText } from "../report/style";
import { elapsedText } from "../report/time-text";
import { openJsonLines } from "./output-files";
import type { Screen } from "./screen";
import type { Terminal } from "./terminal";

/** Shows the events of a run: JSON lines with `-json`, a live view on a terminal, plain lines in CI and in pipes. */
export function createProgress(screen: Screen, jsonInto: string | undefined) {
  const { terminal, format, signal } = screen;
  const { style } = terminal;
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
    /** Ends the run with its summary, else an `empty` summary for programs. Returns 1 if `--json-into` lacks a line. */
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
  escapeJson(eventDocument(event, new Date(systemClock.now()).toISOString()));

/** Returns the text of an event without a line break; empty for events without a text. */
type EventText = (event: ApplyEvent) => string;

/** Prints a line for each event, for logs, pipes and programs. */
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
 * Prints lines of finished steps. Below them it redraws a line for each step in flight, and a line for the whole run.
 * Waiting updates the status of a step in place of `Still …` lines. After `signal` aborts, events are plain lines.
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

/** Cuts a line to the terminal: wrapped lines and control characters would misplace the cursor. */
const clip = (line: string, { width = 80 }: Pick<Terminal, "width">): string =>
  cutText(line.replace(/\p{C}/gu, " "), width - 1, "…");

/** Milliseconds that a busy machine may delay a retry. */
const lateMs = 5000;

function retryText(reason: string, host: string): string {
  if (reason === "not connected") return `Cannot connect to ${host}; retrying`;
  return reason === "rate limited" ? `Rate limited by ${host}; retrying` : `${host}: ${reason}; retrying`;
}

/** Reports missing answers after 10 s, after 30 s, then each minute; reports a failed connection immediately. */
export function watchWaiting(host: string, say: (line: string) => void) {
  const { elapsed: now } = systemClock;
  let inFlight = 0;
  let since = now();
  let reports = 0;
  let retry: { readonly reason: string; readonly until: number } | undefined;

  const answered = (): void => {
    since = now();
    reports = 0;
    retry = undefined;
  };
  const begin = (): void => {
    const isWaiting = inFlight > 0 || (retry !== undefined && retry.until + lateMs > now());
    if (!isWaiting) answered();
  };
  const look = (): void => {
    begin();
    const waited = now() - since;
    if (waited < reminderAfter(reports)) return;
    reports += 1;
    const time = `${elapsedText(Math.floor(waited / 1000))} so far`;
    const seconds = Math.floor(((retry?.until ?? 0) - now()) / 1000);
    const delay = seconds > 0 ? ` in ${elapsedText(seconds)}` : "";
    say(
      retry === undefined || inFlight > 0
        ? `Waiting for ${host} to answer ${counted(inFlight, "request")} (${time})`
        : `${retryText(retry.reason, host)}${delay} (${time})`,
    );
  };
  const timer = setInterval(look, 1000).unref();
  return {
    close: (): void => clearInterval(timer),
    during: async <T extends { readonly status: number }>(request: () => Promise<T>): Promise<T> => {
      begin();
      inFlight += 1;
      try {
        const answer = await request();
        // 429 and 5xx answers are followed by a retry.
        if (answer.status < 500 && answer.status !== 429) answered();
        return answer;
      } finally {
        inFlight -= 1;
      }
    },
    onWait: ({ reason, seconds }: WaitEvent): void => {
      if (reason === "not connected" && retry === undefined) say(retryText(reason, host));
      retry = { reason, until: now() + seconds * 1000 };
    },
  };
}
