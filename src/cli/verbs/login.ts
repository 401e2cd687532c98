import { basename } from "node:path";
import { ApiError, diagnosticOf } from "../../api/api-error";
import { checkBaseUrl } from "../../api/http-transport";
import { keyPattern } from "../../commands/open-connection";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { manifestIn } from "../../manifest/find-files";
import { uuidPattern } from "../../model/address";
import { counted } from "../../report/plan-wording";
import { openTarget } from "../open-target";
import { pick } from "../options";
import {
  checkProfileName,
  configFile,
  connectionIn,
  embeddedProfile,
  profileOfFolder,
  readProfiles,
  saveProfile,
  useInFolder,
  withProfile,
} from "../profile";
import { ask, canAnswer } from "../prompt";
import { exitCodes, notesOf, type Screen, usage } from "../screen";
import { appIn } from "../synthesize";
import type { Target } from "../target";
import { defineVerb } from "../verb";

export const loginVerb = defineVerb({
  name: "login",
  summary: "Save the address of the platform, the workspace and its API key as a profile",
  detail:
    "Asks for them, checks them with one request, and saves them in your config folder: $XDG_CONFIG_HOME/rnv, else " +
    "~/.config/rnv, on Windows %APPDATA%\\rnv. The key is in a file that only you can read. This folder then uses the " +
    "profile: .rnv/profile has its name. Other folders name it with --profile or RNV_PROFILE. Environment variables win. " +
    "In CI profiles are not read.",
  options: pick("answerTimeoutMs", "input"),
  examples: [
    ["rnv login", "asks for a name too"],
    ["rnv login --profile shop", "saves it as shop, or replaces shop"],
    ["rnv plan --profile shop", "in a folder that does not use it yet"],
  ],
  run: async (_, { target, screen }) => {
    await logIn(target, screen);
    const isEmpty = manifestIn(target.cwd) === undefined && appIn(target.cwd) === undefined;
    screen.terminal.out(`\nNext: ${isEmpty ? "rnv init --from workspace" : "rnv plan"}\n`);
  },
});

/**
 * Asks for the settings of a platform, checks them, and saves them as the profile of the folder. Returns the target
 * with that profile. Throws `DiagnosticsError` if it saved nothing.
 */
export async function logIn(target: Target, screen: Screen): Promise<Target> {
  const { environment, cwd, givenProfile, profile } = target;
  const hint = "set RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY (or RNV_API_KEY_FILE)";
  const notHere = "rnv login needs a terminal to ask for a key, and neither CI nor -input=false";
  if (!canAnswer(screen)) throw usage(notHere, hint);
  const given = givenProfile ?? environment.RNV_PROFILE?.trim();
  const wrong = given && checkProfileName(given);
  if (wrong) throw usage(wrong);
  const usual = [profileOfFolder(cwd) ?? "", basename(cwd)].find((name) => !checkProfileName(name));
  const name = given || (await askFor(screen, "Profile name", checkProfileName, usual));
  const { RNV_BASE_URL: url, RNV_WORKSPACE_ID: id } = environment;
  const known = readProfiles(environment).get(name) ?? { baseUrl: url, workspaceId: id };
  const typedUrl = await askFor(screen, "Base URL, ending in /api/v1", checkUrl, known.baseUrl);
  const baseUrl = typedUrl.replace(/\/+$/, "");
  const workspaceId = await askFor(screen, "Workspace ID", checkWorkspace, known.workspaceId);
  let projects = 0;
  const key = await askFor(screen, keyQuestion, async (answer) => {
    if (!keyPattern.test(answer)) return 'not an API key: it starts with "rnv_" and has no spaces';
    const typed = { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY: answer };
    const checked = { ...target, environment: { ...environment, ...typed }, profile: undefined };
    const { projects: found, diagnostics } = await askService(checked, screen);
    projects = found ?? 0;
    if (found !== undefined) return undefined;
    if (diagnostics.some(({ code }) => code === "api.unauthorized")) return "the platform refused this key";
    const again = "nothing was saved: check the answers and run rnv login again";
    throw new DiagnosticsError(diagnostics.map((problem) => ({ ...problem, hint: again })));
  });
  saveProfile(environment, name, { baseUrl, workspaceId }, key);
  useInFolder(cwd, name);
  const { done, kept } = notesOf(screen);
  done(`profile ${name}: saved; its key opens the workspace (${counted(projects, "project")})`);
  done(`${configFile(environment, `${name}.key`)}: the key; only you can read it`);
  done(`.rnv/profile: this folder uses profile ${name}`);
  const winners = profile === undefined ? connectionIn(environment).join(" ") : "";
  if (winners !== "") kept(`The environment wins over the profile. To use the profile: unset ${winners}`);
  return { ...target, ...withProfile(environment, name) };
}

/** Returns the problem with an answer, if any. */
type AnswerCheck = (answer: string) => string | undefined | Promise<string | undefined>;

const keyQuestion = "API key (not shown)";

const checkUrl: AnswerCheck = (text) =>
  text === "embedded"
    ? `the embedded platform needs no login: use --profile ${embeddedProfile}`
    : checkBaseUrl(text.replace(/\/+$/, ""))?.summary;

const checkWorkspace: AnswerCheck = (text) =>
  uuidPattern.test(text) ? undefined : "not a UUID: 8-4-4-4-12 hexadecimal digits";

/** Asks until the answer is valid; Enter answers `usual`. Throws at the end of input and at Ctrl-C. */
async function askFor(screen: Screen, text: string, check: AnswerCheck, usual = ""): Promise<string> {
  const { terminal } = screen;
  for (;;) {
    const typed = await ask(screen, `${text}${usual && ` [${usual}]`}: `, { isSecret: text === keyQuestion });
    if (typed === undefined) {
      terminal.err("\nCancelled. Nothing was saved.\n");
      throw new DiagnosticsError([], exitCodes.interrupted);
    }
    const answer = typed.trim() || usual;
    const wrong = await check(answer);
    if (wrong === undefined) return answer;
    terminal.tell(`  ${wrong[0]?.toUpperCase()}${wrong.slice(1)}.\n`);
  }
}

/** Milliseconds to wait for an answer of the platform. */
const patience = 10_000;

export interface ServiceAnswer {
  /** Number of projects; undefined if the settings do not open the workspace. */
  readonly projects?: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Sends a read that needs a key of the workspace. */
export async function askService(target: Target, screen: Screen): Promise<ServiceAnswer> {
  const enough = AbortSignal.timeout(patience);
  const asking = { ...screen, signal: AbortSignal.any([screen.signal, enough]) };
  try {
    const context = openTarget(target, asking);
    try {
      const { endpoints, send } = await context.connect();
      return { projects: (await endpoints(send).listProjects()).length, diagnostics: [] };
    } finally {
      await context.close();
    }
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics };
    const summary = `${target.environment.RNV_BASE_URL} does not answer within ${patience / 1000} s`;
    const hint = "check RNV_BASE_URL and the network";
    if (enough.aborted) return { diagnostics: [error("api.unavailable", summary, { hint })] };
    if (cause instanceof ApiError) return { diagnostics: [diagnosticOf(cause)] };
    throw cause;
  }
}
