import { InvalidArgumentError, Option } from "commander";
import { didYouMean } from "../diagnostics/suggest";
import { type DriftClass, driftClasses } from "../plan/drift";
import { parseDuration } from "./duration";

/** Options that several verbs share, made anew for each: commander keeps values in them. */
export const options = {
  file: () =>
    list(
      "-f, --file <path>",
      "manifest file or folder (rnv.yaml, rnv.yml or rnv/), - for standard input, cdktf.out or *.tf.json; a later manifest overlays",
    ),
  app: () =>
    new Option("--app <command>", "run this program of CDKTF constructs and read what it synthesizes"),
  untrusted: () =>
    new Option(
      "--untrusted",
      "the manifest comes from a stranger: run no command, read no file outside and only names that RNV_ALLOW_ENV lists",
    ),
  state: () =>
    new Option("--state <path>", "state file, https://… or s3://… (RNV_STATE, else .rnv/state.json)"),
  target: () => list("--target <address>", "only this address and what it needs"),
  exclude: () => list("--exclude <address>", "all but this address and what needs it"),
  replace: () => list("--replace <address>", "delete it and create it again"),
  confirmDelete: () => list("--confirm-delete <address>", "confirm one deletion by its address"),
  adopt: () => new Option("--adopt", "take over what already has the declared name"),
  verifyValues: () =>
    new Option(
      "--verify-values",
      "reveal variables to compare their values, and write none that is equal (the service audits each reveal)",
    ),
  noSecrets: () =>
    new Option(
      "--no-secrets",
      "leave values unchecked whose source is not here: a pull request needs no secret of production",
    ),
  failOn: () => {
    const option = new Option(
      "--fail-on <classes>",
      "exit 2 for these too, with commas between them; the first two always count",
    ).argParser(classesOfDrift);
    // For help and completion: `choices` would take one alone.
    option.argChoices = [...driftClasses];
    return option;
  },
  strict: () =>
    new Option(
      "--strict",
      "exit 2 also for what nobody declares: services, projects, variables, settings not at their default",
    ),
  allowEmpty: () => new Option("--allow-empty", "a manifest without resources deletes everything recorded"),
  refreshOnly: () => new Option("--refresh-only", "only bring the state up to date with what is live"),
  destroy: () => new Option("--destroy", "plan the deletion of everything recorded"),
  out: () => new Option("-o, --out <file>", "save the plan, to apply exactly this later"),
  detailedExitcode: () =>
    new Option("--detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"),
  format: () =>
    new Option("--format <format>", "how to show it").choices(["text", "json", "markdown"]).default("text"),
  json: () => new Option("--json", "JSON, for programs"),
  autoApprove: () => new Option("--auto-approve", "do not ask"),
  noInput: () => new Option("--no-input", "never ask; stop where an answer is needed (also -input=false)"),
  /** Not `timeout`: that is how long the verbs of running services wait for the end. */
  answerTimeout: () => {
    const option = new Option(
      "--timeout <duration>",
      "how long to wait for one answer of the service: 30s (1m unless given)",
    ).argParser(duration);
    option.attributeName = () => "answerTimeout";
    return option;
  },
  lockTimeout: () =>
    new Option("--lock-timeout <duration>", "how long to wait for the lock of the state: 30s, 5m")
      .argParser(duration)
      .default(0, "0s"),
  parallelism: () =>
    new Option("--parallelism <n>", "most changes in flight at once").argParser(positive).default(10),
};

const list = (flags: string, description: string): Option =>
  new Option(flags, `${description} (repeatable)`).argParser(
    (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
  );

/** Parses `drifted,pending`; may be given more than once. */
function classesOfDrift(text: string, previous: readonly DriftClass[] = []): readonly DriftClass[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(driftClasses as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, driftClasses) ?? `there are: ${driftClasses.join(", ")}`;
    throw new InvalidArgumentError(`"${unknown}" is no class of drift; ${hint}`);
  }
  return [...previous, ...(words as DriftClass[])];
}

/** Parses a duration option to milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError("Not a duration such as 30s, 5m or 1h.");
  return milliseconds;
}

/** Parses a whole number above zero. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Not a whole number above zero.");
  return Number(text);
}
