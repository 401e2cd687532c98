import type { ApplyEvent } from "../model/apply-event";
import { diagnosticData } from "./diagnostics-json";
import type { Sources } from "./diagnostics-text";
import { inertJson } from "./inert";

export interface EventJsonOptions {
  /** When it happened, ISO 8601. */
  readonly at?: string;
  /** Texts of the files, for the lines of a failure. */
  readonly sources?: Sources;
}

/** One event as one JSON object on one line, without a line break (`apply -json`, DESIGN section 8). */
export function eventJson(event: ApplyEvent, options: EventJsonOptions = {}): string {
  const { type, ...rest } = event;
  const data =
    event.type === "failed"
      ? { ...rest, diagnostic: diagnosticData(event.diagnostic, options.sources) }
      : rest;
  return inertJson({ type, ...(options.at === undefined ? {} : { at: options.at }), ...data });
}
