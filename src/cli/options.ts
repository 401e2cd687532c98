import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { CostLimit } from "../commands/context";
import { didYouMean } from "../diagnostics/suggest";
import { isStageWord, stageWordRule } from "../model/stage";
import { longestTimer, parseDuration } from "../model/time";
import { type DriftClass, driftClasses } from "../plan/drift";
import { usage } from "./screen";

export type Options = Readonly<Record<string, TypedOption<unknown>>>;
export type Arguments = Readonly<Record<string, TypedArgument<unknown>>>;

/** The values of options or arguments, each with the type of its declaration. */
export type ValuesOf<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends { valueIn(command: Command): infer Value }
    ? Value
    : never;
};

/** An option of a verb, with the type of its value. */
export class TypedOption<Value> extends Option {
  /** `absent` is the value if the command line lacks the option. */
  constructor(
    flags: string,
    description: string,
    readonly absent: Value,
  ) {
    super(flags, description);
    this.argParser((word) => pathIn(flags, word));
  }

  /** Returns true if a command has this option or a variant of it. */
  isIn(command: Command): boolean {
    return command.options.some((option) => option === this || Object.getPrototypeOf(option) === this);
  }

  valueIn(command: Command): Value {
    return (this.isIn(command) ? command.opts()[this.attributeName()] : undefined) ?? this.absent;
  }
}

/** Declares `--json`, which is true if present. */
export const flag = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, false);

/** Declares `--no-input`, which is false if present. */
export const negation = (flags: string, description: string) =>
  new TypedOption<boolean>(flags, description, true);

/** Declares `--out <file>`. */
export const text = (flags: string, description: string) =>
  new TypedOption<string | undefined>(flags, description, undefined);

/** Declares `--target <address>`, which is repeatable. */
export const list = (flags: string, description: string) =>
  parsed(
    flags,
    `${description} (repeatable)`,
    (word, before: readonly string[] = []) => [...before, pathIn(flags, word)],
    [],
  );

/** Returns the word. An empty path, as of a variable of CI that is not set, is a mistake. */
function pathIn(flags: string, word: string): string {
  if (word !== "" || !/<(file|path|folder|dir)>/.test(flags)) return word;
  throw new InvalidArgumentError("Not a path: it is empty.");
}

/** Declares an option with a word of a list; `initial` if absent. */
export const choice = <const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
  initial: Word,
): TypedOption<Word> => new TypedOption(flags, description, initial).choices(words).default(initial);

/** Declares an option. `parse` gets its earlier value, and throws `InvalidArgumentError`. Help prints `shown`. */
export function parsed<Value, Absent extends Value | undefined = undefined>(
  flags: string,
  description: string,
  parse: (word: string, before?: Value) => Value,
  absent?: Absent,
  shown?: string,
): TypedOption<Value | Absent> {
  const option = new TypedOption<Value | Absent>(flags, description, absent as Absent).argParser(parse);
  return shown === undefined ? option : option.default(absent, shown);
}

/** An argument of a verb, with the type of its form. */
class TypedArgument<Value> extends Argument {
  valueIn(command: Command): Value {
    const value = command.processedArgs[command.registeredArguments.indexOf(this)];
    return value ?? (this.variadic ? [] : undefined);
  }
}

type ArgumentOf<Form extends string, Word extends string> = TypedArgument<
  Form extends `${string}...${string}` ? readonly Word[] : Form extends `<${string}` ? Word : Word | undefined
>;

/** Declares an argument: `<address>` is required, `[address]` optional, `...` a list. `words` limits its values. */
export function argument<const Form extends string, const Word extends string = string>(
  form: Form,
  description = "",
  words: readonly Word[] = [],
): ArgumentOf<Form, Word> {
  const made: ArgumentOf<Form, Word> = new TypedArgument(form, description);
  return words.length > 0 ? made.choices(words) : made;
}

/** Returns true for the value of an option on the command line. */
export const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

/** Returns the first of `names` that the command line gives, as `--out`. */
export function firstGiven(given: SharedValues, names: readonly (keyof SharedValues)[]): string | undefined {
  const found = names.find((name) => isGiven(given[name]));
  return found && options[found].long;
}

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Not a duration such as 30s, 5m or 1h.");
  return Math.min(milliseconds, longestTimer);
}

/** Parses a duration above zero to milliseconds. */
export function positiveDuration(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("Not a duration above zero, such as 30s, 5m or 1h.");
  return milliseconds;
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Not a whole number above zero.");
  return Number(text);
}

/** Options of several verbs that help shows without -a, in its order. */
export const dailyOptions = {
  files: list(
    "-f, --file <path>",
    "manifest file or folder (rnv.yaml, rnv.yml or rnv/), - for standard input, cdktf.out or *.tf.json; a later manifest overlays",
  ),
  stage: text("--stage <stage>", "the stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  stages: list("--stage <stage>", "a stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  allStages: flag("--all-stages", "every stage of the manifest, and every instance that has a state"),
  target: list("--target <address>", "only this address and what it needs"),
  out: text("-o, --out <file>", "save the plan, to apply exactly this later"),
  strict: flag(
    "--strict",
    "exit 2 also for what is not in the manifest: services, projects, variables, settings not at their default",
  ),
  failOn: Object.assign(
    parsed(
      "--fail-on <classes>",
      "exit 2 for these too, with commas between them; the first two always count",
      classesOfDrift,
      [],
    ),
    { argChoices: [...driftClasses] },
  ),
  autoApprove: flag("--auto-approve", "do not ask"),
  confirmDelete: list("--confirm-delete <address>", "confirm one deletion by its address"),
  json: flag("--json", "JSON, for programs"),
};

/** Options of several verbs that help shows only with -a. */
export const foldedOptions = {
  app: text("--app <command>", "run this program of CDKTF constructs and read what it synthesizes"),
  untrusted: flag(
    "--untrusted",
    "untrusted manifest: run no commands, read only project files and the names that RNV_ALLOW_ENV lists",
  ),
  state: text(
    "--state <path>",
    "state file, https://… or s3://… (RNV_STATE, else .rnv/state.json, .rnv/STAGE/state.json)",
  ),
  stacks: list("--stack <stack>", "one stack of an app of several, or a pattern: 'prod-*'"),
  ids: parsed(
    "--ids <ids>",
    "the instances to look at, with commas between them, where a state over https cannot list them",
    idList,
  ),
  exclude: list("--exclude <address>", "all but this address and what needs it"),
  replace: list("--replace <address>", "delete it, which this confirms, and create it again"),
  confirmConsumers: list(
    "--confirm-consumers <address>",
    "confirm one deletion although other services refer to it",
  ),
  adopt: flag("--adopt", "take over what already has the declared name"),
  verifyValues: flag(
    "--verify-values",
    "reveal variables to compare their values, and write none that is equal (the platform audits each reveal)",
  ),
  policy: list(
    "--policy <path>",
    "policies that the plan must pass: a file or a folder, besides rnv.policy.yaml and RNV_POLICY",
  ),
  overridePolicy: list("--override-policy <name>", "apply although this overridable policy fails"),
  maxMonthlyIncrease: costLimit(
    "increase",
    "refuse a plan that adds more to the monthly cost: 50usd, 80000ngn",
  ),
  maxMonthlyTotal: costLimit("total", "refuse a plan after which everything costs more in a month"),
  allowEmpty: flag("--allow-empty", "a manifest without resources deletes everything recorded"),
  refreshOnly: flag("--refresh-only", "only bring the state up to date with what is live"),
  destroy: flag("--destroy", "plan the deletion of everything recorded"),
  format: choice("--format <format>", "how to show it", ["text", "json", "markdown"], "text"),
  secrets: negation(
    "--no-secrets",
    "skip variables whose value is not available here: a pull request needs no secret of production",
  ),
  detailedExitcode: flag("--detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"),
  jsonInto: text("--json-into <file>", "also write into this file what --json would print"),
  expectDigest: parsed(
    "--expect-digest <digest>",
    "apply only if the plan has this digest, as a reviewed one shows it; else exit 5",
    (word) => {
      if (/^([0-9a-f]{12}|[0-9a-f]{64})$/.test(word)) return word;
      throw new InvalidArgumentError("Not a digest: 64 hexadecimal digits, or the 12 that a terminal shows.");
    },
  ),
  metrics: text(
    "--metrics <file>",
    "write the numbers there in Prometheus' text format, whole or not at all",
  ),
  html: text("--html <file>", "also write it as a page for a browser: one file, which loads nothing (beta)"),
  verbose: flag("--verbose", "show each resource by itself, where many are alike"),
  input: negation("--no-input", "never ask; stop where an answer is needed (also -input=false)"),
  answerTimeoutMs: parsed(
    "--timeout <duration>",
    "how long to wait for one answer of the platform: 30s (1m unless given)",
    positiveDuration,
  ),
  lockTimeoutMs: parsed(
    "--lock-timeout <duration>",
    "how long to wait for the lock of the state: 30s, 5m",
    duration,
    0,
    "0s",
  ),
  parallelism: parsed("--parallelism <n>", "most changes in flight at once", positive, 10, "10"),
};

export const options = { ...dailyOptions, ...foldedOptions };

/** Values of shared options, as far as a verb has them. */
export type SharedValues = Partial<ValuesOf<typeof options>>;

export const pick = <Name extends keyof typeof options>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<typeof options, Name>;

export const textOrJson = variant(options.format, {}).choices(["text", "json"]);

/** Options that scripts for Terraform pass to every verb; reading verbs ignore them, and help hides them. */
export const ignored = {
  input: variant(options.input, { hidden: true }),
  lockTimeoutMs: variant(options.lockTimeoutMs, { hidden: true }),
  parallelism: variant(options.parallelism, { hidden: true }),
};

export const sourceOptions = pick("files", "app", "untrusted", "stacks");

export const scopeOptions = { ...sourceOptions, ...pick("state", "target", "exclude") };

export const planningOptions = {
  ...scopeOptions,
  ...pick("replace", "confirmDelete", "confirmConsumers", "adopt", "allowEmpty"),
};

export const policyOptions = pick("policy", "overridePolicy", "maxMonthlyIncrease", "maxMonthlyTotal");

export const unattendedOptions = pick("input", "json", "lockTimeoutMs", "answerTimeoutMs", "parallelism");

export const runningOptions = { ...pick("autoApprove"), ...unattendedOptions };

export const readingOptions = { ...pick("format", "json", "answerTimeoutMs"), ...ignored };

export const driftOptions = pick("failOn", "strict", "verifyValues");

export const stagesOptions = pick("files", "untrusted", "stage", "json", "ids");

function costLimit(kind: CostLimit["kind"], description: string) {
  return parsed(`--max-monthly-${kind} <money>`, description, (word): CostLimit => {
    const [, amount, currency] = /^(\d+(?:\.\d+)?)\s*(usd|ngn)$/i.exec(word) ?? [];
    if (amount === undefined || currency === undefined)
      throw new InvalidArgumentError("Not an amount: a number and usd or ngn, such as 50usd.");
    return { kind, amount: Number(amount), currency: currency.toLowerCase() === "usd" ? "usd" : "ngn" };
  });
}

/** Parses `drifted,pending`, and appends it to `previous`. */
function classesOfDrift(text: string, previous: readonly DriftClass[] = []): readonly DriftClass[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(driftClasses as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, driftClasses) ?? `there are: ${driftClasses.join(", ")}`;
    throw new InvalidArgumentError(`"${unknown}" is no class of drift; ${hint}`);
  }
  return [...previous, ...(words as DriftClass[])];
}

/** Returns the same option with another description or visibility. */
export function variant<Value>(
  option: TypedOption<Value>,
  shown: Partial<TypedOption<Value>>,
): TypedOption<Value> {
  return Object.assign(Object.create(option), shown);
}

/** Parses `12,15`, and appends it to `before`. Throws `DiagnosticsError` for other words. */
export function idList(word: string, before: readonly string[] = []): readonly string[] {
  const listed = word.split(/[\s,]+/).filter((id) => id !== "");
  const wrong = listed.find((id) => !isStageWord(id));
  if (wrong === undefined) return [...before, ...listed];
  const hint = `an id holds ${stageWordRule}`;
  throw usage(`${JSON.stringify(wrong.slice(0, 80))} is not an instance ID`, hint);
}
