import { Option } from "commander";
import { pastRuns } from "../../model/history";
import { escapeJson } from "../../report/escape-text";
import { historyJson, historyText } from "../../report/history-text";
import { stateOf } from "../context";
import { formatOf } from "../invocation";
import { options, positive } from "../options";
import { outStyle } from "../report";
import type { Verb } from "./verb";

export const historyVerb: Verb = {
  usage: "history",
  summary: "List the last runs that changed anything: who, when, which commit, how they ended",
  detail:
    "The state keeps the last 50, newest first. A run that found nothing to change is none of them: it writes no state. A " +
    "run that was killed is listed without an end.",
  options: [
    options.state,
    options.stack,
    new Option("-n, --limit <n>", "only the last n").argParser(positive),
    new Option("--format <format>", "how to show it").choices(["text", "json"]).default("text"),
    options.json,
  ],
  examples: [
    ["rnv history", "the last runs"],
    ["rnv history --stage production -n 1 -json", "the last run of a stage, for a program"],
  ],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    const { state } = await stateOf(invocation);
    const limit = options.limit as number | undefined;
    const runs = (state === undefined ? [] : pastRuns(state)).slice(0, limit);
    const history = { stage: state?.stage, stack: state?.stack, runs };
    if (formatOf(options) === "json") terminal.out(`${escapeJson(historyJson(history), 2)}\n`);
    else if (runs.length > 0) terminal.out(historyText(history, Date.now(), outStyle(invocation)));
    else terminal.err("No run is recorded yet.\n");
  },
};
