import { basename } from "node:path";
import { ApiError, diagnosticOf } from "../../api/api-error";
import { checkBaseUrl } from "../../api/http-transport";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { uuidPattern } from "../../model/text";
import { counted } from "../../render/plan-wording";
import { openContext } from "../context";
import type { Invocation } from "../invocation";
import { isJob } from "../job";
import { options } from "../options";
import {
  checkProfileName,
  connectionIn,
  embeddedProfile,
  keyFileOf,
  profileOfFolder,
  readProfiles,
  saveProfile,
  useInFolder,
  withProfile,
} from "../profile";
import { createPrompter, type Prompter } from "../prompt";
import { exitCodes, notesOf, report } from "../report";
import { keyPattern } from "../settings";
import type { Verb } from "./verb";

export const loginVerb: Verb = {
  usage: "login",
  summary: "Save the address, workspace and API key of a service as a profile",
  detail:
    "Asks for them, checks them with one request, and saves them in your config folder: $XDG_CONFIG_HOME/rnv, else " +
    "~/.config/rnv, on Windows %APPDATA%\\rnv. The key is in a file that only you can read. This folder then uses the " +
    "profile: .rnv/profile has its name. Other folders name it with --profile or RNV_PROFILE. Environment variables win. " +
    "In CI profiles are not read.",
  options: [options.answerTimeout, options.noInput],
  examples: [
    ["rnv login", "asks for a name too"],
    ["rnv login --profile shop", "saves it as shop, or replaces shop"],
    ["rnv plan --profile shop", "in a folder that does not use it yet"],
  ],
  handler: async (invocation) => {
    const entered = await logIn(invocation);
    if (typeof entered === "number") return entered;
    const [first, ...others] = connectionIn(invocation.environment);
    if (invocation.profile === undefined && first !== undefined)
      invocation.terminal.err(
        `\nThe environment wins over the profile. To use the profile: unset ${[first, ...others].join(" ")}\n`,
      );
    invocation.terminal.out("\nNext: rnv plan\n");
    return exitCodes.done;
  },
};

/**
 * Asks for a service, checks the answers, and saves them as a profile that the folder uses. Returns the invocation with
 * that profile, or the exit code where nothing was saved.
 */
export async function logIn(invocation: Invocation): Promise<Invocation | number> {
  const { environment, cwd, terminal } = invocation;
  const ask = isJob(environment) ? undefined : createPrompter(invocation);
  if (ask === undefined) throw notHere();
  const name = await nameOf(invocation, ask);
  const known = name === undefined ? undefined : readProfiles(environment).get(name);
  const answers = name === undefined ? undefined : await askForAll(invocation, ask, known);
  if (name === undefined || answers === undefined) {
    terminal.err("\nLogin cancelled. Nothing was saved.\n");
    return exitCodes.interrupted;
  }
  const { baseUrl, workspaceId, key } = answers;
  const typed = { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY: key };
  const checked = { ...invocation, environment: { ...environment, ...typed }, profile: undefined };
  const { projects, diagnostics } = await askService(checked);
  report(invocation, diagnostics);
  if (projects === undefined) {
    terminal.err("Nothing was saved.\n");
    return exitCodes.error;
  }
  saveProfile(environment, name, { baseUrl, workspaceId }, key);
  useInFolder(cwd, name);
  const { done } = notesOf(invocation);
  done(`${baseUrl} answers: the key opens workspace ${workspaceId} (${projects})`);
  done(`Profile ${name} is saved; its key is in ${keyFileOf(environment, name)}`);
  done(`.rnv/profile: this folder uses the profile ${name}`);
  return { ...invocation, ...withProfile(environment, { cwd, asked: name, untrusted: false }) };
}

const notHere = () =>
  new DiagnosticsError([
    error("command.usage", "rnv login asks for a key, and this is not a terminal where it can ask", {
      detail: "It needs a terminal, and neither CI nor -input=false.",
      hint: "set RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY, or RNV_API_KEY_FILE",
    }),
  ]);

/** The name that was given, else that of the folder's profile, else one that is asked for; undefined cancels. */
async function nameOf(invocation: Invocation, ask: Prompter): Promise<string | undefined> {
  const { environment, cwd, options } = invocation;
  const given = (options.profile as string | undefined) ?? (environment.RNV_PROFILE?.trim() || undefined);
  const wrong = given === undefined ? undefined : checkProfileName(given);
  if (wrong !== undefined) throw new DiagnosticsError([error("command.usage", wrong)]);
  const used = given ?? profileOfFolder(cwd);
  if (used !== undefined && checkProfileName(used) === undefined) return used;
  const usual = basename(cwd)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 64);
  const isUsable = checkProfileName(usual) === undefined;
  return askFor(invocation, ask, {
    question: "Profile name",
    usual: isUsable ? usual : undefined,
    check: checkProfileName,
  });
}

interface Question {
  readonly question: string;
  /** What Enter alone answers. */
  readonly usual?: string | undefined;
  readonly isSecret?: boolean;
  readonly check: (answer: string) => string | undefined;
}

/** Asks until the answer is a good one; undefined cancels. */
async function askFor(
  { terminal }: Invocation,
  ask: Prompter,
  wanted: Question,
): Promise<string | undefined> {
  const { question, usual, isSecret = false, check } = wanted;
  for (;;) {
    const typed = await ask(`${question}${usual === undefined ? "" : ` [${usual}]`}: `, { isSecret });
    if (typed === undefined) return undefined;
    const answer = typed.trim() || (usual ?? "");
    const wrong = check(answer);
    if (wrong === undefined) return answer;
    terminal.out(`  ${wrong[0]?.toUpperCase()}${wrong.slice(1)}.\n`);
  }
}

interface Answers {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly key: string;
}

async function askForAll(
  invocation: Invocation,
  ask: Prompter,
  known: Omit<Answers, "key"> | undefined,
): Promise<Answers | undefined> {
  const baseUrl = await askFor(invocation, ask, {
    question: "Base URL, ending in /api/v1",
    usual: known?.baseUrl,
    check: (text) =>
      text === "embedded"
        ? `the embedded service needs no login: use --profile ${embeddedProfile}`
        : checkBaseUrl(text.replace(/\/+$/, ""))?.summary,
  });
  if (baseUrl === undefined) return undefined;
  const workspaceId = await askFor(invocation, ask, {
    question: "Workspace ID",
    usual: known?.workspaceId,
    check: (text) => (uuidPattern.test(text) ? undefined : "not a UUID: 8-4-4-4-12 hexadecimal digits"),
  });
  if (workspaceId === undefined) return undefined;
  const key = await askFor(invocation, ask, {
    question: "API key (not shown)",
    isSecret: true,
    check: (text) =>
      keyPattern.test(text) ? undefined : 'not an API key: it starts with "rnv_" and has no spaces',
  });
  return key === undefined ? undefined : { baseUrl: baseUrl.replace(/\/+$/, ""), workspaceId, key };
}

/** Milliseconds to wait for an answer of the service. */
const patience = 10_000;

export interface ServiceAnswer {
  /** How many there are: `2 projects`. Undefined where the settings do not open the workspace. */
  readonly projects?: string;
  /** It has neither projects nor services; known only where that was asked for. */
  readonly isEmpty?: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Makes one read, which needs a key of that workspace; with `looksInside` more where there are no projects. */
export async function askService(invocation: Invocation, looksInside = false): Promise<ServiceAnswer> {
  const enough = AbortSignal.timeout(patience);
  const asking = { ...invocation, signal: AbortSignal.any([invocation.signal, enough]) };
  try {
    const context = openContext(asking);
    try {
      const { endpoints, send, reads } = await context.connect();
      const { length } = await endpoints(send).listProjects();
      const isEmpty = looksInside && length === 0 && (await reads.services()).length === 0;
      return { projects: counted(length, "project"), isEmpty, diagnostics: [] };
    } finally {
      await context.close();
    }
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics };
    if (enough.aborted)
      return {
        diagnostics: [
          error(
            "api.unavailable",
            `${invocation.environment.RNV_BASE_URL} does not answer within ${patience / 1000} s`,
            {
              hint: "check RNV_BASE_URL and the network",
            },
          ),
        ],
      };
    if (cause instanceof ApiError) return { diagnostics: [diagnosticOf(cause)] };
    throw cause;
  }
}
