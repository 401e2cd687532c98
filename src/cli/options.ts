import { InvalidArgumentError } from "commander";
import type { CostLimit } from "../commands/context";
import { isStageWord, stageWordRule } from "../model/stage";
import { usage } from "./screen";
import type { TargetRules } from "./target";
import {
  type Arguments,
  choice,
  duration,
  flag,
  list,
  negation,
  type Options,
  parsed,
  positive,
  positiveDuration,
  type TypedOption,
  text,
  type Verb,
  type VerbOf,
} from "./verb";

/** Options of several verbs. */
export const options = {
  files: list(
    "-f, --file <path>",
    "manifest file or folder (rnv.yaml, rnv.yml or rnv/), - for standard input, cdktf.out or *.tf.json; a later manifest overlays",
  ),
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
  stage: text("--stage <stage>", "the stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  stages: list("--stage <stage>", "a stage, or an instance of one: staging, preview/12 (RNV_STAGE)"),
  allStages: flag("--all-stages", "every stage of the manifest, and every instance that has a state"),
  ids: parsed(
    "--ids <ids>",
    "the instances to look at, with commas between them, where a state over https cannot list them",
    idList,
  ),
  target: list("--target <address>", "only this address and what it needs"),
  exclude: list("--exclude <address>", "all but this address and what needs it"),
  replace: list("--replace <address>", "delete it and create it again"),
  confirmDelete: list("--confirm-delete <address>", "confirm one deletion by its address"),
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
    "--max-monthly-increase <money>",
    "refuse a plan that adds more to the monthly cost: 50usd, 80000ngn",
  ),
  maxMonthlyTotal: costLimit(
    "total",
    "--max-monthly-total <money>",
    "refuse a plan after which everything costs more in a month",
  ),
  allowEmpty: flag("--allow-empty", "a manifest without resources deletes everything recorded"),
  refreshOnly: flag("--refresh-only", "only bring the state up to date with what is live"),
  destroy: flag("--destroy", "plan the deletion of everything recorded"),
  format: choice("--format <format>", "how to show it", ["text", "json", "markdown"], "text"),
  textOrJson: choice("--format <format>", "how to show it", ["text", "json"], "text"),
  json: flag("--json", "JSON, for programs"),
  secrets: negation(
    "--no-secrets",
    "skip variables whose value is not available here: a pull request needs no secret of production",
  ),
  detailedExitcode: flag("--detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"),
  strict: flag(
    "--strict",
    "exit 2 also for what is not in the manifest: services, projects, variables, settings not at their default",
  ),
  jsonInto: text("--json-into <file>", "also write into this file what --json would print"),
  expectDigest: parsed(
    "--expect-digest <digest>",
    "apply only if the plan has this digest, as a reviewed one shows it; else exit 5",
    (word) => {
      if (/^([0-9a-f]{12}|[0-9a-f]{64})$/.test(word)) return word;
      throw new InvalidArgumentError("Not a digest: 64 hexadecimal digits, or the 12 that a terminal shows.");
    },
  ),
  out: text("-o, --out <file>", "save the plan, to apply exactly this later"),
  metrics: text(
    "--metrics <file>",
    "write the numbers there in Prometheus' text format, whole or not at all",
  ),
  html: text("--html <file>", "also write it as a page for a browser: one file, which loads nothing (beta)"),
  verbose: flag("--verbose", "show each resource by itself, where many are alike"),
  autoApprove: flag("--auto-approve", "do not ask"),
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

export const pick = <Name extends keyof typeof options>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<typeof options, Name>;

/** Options that scripts for Terraform pass to every verb; reading verbs ignore them, and help hides them. */
export const ignored = {
  input: variant(options.input, { hidden: true }),
  lockTimeoutMs: variant(options.lockTimeoutMs, { hidden: true }),
  parallelism: variant(options.parallelism, { hidden: true }),
};

const filesOfStages = variant(options.files, {
  description: "the manifest that declares the stages, where it is not the default one (repeatable)",
});

export const sourceOptions = pick("files", "app", "untrusted", "stacks");

/** Declares a verb that works on a state alone; its scope is one stack and stage unless it declares another. */
// biome-ignore lint/complexity/noBannedTypes: a verb may have no arguments.
export const stateVerb = <O extends Options = {}, A extends Arguments = {}>(
  verb: VerbOf<O, A> & Partial<TargetRules>,
): Verb => ({
  scope: "one",
  worksOn: "state",
  ...verb,
  options: {
    ...pick("state", "stacks"),
    ...verb.options,
    stage: options.stage,
    files: filesOfStages,
  },
});

export const scopeOptions = { ...sourceOptions, ...pick("state", "target", "exclude") };

export const planningOptions = {
  ...scopeOptions,
  ...pick("replace", "confirmDelete", "confirmConsumers", "adopt", "allowEmpty"),
};

export const policyOptions = pick("policy", "overridePolicy", "maxMonthlyIncrease", "maxMonthlyTotal");

export const runningOptions = {
  ...pick("autoApprove", "input", "json"),
  ...pick("lockTimeoutMs", "answerTimeoutMs", "parallelism"),
};

export const readingOptions = { ...pick("answerTimeoutMs"), ...ignored, ...pick("format", "json") };

export const stagesOptions = pick("files", "untrusted", "stage", "json", "ids");

function costLimit(kind: CostLimit["kind"], flags: string, description: string) {
  return parsed(flags, description, (word): CostLimit => {
    const [, amount, currency] = /^(\d+(?:\.\d+)?)\s*(usd|ngn)$/i.exec(word) ?? [];
    if (amount === undefined || currency === undefined)
      throw new InvalidArgumentError("Not an amount: a number and usd or ngn, such as 50usd.");
    return { kind, amount: Number(amount), currency: currency.toLowerCase() === "usd" ? "usd" : "ngn" };
  });
}

/** Returns the same option with another description or visibility. */
function variant<Value>(option: TypedOption<Value>, shown: Partial<TypedOption<Value>>): TypedOption<Value> {
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
