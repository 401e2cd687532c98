/** What the command line knows of one option: does a value follow it. */
export type OptionShape = "flag" | "value";

/** Terraform's words for no; `-input=false` is the one that people use. */
const no = new Set(["false", "0"]);
const yes = new Set(["true", "1"]);

/**
 * Terraform's single-dash options as the double-dash ones that the parser knows: `-auto-approve` to
 * `--auto-approve`, `-out=x` to `--out=x`, `-input=false` to `--no-input`. Single letters (`-f`), the value that
 * follows an option, and everything after `--` stay as they are.
 */
export function normalizeArgv(
  argv: readonly string[],
  options: ReadonlyMap<string, OptionShape>,
): readonly string[] {
  const normalized: string[] = [];
  let isValue = false;
  for (const [index, word] of argv.entries()) {
    if (isValue) {
      normalized.push(word);
      isValue = false;
      continue;
    }
    if (word === "--") return [...normalized, ...argv.slice(index)];
    const words = normalizeWord(word, options);
    normalized.push(...words);
    isValue = words.length === 1 && takesNextWord(words[0] as string, options);
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
  if (isFlag && yes.has(value)) return options.has(name) ? [`--${name}`] : [];
  if (isFlag && no.has(value)) return options.has(`no-${name}`) ? [`--no-${name}`] : [];
  return [`--${name}=${value}`];
}

const takesNextWord = (word: string, options: ReadonlyMap<string, OptionShape>): boolean =>
  word.startsWith("--") ? options.get(word.slice(2)) === "value" : options.get(word.slice(1)) === "value";
