import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Argument, Option } from "commander";
import { ApiError, diagnosticOf } from "../../api/api-error";
import { takeOverWorkspace } from "../../commands/take-over-workspace";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import { type ConvertibleSource, convert, convertibleSources } from "../../manifest/convert";
import { counted } from "../../render/plan-wording";
import { openContext, withContext } from "../context";
import { readText, writeWholeFile } from "../files";
import type { Invocation } from "../invocation";
import { options } from "../options";
import { type Choice, chooseOne } from "../prompt";
import { exitCodes, outStyle, report } from "../report";
import { readSettings, type Settings } from "../settings";
import { appIn, manifestIn } from "../synthesize";
import { otherDiagnostics, showPlan } from "./plan";
import type { Verb } from "./verb";

export const initVerb: Verb = {
  usage: "init",
  arguments: [
    new Argument("[file]", "with --from render, railway, compose or procfile: the file to convert"),
  ],
  summary: "Write a first manifest here, and check the settings",
  detail:
    "Never overwrites a file. At a terminal, where there is no manifest yet, it asks with arrow keys what to start from. Asks " +
    "the service once whether the key opens the workspace. With --from workspace the manifest says what is live there, and " +
    "all of it is taken over without one write to the service: the plan after it is empty, or says what is left. A blueprint, " +
    "a compose file and a Procfile are converted: what has no counterpart is reported with its place, " +
    "and secrets become fromEnv.",
  options: [
    new Option("--from <source>", "make the manifest from what exists").choices([
      "workspace",
      ...convertibleSources,
    ]),

    new Option("--project <name>", "of the workspace only this project, by name or id"),
    new Option(
      "--verify-values",
      "reveal variables once (the service audits it): those that hold an address of another service become references",
    ),
    new Option("--dry-run", "print the manifest, and write and record nothing"),
    new Option("--force", "write over a manifest that is there"),
    options.answerTimeout,
    options.lockTimeout,
    options.noInput,
    options.state,
  ],
  examples: [
    ["RNV_BASE_URL=embedded rnv init", "to try it without an account"],
    ["rnv init --from workspace", "to manage what was made by hand"],
    ["rnv init --from compose docker-compose.yml", "to start from what another tool runs"],
    ["rnv init --from workspace --project Shop --dry-run", "to look at the manifest of one project first"],
  ],
  handler: runInit,
};

/** The outcome of a step of init: files that it wrote, and those that it found as they should be. */
interface Notes {
  readonly done: (text: string) => void;
  readonly kept: (text: string) => void;
}

function notesOf(invocation: Invocation): Notes {
  const { terminal } = invocation;
  const { colors } = outStyle(invocation);
  return {
    done: (text) => terminal.out(`${colors.green("+")} ${text}\n`),
    kept: (text) => terminal.out(`  ${text}\n`),
  };
}

async function runInit(invocation: Invocation): Promise<number> {
  const { from } = invocation.options as { readonly from?: "workspace" | ConvertibleSource };
  if (from === "workspace") return initFromWorkspace(invocation);
  if (from !== undefined) return initFromFile(invocation, from);
  const alone = ["project", "verifyValues", "dryRun", "force"].find(
    (name) => invocation.options[name] !== undefined,
  );
  if (alone !== undefined)
    throw new DiagnosticsError([
      error("command.usage", "--project, --verify-values, --dry-run and --force go with --from", {
        hint: "rnv init --from workspace",
      }),
    ]);
  if (!asksForSource(invocation)) return initStarter(invocation);
  const source = await chooseOne(invocation, "What is the manifest made from?", choicesIn(invocation));
  if (source === undefined) return exitCodes.interrupted;
  if (source === "starter") return initStarter(invocation);
  return source === "workspace" ? initFromWorkspace(invocation) : initFromFile(invocation, source);
}

/** A person is there, and nothing was said or written yet. */
const asksForSource = ({ terminal, cwd, options, environment }: Invocation): boolean =>
  // Not live: CI, or a terminal that cannot move its cursor.
  terminal.interactive &&
  terminal.live &&
  options.input !== false &&
  !environment.TF_IN_AUTOMATION &&
  manifestIn(cwd) === undefined &&
  appIn(cwd) === undefined;

type Source = "starter" | "workspace" | ConvertibleSource;

/** Files of other tools that lie here come first, then what is live, where the settings are there. */
function choicesIn({ environment, cwd, options }: Invocation): readonly Choice<Source>[] {
  const files = convertibleSources.flatMap((source): Choice<Source>[] => {
    const file = usualFiles[source].find((name) => existsSync(join(cwd, name)));
    return file === undefined
      ? []
      : [{ value: source, label: file, hint: "converted; what has no counterpart is reported" }];
  });
  const state = typeof options.state === "string" ? options.state : undefined;
  const isSet = !hasErrors(readSettings(environment, { state, cwd }).diagnostics);
  return [
    ...files,
    ...(isSet
      ? [
          {
            value: "workspace" as const,
            label: "what is live in the workspace",
            hint: "taken over without a write to the service",
          },
        ]
      : []),
    { value: "starter", label: "a first example", hint: "to edit" },
  ];
}

/** The manifest says what is live, and the state records it: one command, and no write to the service. */
async function initFromWorkspace(invocation: Invocation): Promise<number> {
  const { terminal, cwd, options } = invocation;
  const { project } = options as { readonly project?: string };
  const notes = notesOf(invocation);
  const isDry = options.dryRun === true;
  const manifest = manifestToWrite(invocation);
  const keep = (text: string): string | undefined => {
    const whole = schemaLine(cwd) + originOf(project) + text;
    if (isDry) {
      terminal.out(whole);
      return undefined;
    }
    writeWholeFile(join(cwd, manifest), whole, {
      keep: options.force !== true,
      mode: 0o666 & ~process.umask(),
    });
    if (ignoreRecords(cwd)) notes.done(".gitignore: the state and its key stay out of git");
    return manifest;
  };
  const outcome = await withContext(invocation, (context) =>
    takeOverWorkspace(context, {
      ...{ keep, project, reveals: options.verifyValues === true },
      ...{ lockTimeoutMs: options.lockTimeout as number, parallelism: 10 },
    }),
  );
  const { plan, taken, declared, references, diagnostics, sources } = outcome;
  if (!isDry && hasErrors(diagnostics) && plan === undefined)
    notes.kept(`${manifest} is written; nothing is taken over yet: rnv plan --adopt`);
  if (plan !== undefined) {
    const found = references === 0 ? "" : `, ${counted(references, "reference")} among them`;
    notes.done(`${manifest}: ${counted(declared, "resource")} of the workspace${found}`);
    notes.done(`${counted(taken, "resource")} taken over; nothing was written to the service`);
    terminal.out("\n");
    showPlan(invocation, plan, "text", sources);
  }
  report(invocation, otherDiagnostics(plan, diagnostics, "text"), sources);
  terminal.err(
    "Archived services are in no list of the service, so none is written: declare one with `import: ID`.\n",
  );
  return outcome.exitCode;
}

/** The manifest that a source is written to; one that is there is not written over. */
function manifestToWrite({ cwd, options }: Invocation): string {
  const there = manifestIn(cwd);
  if (there === undefined || options.dryRun === true || options.force === true) return there ?? "rnv.yaml";
  throw new DiagnosticsError([
    error("command.usage", `${there} is there already, and is not written over`, {
      hint: "look at what would be written with --dry-run; --force writes over it",
    }),
  ]);
}

/** Files by which each tool is known. */
const usualFiles: Readonly<Record<ConvertibleSource, readonly string[]>> = {
  render: ["render.yaml", "render.yml"],
  compose: ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
  procfile: ["Procfile"],
};

async function initFromFile(invocation: Invocation, source: ConvertibleSource): Promise<number> {
  const { terminal, cwd, positional, options } = invocation;
  const notes = notesOf(invocation);
  const file =
    (positional[0] as string | undefined) ?? usualFiles[source].find((name) => existsSync(join(cwd, name)));
  if (file === undefined)
    throw new DiagnosticsError([
      error("command.usage", `there is no ${usualFiles[source].join(" or ")} here`, {
        hint: `name the file: rnv init --from ${source} FILE`,
      }),
    ]);
  const manifest = manifestToWrite(invocation);
  const { text, count, diagnostics, sources } = convert({ source, file, text: readText(resolve(cwd, file)) });
  report(invocation, diagnostics, sources);
  if (text === undefined) return exitCodes.error;
  const whole = `${schemaLine(cwd)}# Converted from ${file}.\n${text}`;
  if (options.dryRun === true) {
    terminal.out(whole);
    return exitCodes.done;
  }
  writeWholeFile(join(cwd, manifest), whole, {
    keep: options.force !== true,
    mode: 0o666 & ~process.umask(),
  });
  notes.done(`${manifest}: ${counted(count, "service")} of ${file}`);
  if (ignoreRecords(cwd)) notes.done(".gitignore: the state and its key stay out of git");
  terminal.out(nextSteps(diagnostics.length > 0));
  return exitCodes.done;
}

/** Says in the manifest where it comes from. */
const originOf = (project: string | undefined): string =>
  `# Written from ${project === undefined ? "what was live in the workspace" : `the live project ${JSON.stringify(project)}`}: ` +
  `what is not here is as the service has it by default.\n` +
  "# `preserve: true` leaves a variable as it is; give it a source to manage its value: { fromEnv: NAME }.\n";

async function initStarter(invocation: Invocation): Promise<number> {
  const { terminal, environment, cwd, options } = invocation;
  const state = typeof options.state === "string" ? options.state : undefined;
  const settings = readSettings(environment, { state, cwd });
  const { done, kept } = notesOf(invocation);

  const manifest = manifestIn(cwd);
  const app = appIn(cwd);
  if (manifest === undefined && app !== undefined)
    kept(`cdktf.json has an app: rnv plan runs it (${app}), and no manifest is written beside it`);
  else if (manifest === undefined) {
    writeWholeFile(join(cwd, "rnv.yaml"), schemaLine(cwd) + starterManifest, {
      keep: true,
      mode: 0o666 & ~process.umask(),
    });
    done("rnv.yaml: a first manifest to edit");
  } else kept(`${manifest} is there already: left as it is`);

  if (ignoreRecords(cwd)) done(".gitignore: the state and its key stay out of git");
  else kept(".gitignore has .rnv/ already");

  const key = join(settings.stateFolder, "state.key");
  const hadKey = existsSync(key);
  const { diagnostics } = await openContext(invocation).stateKey(true);
  report(invocation, diagnostics);
  if (hasErrors(diagnostics)) return exitCodes.error;
  if (environment.RNV_STATE_KEY) kept("RNV_STATE_KEY is the key of secret fingerprints");
  else if (hadKey) kept(`${nearPath(invocation, key)} is there already`);
  else done(`${nearPath(invocation, key)}: the key of secret fingerprints; keep a copy`);

  const isSet = !hasErrors(settings.diagnostics);
  const answer = isSet && settings.baseUrl !== "embedded" ? await askOnce(invocation, settings) : undefined;
  if (answer?.projects !== undefined)
    done(`${settings.baseUrl} answers: the key opens workspace ${settings.workspaceId} (${answer.projects})`);
  const problems = [...settings.diagnostics, ...(answer?.diagnostics ?? [])];
  report(
    invocation,
    problems.map((found) => ({ ...found, severity: "warning" as const })),
  );
  terminal.out(nextSteps(hasErrors(problems)));
  return exitCodes.done;
}

/** Milliseconds to wait for an answer of the service. */
const patience = 10_000;

interface InitAnswer {
  readonly projects?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** One read, which only a key of that workspace may make. */
async function askOnce(invocation: Invocation, { baseUrl }: Settings): Promise<InitAnswer> {
  const enough = AbortSignal.timeout(patience);
  const asking = { ...invocation, signal: AbortSignal.any([invocation.signal, enough]) };
  try {
    const context = openContext(asking);
    try {
      const { endpoints, send } = await context.connect();
      const projects = await endpoints(send).listProjects();
      return { projects: counted(projects.length, "project"), diagnostics: [] };
    } finally {
      await context.close();
    }
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics };
    if (enough.aborted)
      return {
        diagnostics: [
          error("api.unavailable", `${baseUrl} does not answer within ${patience / 1000} s`, {
            hint: "check RNV_BASE_URL and the network",
          }),
        ],
      };
    if (cause instanceof ApiError) return { diagnostics: [diagnosticOf(cause)] };
    throw cause;
  }
}

/** True when the line was added. */
function ignoreRecords(cwd: string): boolean {
  const path = join(cwd, ".gitignore");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text.split(/\r?\n/).some((line) => /^\/?\.rnv\/?$/.test(line.trim()))) return false;
  appendFileSync(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}.rnv/\n`);
  return true;
}

function nearPath({ cwd }: Invocation, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") || isAbsolute(near) ? path : near;
}

const nextSteps = (incomplete: boolean): string =>
  `\nNext:\n${incomplete ? "  fix the warnings above, then\n" : ""}` +
  "  rnv plan     shows what would change\n  rnv apply    asks, then changes it\n";

const schema = join("node_modules", "terraform-provider-rnv", "schemas", "manifest.schema.json");

/**
 * The comment that makes editors check a manifest in `folder`. It names the schema of the package that is installed
 * above; where none is, that of an installation beside the manifest.
 */
export function schemaLine(folder: string): string {
  let found = folder;
  while (!existsSync(join(found, schema)) && found !== dirname(found)) found = dirname(found);
  const path = existsSync(join(found, schema)) ? relative(folder, join(found, schema)) : schema;
  const shown = path.split(sep).join("/");
  return `# yaml-language-server: $schema=${shown.startsWith("../..") ? shown : `./${shown}`}\n`;
}

/** The manifest that `rnv init` writes: small, complete, and applied as it is by the embedded service. */
const starterManifest = `# What runs, in one file. \`rnv plan\` shows what would change, \`rnv apply\` changes it.
version: 1

projects:
  shop:                                  # its address is project.shop
    name: Shop
    services:
      api:                               # service.shop.api
        kind: web                        # immutable: a change deletes and creates it again
        configuration:                   # only the fields written here are managed
          repository: https://git.example.com/shop/api
          branch: main
          runtime: node
          plan: free
          healthCheckPath: /healthz
        variables:
          LOG_LEVEL: info                # texts only: quote numbers
          # Secrets stay out of this file:
          # DATABASE_URL: { fromEnv: SHOP_DATABASE_URL }
          # SESSION_KEY: { generate: { length: 32 } }
        deploy:
          when: changed                  # changed | always | never
        # lifecycle:
        #   preventDestroy: true         # refuse every plan that would delete it

outputs:
  apiUrl: \${service.shop.api.url}        # rnv output -raw apiUrl
`;
