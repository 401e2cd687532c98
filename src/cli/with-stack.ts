import { existsSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { trustOf } from "../manifest/trust";
import type { Invocation } from "./invocation";
import { readLimited } from "./read-limited";
import type * as synthesizing from "./synthesize";

const settingsName = "cdktf.json";
const largestSettings = 1024 * 1024;

/** What `cdktf.json` says, as far as rnv reads it. */
interface AppSettings {
  readonly app?: unknown;
  readonly output?: unknown;
  readonly context?: unknown;
}

/**
 * `takesPlan`: the first argument of the verb is a saved plan, which needs no program. The invocation with `--file` naming what a program synthesizes. A program runs in two cases only: `--app` names it, or
 * a `cdktf.json` does, where no manifest stands and no file is named.
 */
export async function withStack(invocation: Invocation, takesPlan = true): Promise<Invocation> {
  const { cwd, options, positional, terminal } = invocation;
  const isSaved = takesPlan && positional[0] !== undefined;
  if (options.app !== undefined && (isSaved || options.file !== undefined)) {
    const what = isSaved ? "cannot change a saved plan" : "and --file exclude each other";
    throw new DiagnosticsError([error("command.usage", `--app ${what}`)]);
  }
  if (isSaved || options.file !== undefined) return invocation;
  const settings = readAppSettings(cwd);
  const isDefault = !["rnv.yaml", "rnv.yml", "rnv"].some((name) => existsSync(join(cwd, name)));
  const command = options.app ?? (isDefault ? settings.app : undefined);
  if (typeof command !== "string" || command.trim() === "") return invocation;
  const { commandsForbiddenBy } = trustOf(invocation.environment, options.untrusted === true);
  if (commandsForbiddenBy !== undefined)
    throw new DiagnosticsError([
      error(
        "guard.untrusted",
        `the program ${JSON.stringify(command)} ${options.app === undefined ? "of cdktf.json " : ""}is not run: ${commandsForbiddenBy} forbids it`,
        { hint: "synthesize where the program is trusted, and name its output: -f cdktf.out" },
      ),
    ]);
  const { synthesize } = require("./synthesize") as typeof synthesizing;
  const folder = typeof settings.output === "string" ? settings.output : "cdktf.out";
  const { environment, signal } = invocation;
  if (options.json !== true) terminal.err(`Synthesizing: ${command}\n`);
  await synthesize({ command, folder, context: settings.context, cwd, environment, signal });
  return { ...invocation, options: { ...options, file: [folder] } };
}

function readAppSettings(cwd: string): AppSettings {
  const path = join(cwd, settingsName);
  if (!existsSync(path)) return {};
  try {
    const parsed: unknown = JSON.parse(readLimited(path, largestSettings).toString("utf8"));
    if (parsed !== null && typeof parsed === "object") return parsed;
  } catch {
    // Reported below, without the text.
  }
  throw new DiagnosticsError([
    error("manifest.syntax", `${settingsName} is not a JSON object of at most ${largestSettings} bytes`),
  ]);
}
