import type { Command } from "commander";
import { allCommands } from "./verb";

/** Returns the shape of each option of all verbs: a flag, or an option with a value. */
export function optionShapes(program: Command): ReadonlyMap<string, OptionShape> {
  const shapes = new Map<string, OptionShape>();
  for (const command of allCommands(program)) {
    for (const option of command.options) {
      const shape: OptionShape = option.required || option.optional ? "value" : "flag";
      for (const name of [option.long, option.short]) if (name) shapes.set(name.replace(/^-+/, ""), shape);
    }
  }
  return shapes;
}

type OptionShape = "flag" | "value";

/**
 * Rewrites Terraform's single-dash options for the parser: `-auto-approve` to `--auto-approve`, `-out=x` to `--out=x`,
 * `-input=false` to `--no-input`. It keeps single letters (`-f`), values of options, and everything after `--`.
 */
export function normalizeArgv(
  argv: readonly string[],
  options: ReadonlyMap<string, OptionShape>,
): readonly string[] {
  const normalized: string[] = [];
  let isValue = false;
  for (const [index, word] of argv.entries()) {
    if (word === "--" && !isValue) return [...normalized, ...argv.slice(index)];
    const words: readonly string[] = isValue ? [word] : normalizeWord(word, options);
    normalized.push(...words);
    const [only = "", ...others] = words;
    const name: string | undefined = isValue || others.length > 0 ? undefined : /^--?(.+)$/s.exec(only)?.[1];
    isValue = name !== undefined && options.get(name) === "value";
  }
  return normalized;
}

function normalizeWord(word: string, options: ReadonlyMap<string, OptionShape>): readonly string[] {
  const short = /^-([A-Za-z])=(.*)$/s.exec(word);
  if (short) return [`-${short[1]}`, short[2] as string];
  const long = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(word);
  if (!long || (long[1] as string).length < 2) return [word];
  const [, name = "", value] = long;
  if (value === undefined) return [`--${name}`];
  const isFlag = options.get(name) === "flag" || options.get(`no-${name}`) === "flag";
  if (isFlag && ["true", "1"].includes(value)) return options.has(name) ? [`--${name}`] : [];
  if (isFlag && ["false", "0"].includes(value)) return options.has(`no-${name}`) ? [`--no-${name}`] : [];
  return [`--${name}=${value}`];
}
