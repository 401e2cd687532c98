import { appendFileSync, existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { InvalidArgumentError } from "commander";
import { takeOverWorkspace } from "../../commands/take-over-workspace";
import { validate } from "../../commands/validate";
import { cloneAround } from "../../declaration/git";
import { shownPath } from "../../declaration/project-files";
import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic";
import { type ConvertibleSource, convert, convertibleSources } from "../../manifest/convert";
import { manifestIn, yamlName } from "../../manifest/find-files";
import { counted } from "../../report/plan-wording";
import { packageRoot, readText, writeWholeFile } from "../files";
import { openTarget, type Run, runOn, sourcesOf } from "../open-target";
import { argument, flag, isGiven, parsed, pick, text, type ValuesOf } from "../options";
import { embeddedProfile, useInFolder, withProfile } from "../profile";
import { type Choice, canAnswer, chooseOne } from "../prompt";
import { exitCodes, notesOf, report, type Screen, usage } from "../screen";
import { readSettings } from "../settings";
import { appIn } from "../synthesize";
import type { Target } from "../target";
import { defineVerb } from "../verb";
import { askService, logIn, type ServiceAnswer } from "./login";
import { showOutcome } from "./plan";

const sources = ["workspace", ...convertibleSources] as const;

const initOptions = {
  from: Object.assign(parsed("--from <source>", "make the manifest from what exists", sourceOf), {
    argChoices: [...sources],
  }),
  project: text("--project <name>", "only this project of the workspace, by name or id"),
  verifyValues: flag(
    "--verify-values",
    "reveal variables once (the platform audits it): those that hold an address of another service become references",
  ),
  protect: flag("--protect", "write lifecycle.preventDestroy for all that it takes over"),
  dryRun: flag("--dry-run", "print the manifest, and write and record nothing"),
  force: flag("--force", "overwrite an existing manifest"),
  typescript: flag("--typescript", "write rnv.config.ts in place of rnv.yaml"),
  ...pick("answerTimeoutMs", "lockTimeoutMs", "input", "state"),
};

const initArguments = { file: argument("[file]", "with --from render or procfile: the file to convert") };

type Here = Pick<Run, "target" | "screen">;

type InitValues = ValuesOf<typeof initOptions & typeof initArguments>;

export const initVerb = defineVerb({
  name: "init",
  arguments: initArguments,
  scope: "one",
  worksOn: "state",
  summary: "Write a first manifest here, and check the settings",
  detail:
    "Never overwrites a file. At a terminal it asks for the platform where none is set, and what to start from where there " +
    "is a choice. It checks with one request that the key opens the workspace. --from workspace writes a manifest of what " +
    "is live and records it, without a write to the platform: the next plan is empty, or shows what is left. A blueprint " +
    "and a Procfile are converted: what has no counterpart is reported with its location, and secrets become fromEnv; for " +
    "other formats see skills/rnv/SKILL.md. What names no repository is built from the remote origin of the clone. What " +
    "rnv validate would refuse in the manifest is a warning.",
  options: initOptions,
  examples: [
    ["RNV_BASE_URL=embedded rnv init", "to try it without an account"],
    ["rnv init --from workspace", "to manage what was made by hand"],
    ["rnv init --from render render.yaml", "to start from what another tool runs"],
    ["rnv init --from workspace --project Shop --dry-run", "to look at the manifest of one project first"],
  ],
  run: async (given, { target: found, screen }) => {
    const { from, file, project, verifyValues, protect, dryRun, force, typescript } = given;
    const taking = [project, verifyValues, protect];
    const misplaced =
      from === undefined ? [file, ...taking, dryRun, force] : from === "workspace" ? [file] : taking;
    if (misplaced.some(isGiven))
      throw usage(
        "--dry-run and --force go with --from; a file with --from render or procfile; --project, --verify-values and --protect with --from workspace",
        "rnv init --from workspace, or rnv init --from procfile Procfile",
      );
    if (from !== undefined && typescript)
      throw usage("--from writes YAML: it and --typescript exclude each other", "rnv init --typescript");
    const target = await withService(given, found, screen);
    const here = { target, screen };
    const chosen = typescript ? ("starter" as const) : from;
    const { source, answer } = chosen
      ? { source: chosen, answer: undefined }
      : await askSource(target, screen);
    if (source === "starter") return initStarter(given, here, answer);
    if (source === "workspace") return initFromWorkspace(given, here);
    return initFromFile(source, given, here);
  },
});

function sourceOf(word: string): (typeof sources)[number] {
  const source = sources.find((name) => name === word);
  if (source !== undefined) return source;
  throw new InvalidArgumentError(
    `rnv takes over a workspace and converts ${convertibleSources.join(" and ")} files. ` +
      "For other formats, give skills/rnv/SKILL.md of this package to an agent, which converts them.",
  );
}

const canAsk = (screen: Screen): boolean =>
  // CI and simple terminals cannot show a choice.
  canAnswer(screen) && screen.terminal.live && !screen.environment.TF_IN_AUTOMATION;

/** Returns the target with a platform. If settings are missing, it asks, and the folder keeps the answer. */
async function withService({ dryRun }: InitValues, target: Target, screen: Screen): Promise<Target> {
  const { environment, cwd, profile } = target;
  const isMissing = readSettings(target).diagnostics.some(({ code }) => code === "config.missing");
  if ((!isMissing && !profile?.problem) || dryRun || !canAsk(screen)) return target;
  const service = environment.RNV_BASE_URL
    ? "login"
    : await chooseOne(screen, "Which platform does this folder use?", [
        { value: "login", label: "a workspace of yours", hint: "asks for its address, ID and API key" },
        { value: "embedded", label: "try it here: embedded", hint: "a copy in this folder; no account" },
      ]);
  if (service === "login") return logIn(target, screen);
  useInFolder(cwd, embeddedProfile);
  notesOf(screen).done(".rnv/profile: this folder uses the embedded platform");
  return { ...target, ...withProfile(environment, embeddedProfile) };
}

/** Asks for the source of the manifest, if there are several. */
async function askSource(target: Target, screen: Screen) {
  const { cwd } = target;
  if (!canAsk(screen) || manifestIn(cwd) !== undefined || appIn(cwd) !== undefined)
    return { source: "starter" as const };
  const { baseUrl, diagnostics } = readSettings(target);
  const isNew = baseUrl === "embedded" && !existsSync(join(cwd, ".rnv", "emulator"));
  const answer = isNew || hasErrors(diagnostics) ? undefined : await askService(target, screen);
  const converted = "converted; what has no counterpart is reported";
  const choices = convertibleSources.flatMap((value): Choice<Source>[] => {
    const label = usualFile(cwd, value);
    return label === undefined ? [] : [{ value, label, hint: converted }];
  });
  const hint = "taken over without a write to the platform";
  if (answer?.projects) choices.push({ value: "workspace", label: "what is live in the workspace", hint });
  choices.push({ value: "starter", label: "a first example", hint: "to edit" });
  const source = choices.length === 1 ? "starter" : await chooseOne(screen, "Start from:", choices);
  return { source, answer };
}

type Source = "starter" | (typeof sources)[number];

/** Writes a manifest of the live workspace and records it, without a write to the platform. */
async function initFromWorkspace(given: InitValues, { target, screen }: Here): Promise<number> {
  const { project, protect, verifyValues: reveals, lockTimeoutMs } = given;
  const { terminal, cwd } = screen;
  const notes = notesOf(screen);
  const manifest = manifestToWrite(given, cwd);
  const from =
    project === undefined ? "what was live in the workspace" : `the live project ${JSON.stringify(project)}`;
  const origin =
    `# Written from ${from}: what is not here is as the platform has it by default.\n` +
    "# `preserve: true` leaves a variable as it is; give it a source to manage its value: { fromEnv: NAME }.\n";
  const keep = (text: string): string | undefined => {
    if (!keepManifest(given, screen, manifest, origin + text)) return undefined;
    ignoreRecords(screen);
    return manifest;
  };
  const request = { keep, project, reveals, protects: protect, lockTimeoutMs };
  const outcome = await runOn(target, screen, ({ context }) => takeOverWorkspace(context, request));
  const { plan, taken, declared, references, diagnostics } = outcome;
  if (hasErrors(diagnostics) && plan === undefined)
    notes.kept(`${manifest} is written; nothing is taken over yet: rnv plan --adopt`);
  showOutcome(screen, outcome);
  terminal.note(archivedNote);
  if (plan === undefined) return outcome.exitCode;
  const found = references === 0 ? "" : `, ${counted(references, "reference")} among them`;
  terminal.out("\n");
  notes.done(`${manifest}: ${counted(declared, "resource")} of the workspace${found}`);
  notes.done(`${taken} resources and deployments taken over; nothing was written to the platform`);
  const { state } = readSettings(target);
  terminal.tell(
    nextSteps(
      "rnv plan          shows what would change",
      `git commit        keeps ${manifest} and .gitignore; the state and its key stay out of git`,
      state.kind === "file" &&
        `RNV_STATE         names the store where a team shares the state; now it is ${shownPath(state.path, cwd)} (docs/cli/state.md)`,
      !protect &&
        "preventDestroy    refuses every plan that deletes its resource: lifecycle: { preventDestroy: true }",
    ),
  );
  return outcome.exitCode;
}

export const archivedNote =
  "Archived services cannot be listed. To manage one, write `import: ID` in its block.\n";

/** Returns the file of the new manifest. Throws for an existing manifest. */
function manifestToWrite({ dryRun, force }: InitValues, cwd: string): string {
  const existing = manifestIn(cwd);
  const isFolder = existing === "rnv";
  if (existing === undefined || dryRun || (force && !isFolder)) return existing ?? "rnv.yaml";
  throw usage(
    `${existing} is there already, and is not written over`,
    `look at what would be written with --dry-run; ${isFolder ? "move the folder away" : "--force writes over it"}`,
  );
}

function keepManifest(
  { dryRun = false, force = false }: Partial<InitValues>,
  { cwd, terminal }: Screen,
  file: string,
  text: string,
): boolean {
  const whole = yamlName.test(file) ? schemaLine(cwd) + text : text;
  const mode = 0o666 & ~process.umask();
  if (dryRun) terminal.out(whole);
  else writeWholeFile(join(cwd, file), whole, { keep: !force, mode });
  return !dryRun;
}

const usualFiles = { render: ["render.yaml", "render.yml"], procfile: ["Procfile"] };

const usualFile = (cwd: string, source: ConvertibleSource): string | undefined =>
  usualFiles[source].find((name) => existsSync(join(cwd, name)));

async function initFromFile(source: ConvertibleSource, given: InitValues, here: Here): Promise<number> {
  const { screen } = here;
  const { terminal, cwd } = screen;
  const notes = notesOf(screen);
  const file = given.file ?? usualFile(cwd, source);
  if (file === undefined)
    throw usage(
      `there is no ${usualFiles[source].join(" or ")} here`,
      `name the file: rnv init --from ${source} FILE`,
    );
  const manifest = manifestToWrite(given, cwd);
  const path = resolve(cwd, file);
  const request = { source, file, text: readText(path), clone: cloneAround(dirname(path)) };
  const { text, count, diagnostics } = convert(request);
  report(screen, diagnostics);
  if (text === undefined) return exitCodes.error;
  if (!keepManifest(given, screen, manifest, `# Converted from ${file}.\n${text}`)) return exitCodes.done;
  notes.done(`${manifest}: ${counted(count, "service")} of ${file}`);
  ignoreRecords(screen);
  const checked = await validate(sourcesOf(here), { files: [manifest] });
  report(screen, checked.diagnostics.map(asWarning));
  terminal.tell(firstSteps([...diagnostics, ...checked.diagnostics]));
  return exitCodes.done;
}

const asWarning = (found: Diagnostic): Diagnostic => ({ ...found, severity: "warning" });

async function initStarter(given: InitValues, here: Here, known?: ServiceAnswer): Promise<number> {
  const { target, screen } = here;
  const { terminal, cwd } = screen;
  const settings = readSettings(target);
  const { done, kept } = notesOf(screen);

  const manifest = manifestIn(cwd);
  const app = appIn(cwd);
  const isApp = manifest === undefined && app !== undefined;
  if (isApp) kept(`cdktf.json has an app: rnv plan runs it (${app}), and no manifest is written beside it`);
  else if (manifest === undefined) {
    const file = given.typescript ? "rnv.config.ts" : "rnv.yaml";
    const starter = given.typescript ? "starter.ts" : "starter.yaml";
    keepManifest({}, screen, file, readText(join(packageRoot(__dirname), "examples", "starter", starter)));
    done(`${file}: a first manifest to edit`);
  } else kept(`${manifest} is there already: left as it is`);

  if (!ignoreRecords(screen)) kept(".gitignore has .rnv/ already");

  const key = join(settings.stateFolder, "state.key");
  const hadKey = existsSync(key);
  const { diagnostics } = await openTarget(target, screen).stateKey(true);
  report(screen, diagnostics);
  if (hasErrors(diagnostics)) return exitCodes.error;
  if (target.environment.RNV_STATE_KEY) kept("RNV_STATE_KEY is the key of secret fingerprints");
  else if (hadKey) kept(`${shownPath(key, cwd)} is there already`);
  else done(`${shownPath(key, cwd)}: the key of secret fingerprints; keep a copy`);

  const isAsked = !hasErrors(settings.diagnostics) && settings.baseUrl !== "embedded";
  const answer = isAsked ? (known ?? (await askService(target, screen))) : undefined;
  if (answer?.projects !== undefined) {
    const projects = counted(answer.projects, "project");
    done(`${settings.baseUrl} answers: the key opens workspace ${settings.workspaceId} (${projects})`);
  }
  const problems = [...settings.diagnostics, ...(answer?.diagnostics ?? [])];
  report(screen, problems.map(asWarning));
  terminal.tell(firstSteps(hasErrors(problems) ? problems : []));
  return exitCodes.done;
}

function ignoreRecords(screen: Screen): boolean {
  const path = join(screen.cwd, ".gitignore");
  const text = existsSync(path) ? readText(path) : "";
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^(\*\*)?\/|\/$/g, ""));
  const ignored = [".rnv", "node_modules", "cdktf.out", "rnv-report"];
  const added = ignored.filter((folder) => !lines.includes(folder)).map((folder) => `${folder}/`);
  if (added.length === 0) return false;
  appendFileSync(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${added.join("\n")}\n`);
  const isNew = added.includes(".rnv/");
  const what = isNew ? "the state and its key stay out of git" : `added ${added.join(", ")}`;
  notesOf(screen).done(`.gitignore: ${what}`);
  return true;
}

const nextSteps = (...steps: readonly (string | false)[]): string =>
  `\nNext:\n${steps.map((step) => (step ? `  ${step}\n` : "")).join("")}`;

const firstSteps = (warnings: readonly Diagnostic[]): string => {
  const fix = warnings.length > 0 && "fix the warnings above, then";
  return nextSteps(fix, "rnv plan     shows what would change", "rnv apply    asks, then changes it");
};

const schema = join("node_modules", "terraform-provider-rnv", "schemas", "manifest.schema.json");

/**
 * Returns the comment by which editors check a manifest in `folder`. It names the schema of the nearest installed
 * package, else of a package beside the manifest.
 */
export function schemaLine(folder: string): string {
  let found = folder;
  while (!existsSync(join(found, schema)) && found !== dirname(found)) found = dirname(found);
  const path = existsSync(join(found, schema)) ? relative(folder, join(found, schema)) : schema;
  const shown = path.split(sep).join("/");
  return `# yaml-language-server: $schema=${shown.startsWith("../..") ? shown : `./${shown}`}\n`;
}
