import type { ApplyEvent } from "../model/apply-event";
import { eventJson } from "../render/event-json";
import { eventText } from "../render/event-text";
import { plainStyle } from "../render/style";
import { systemClock } from "./clock";
import type { Invocation } from "./invocation";
import { liveProgress, type Progress, plainProgress } from "./progress";
import { outStyle } from "./report";

/** Progress as it suits: JSON lines with `-json`, a live view on a terminal, plain lines in CI and in pipes. */
export function progressHere(invocation: Invocation): Progress {
  const { terminal, options } = invocation;
  if (options.json === true) {
    return plainProgress(terminal, (event) =>
      eventJson(event, { at: new Date(systemClock.now()).toISOString() }),
    );
  }
  const style = outStyle(invocation);
  const textOf = (event: ApplyEvent): string =>
    event.type === "summary" ? `\n${eventText(event, style)}` : eventText(event, style);
  if (!terminal.live) return plainProgress(terminal, textOf);
  return liveProgress(terminal, textOf, {
    plain: (event) => eventText(event, plainStyle),
    now: systemClock.elapsed,
    every,
  });
}

function every(milliseconds: number, callback: () => void): () => void {
  const timer = setInterval(callback, milliseconds);
  return () => clearInterval(timer);
}
