import { Option } from "commander";
import { failure } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { isHiddenOutput } from "../../model/desired";
import type { Plain } from "../../model/value";
import { escapeJson, escapeText } from "../../report/escape-text";
import { outputsJson, outputsText } from "../../report/state-text";
import { stateOf } from "../context";
import type { Invocation } from "../invocation";
import { options } from "../options";
import type { Verb } from "./verb";

export const outputVerb: Verb = {
  usage: "output [name]",
  summary: "Print outputs of the last apply",
  options: [
    options.state,
    options.stack,
    options.json,
    new Option("--raw", "one value as it is, without quotes"),
  ],
  examples: [
    ["rnv output", "all of them"],
    ["rnv output -raw apiUrl", "one, for a script"],
    ["rnv output -json", "all, as JSON"],
  ],
  // Of several stacks it prints all, stack by stack.
  stacks: { use: "each" },
  handler: async (invocation) => {
    const { terminal, positional, options } = invocation;
    const name = positional[0] as string | undefined;
    const { outputs = {} } = (await stateOf(invocation)).state ?? {};
    if (name !== undefined && !Object.hasOwn(outputs, name)) {
      const hint = didYouMean(name, Object.keys(outputs)) ?? "outputs are recorded by apply";
      throw failure("command.usage", `there is no output "${name}"`, { hint });
    }
    const hidden = Object.keys(outputs).filter((one) => isHiddenOutput(outputs[one]));
    if (name !== undefined && hidden.includes(name)) return showHidden(invocation, name);
    if (options.raw === true) terminal.out(rawText(name, name === undefined ? undefined : outputs[name]));
    else if (name !== undefined) terminal.out(`${escapeJson(outputs[name])}\n`);
    else if (options.json === true) terminal.out(outputsJson(outputs));
    else if (Object.keys(outputs).length === 0) terminal.err("There are no outputs.\n");
    else {
      const text = outputsText(outputs).trimEnd();
      if (text !== "") terminal.out(`${text}\n`);
      if (hidden.length > 0)
        terminal.err(`Sensitive, and not shown: ${hidden.sort().map(escapeText).join(", ")}.\n`);
    }
    return 0;
  },
};

/** A sensitive output: a script must not take the mask for its value. */
function showHidden({ terminal, options }: Invocation, name: string): number {
  if (options.json !== true || options.raw === true)
    throw failure(
      "command.usage",
      `the output "${name}" is sensitive: its value is neither shown nor recorded`,
      {
        hint: "rnv output -json lists it, masked",
      },
    );
  terminal.out(`${escapeJson("(sensitive)")}\n`);
  return 0;
}

/** A value as a script wants it: no quotes, no line break. Anything but a scalar has no such form. */
function rawText(name: string | undefined, value: Plain | undefined): string {
  if (value !== null && ["string", "number", "boolean"].includes(typeof value)) return String(value);
  const summary =
    name === undefined ? "-raw needs the name of one output" : `-raw: output "${name}" is not a text`;
  throw failure("command.usage", summary, { hint: "-json prints any of them" });
}
