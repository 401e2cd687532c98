import { type Command, InvalidArgumentError, Option } from "commander";
import { longestTimer, parseDuration } from "../model/time";

export const options = {
  file: list(
    "-f, --file <path>",
    "manifest file or folder (rnv.yaml, rnv.yml or rnv/), - for standard input, cdktf.out or *.tf.json; a later manifest overlays",
  ),
  app: new Option("--app <command>", "run this program of CDKTF constructs and read what it synthesizes"),
  untrusted: new Option(
    "--untrusted",
    "untrusted manifest: run no commands, read only project files and the names that RNV_ALLOW_ENV lists",
  ),
  state: new Option(
    "--state <path>",
    "state file, https://… or s3://… (RNV_STATE, else .rnv/state.json, .rnv/STAGE/state.json)",
  ),
  stack: list("--stack <stack>", "one stack of an app of several, or a pattern: 'prod-*'"),
  stage: new Option("--stage <stage>", "the stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  stagesOf: list(
    "-f, --file <path>",
    "the manifest that declares the stages, where it is not the default one",
  ),
  target: list("--target <address>", "only this address and what it needs"),
  exclude: list("--exclude <address>", "all but this address and what needs it"),
  replace: list("--replace <address>", "delete it and create it again"),
  confirmDelete: list("--confirm-delete <address>", "confirm one deletion by its address"),
  confirmConsumers: list(
    "--confirm-consumers <address>",
    "confirm one deletion although other services refer to it",
  ),
  adopt: new Option("--adopt", "take over what already has the declared name"),
  verifyValues: new Option(
    "--verify-values",
    "reveal variables to compare their values, and write none that is equal (the service audits each reveal)",
  ),
  policy: list(
    "--policy <path>",
    "policies that the plan must pass: a file or a folder, besides rnv.policy.yaml and RNV_POLICY",
  ),
  overridePolicy: list("--override-policy <name>", "apply although this overridable policy fails"),
  maxIncrease: costLimit(
    "increase",
    "--max-monthly-increase <money>",
    "refuse a plan that adds more to the monthly cost: 50usd, 80000ngn",
  ),
  maxTotal: costLimit(
    "total",
    "--max-monthly-total <money>",
    "refuse a plan after which everything costs more in a month",
  ),
  allowEmpty: new Option("--allow-empty", "a manifest without resources deletes everything recorded"),
  refreshOnly: new Option("--refresh-only", "only bring the state up to date with what is live"),
  destroy: new Option("--destroy", "plan the deletion of everything recorded"),
  format: new Option("--format <format>", "how to show it")
    .choices(["text", "json", "markdown"])
    .default("text"),
  json: new Option("--json", "JSON, for programs"),
  noSecrets: new Option(
    "--no-secrets",
    "skip variables whose value is not available here: a pull request needs no secret of production",
  ),
  detailedExitcode: new Option("--detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"),
  strict: new Option(
    "--strict",
    "exit 2 also for what is not in the manifest: services, projects, variables, settings not at their default",
  ),
  jsonInto: new Option("--json-into <file>", "also write into this file what --json would print"),
  expectDigest: new Option(
    "--expect-digest <digest>",
    "apply only if the plan has this digest, as a reviewed one shows it; else exit 5",
  ).argParser((text: string) => {
    if (/^([0-9a-f]{12}|[0-9a-f]{64})$/.test(text)) return text;
    throw new InvalidArgumentError("Not a digest: 64 hexadecimal digits, or the 12 that a terminal shows.");
  }),
  html: new Option(
    "--html <file>",
    "also write it as a page for a browser: one file, which loads nothing (beta)",
  ),
  verbose: new Option("--verbose", "show each resource by itself, where many are alike"),
  autoApprove: new Option("--auto-approve", "do not ask"),
  noInput: noInput(),
  /** Its value is not named `timeout`: that is how long the verbs of running services wait for the end. */
  answerTimeout: Object.assign(
    new Option(
      "--timeout <duration>",
      "how long to wait for one answer of the service: 30s (1m unless given)",
    ),
    { attributeName: () => "answerTimeout" },
  ).argParser(positiveDuration),
  lockTimeout: lockTimeout(),
  parallelism: parallelism(),
};

export const sourceOptions = [options.file, options.app, options.untrusted, options.stack];

export const stateOptions = [options.state, options.stack, options.json];

export const scopeOptions = [...sourceOptions, options.state, options.target, options.exclude];

export const planningOptions = [
  ...scopeOptions,
  options.replace,
  options.confirmDelete,
  options.confirmConsumers,
  options.adopt,
  options.allowEmpty,
];

export const policyOptions = [options.policy, options.overridePolicy, options.maxIncrease, options.maxTotal];

export const runningOptions = [
  options.autoApprove,
  options.noInput,
  options.json,
  options.lockTimeout,
  options.answerTimeout,
  options.parallelism,
];

/** Options that scripts written for Terraform pass to every verb: planning never asks and takes no lock. */
export const ignoredOptions = [noInput(), lockTimeout(), parallelism()].map((option) => option.hideHelp());

export const readingOptions = [options.answerTimeout, ...ignoredOptions, options.format, options.json];

export function list(flags: string, description: string): Option {
  return new Option(flags, `${description} (repeatable)`).argParser(
    (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
  );
}

function costLimit(kind: "increase" | "total", flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    const [, amount, currency] = /^(\d+(?:\.\d+)?)\s*(usd|ngn)$/i.exec(text) ?? [];
    if (amount === undefined || currency === undefined)
      throw new InvalidArgumentError("Not an amount: a number and usd or ngn, such as 50usd.");
    return { kind, amount: Number(amount), currency: currency.toLowerCase() };
  });
}

function noInput(): Option {
  return new Option("--no-input", "never ask; stop where an answer is needed (also -input=false)");
}

function lockTimeout(): Option {
  return new Option("--lock-timeout <duration>", "how long to wait for the lock of the state: 30s, 5m")
    .argParser(duration)
    .default(0, "0s");
}

function parallelism(): Option {
  return new Option("--parallelism <n>", "most changes in flight at once").argParser(positive).default(10);
}

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Not a duration such as 30s, 5m or 1h.");
  return Math.min(milliseconds, longestTimer);
}

/** Parses a duration option above zero to milliseconds: what may take no time at all never ends well. */
export function positiveDuration(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("Not a duration above zero, such as 30s, 5m or 1h.");
  return milliseconds;
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Not a whole number above zero.");
  return Number(text);
}

/** One of `count` parts of a fleet; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Parses `2/4`; undefined for what is no part of a whole. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined;
}

/** Every option of every verb: does a value follow it. For `normalizeArgv`. */
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

export function* allCommands(command: Command): Generator<Command> {
  yield command;
  for (const inner of command.commands) yield* allCommands(inner);
}

/** Returns the words that run a verb: `rnv state list`. */
export const wordsOf = (command: Command): string =>
  command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** The options that a command shows, those of the commands above it included. */
export const shownOptions = (command: Command | null): readonly Option[] =>
  command === null
    ? []
    : [...command.options.filter(({ long, hidden }) => long && !hidden), ...shownOptions(command.parent)];

export type OptionShape = "flag" | "value";

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
    const [only = "", ...others] = words;
    const name = others.length === 0 ? /^--?(.+)$/s.exec(only)?.[1] : undefined;
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
  // Terraform's words for yes and no; `-input=false` is the one that people use.
  if (isFlag && ["true", "1"].includes(value)) return options.has(name) ? [`--${name}`] : [];
  if (isFlag && ["false", "0"].includes(value)) return options.has(`no-${name}`) ? [`--no-${name}`] : [];
  return [`--${name}=${value}`];
}
