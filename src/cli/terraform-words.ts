/** Terraform's verbs that rnv lacks, and rnv's way. */
const verbs: Readonly<Record<string, string>> = {
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
const options: Readonly<Record<string, string>> = {
  var: "rnv has no -var: use ${env.NAME} in the manifest, or { fromEnv: NAME } for a secret",
  "var-file":
    "rnv has no -var-file: pass an overlay as a later -f FILE, or use variablesFrom: [{ dotenv: FILE }]",
  lock: "rnv always locks a state that it writes: -lock-timeout=5m waits for another run",
  refresh: "rnv always reads what is live: a plan needs three requests",
  "compact-warnings": "rnv prints each warning once: -json is for programs",
};

/** Returns rnv's way where a command line uses a word of Terraform's that `verbNames` and `optionNames` lack. */
export function terraformWord(
  words: readonly string[],
  verbNames: ReadonlySet<string>,
  optionNames: ReadonlySet<string>,
): string | undefined {
  const verb = words.find((word) => !word.startsWith("-")) ?? "";
  if (Object.hasOwn(verbs, verb) && !words.some((word) => verbNames.has(word))) return verbs[verb];
  for (const word of words) {
    const name = /^--?([a-z-]+)(=|$)/.exec(word)?.[1] ?? "";
    if (Object.hasOwn(options, name) && !optionNames.has(name)) return options[name];
  }
  return undefined;
}
