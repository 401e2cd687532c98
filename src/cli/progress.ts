import type { ApplyEvent } from "../model/apply-event";
import { elapsedText } from "../render/elapsed-text";
import type { Terminal } from "./terminal";

/** Where the events of a run go. */
export interface Progress {
  readonly emit: (event: ApplyEvent) => void;
  /** Clears what is only for the moment. */
  readonly close: () => void;
}

/** The text of an event, without a line break; empty when it has none. */
export type EventText = (event: ApplyEvent) => string;

/** One line an event, for logs, pipes and (as JSON) programs. */
export const plainProgress = (terminal: Pick<Terminal, "out">, textOf: EventText): Progress => ({
  emit: (event) => {
    const text = textOf(event);
    if (text !== "") terminal.out(`${text}\n`);
  },
  close: () => {},
});

export interface LiveOptions {
  /** The text of an event without colour: its width is that of its characters. */
  readonly plain: EventText;
  readonly now: () => number;
  /** Calls back again and again until the function it returned is called. */
  readonly every: (milliseconds: number, callback: () => void) => () => void;
}

interface InFlight {
  readonly label: string;
  readonly since: number;
  status: string;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMilliseconds = 120;
const mostLines = 8;

/**
 * Lines of finished steps above, and below them one line for each step in flight with its elapsed time, written
 * anew several times a second. `Still …` lines are not printed: the running clock says it.
 */
export function liveProgress(
  terminal: Pick<Terminal, "out" | "width">,
  textOf: EventText,
  { now, every, plain }: LiveOptions,
): Progress {
  const inFlight = new Map<string, InFlight>();
  let frame = 0;
  let drawn = 0;
  let stop: (() => void) | undefined;

  const erase = (): string => (drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : "");
  const redraw = (above = ""): void => {
    const lines = [...inFlight.values()]
      .slice(0, mostLines)
      .map((step) => clip(`${frames[frame % frames.length]} ${describe(step, now())}`, terminal.width ?? 80));
    if (inFlight.size > mostLines) lines.push(`  … and ${inFlight.size - mostLines} more`);
    terminal.out(`${erase()}${above}${lines.map((line) => `${line}\n`).join("")}`);
    drawn = lines.length;
  };
  const tick = (): void => {
    frame += 1;
    redraw();
  };

  return {
    emit: (event) => {
      track(inFlight, event, now(), plain);
      const text = event.type === "waiting" || event.type === "start" ? "" : textOf(event);
      redraw(text === "" ? "" : `${text}\n`);
      if (inFlight.size > 0) stop ??= every(frameMilliseconds, tick);
      else {
        stop?.();
        stop = undefined;
      }
    },
    close: () => {
      stop?.();
      stop = undefined;
      inFlight.clear();
      redraw();
    },
  };
}

function track(inFlight: Map<string, InFlight>, event: ApplyEvent, now: number, textOf: EventText): void {
  if (event.type === "start") {
    inFlight.set(`${event.action} ${event.address}`, { label: textOf(event), since: now, status: "" });
  } else if (event.type === "waiting") {
    const step = inFlight.get(`${event.action} ${event.address}`);
    if (step) step.status = [event.status, event.note].filter(Boolean).join(": ");
  } else if (event.type === "done" || event.type === "failed") {
    inFlight.delete(`${event.action} ${event.address}`);
  } else if (event.type === "summary") {
    inFlight.clear();
  }
}

const describe = (step: InFlight, now: number): string => {
  const elapsed = elapsedText(Math.floor((now - step.since) / 1000));
  return `${step.label} ${step.status === "" ? "" : `${step.status} `}[${elapsed}]`;
};

/** A line that wraps would make the cursor go up too few lines; control characters would move it. */
function clip(line: string, width: number): string {
  const safe = line.replace(/\p{C}/gu, " ");
  return safe.length < width ? safe : `${safe.slice(0, Math.max(1, width - 2))}…`;
}
