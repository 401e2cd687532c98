import type { Command, CommanderError } from "commander";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import { usage } from "./screen";
import { shownOptions, shownVerbs, wordsOf } from "./verb";

export function mistakeIn(command: Command, { code, message }: CommanderError): DiagnosticsError {
  if (code === "commander.unknownCommand") return unknownVerb(command, command.args[0] ?? "");
  // Omit the value of the option, which may be secret.
  const [, option, name = ""] = /^error: (unknown option '--?([^=']*))/.exec(message) ?? [];
  if (Object.hasOwn(terraformOptions, name))
    return failure("command.usage", terraformOptions[name] as string);
  const known = ["help", ...shownOptions(command).map((shown) => shown.name())];
  const similar = option && suggest(name, known);
  const hint = similar ? `did you mean "--${similar}"?` : `${wordsOf(command)} --help`;
  return failure("command.usage", option ? `${option}'` : message.replace(/^error: /, ""), { hint });
}

/** Returns the error for a verb that does not exist. No hint leads to `destroy`. */
export function unknownVerb(command: Command, word: string): DiagnosticsError {
  if (!command.parent && Object.hasOwn(terraformVerbs, word))
    return failure("command.usage", terraformVerbs[word] as string);
  const verbs = shownVerbs(command).map((verb) => verb.name());
  const similar = suggest(word, verbs);
  const help = command.parent ? `${wordsOf(command)} --help` : "rnv help -a";
  const hint = similar === undefined || similar === "destroy" ? help : `did you mean "${similar}"?`;
  return usage(`${wordsOf(command)} has no verb "${word}"`, hint);
}

/** Terraform's verbs that rnv lacks, and rnv's way. */
const terraformVerbs: Readonly<Record<string, string>> = {
  workspace: "rnv has stages instead of workspaces: declare `stages`, then pass --stage NAME",
  fmt: "rnv does not format manifests: any YAML formatter does",
  taint: "to create a resource again: rnv apply -replace=ADDRESS",
  untaint: "rnv marks no resource as tainted: nothing has to be undone",
  refresh: "to record what is live: rnv apply -refresh-only",
  console: "rnv has no console: rnv output and rnv show print values",
  get: "rnv has no modules to download: pass several files with -f",
  providers: "rnv has one provider, itself: rnv version",
  up: "to create or change resources: rnv apply",
  down: "to destroy everything that the state records: rnv destroy",
};

/** Terraform's options that rnv lacks, and rnv's way. */
const terraformOptions: Readonly<Record<string, string>> = {
  var: "rnv has no -var: use ${env.NAME} in the manifest, or { fromEnv: NAME } for a secret",
  "var-file":
    "rnv has no -var-file: pass an overlay as a later -f FILE, or use variablesFrom: [{ dotenv: FILE }]",
  lock: "rnv always locks a state that it writes: -lock-timeout=5m waits for another run",
  refresh: "rnv always reads what is live: a plan needs three requests",
  "compact-warnings": "rnv prints each warning once: -json is for programs",
};
