import { join, resolve } from "node:path";
import type { Transport } from "../api/transport";
import { readNamed } from "../declaration/project-files";
import { type Diagnostic, error, failure } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import type * as embedded from "../emulator/emulator";
import type * as served from "../emulator/http-server";
import { reasonOf } from "../model/file-error";
import type { ProcessEnvironment } from "../model/target-location";
import { makeIgnoredFolder } from "../state/node-disk";

// A header value: one line of visible ASCII. Anything else is a paste error, and would fail far from here.
export const keyPattern = /^rnv_[!-~]+$/;

const largestKeyFile = 4096;

/**
 * Returns the API key that is `given`, else that in the file of RNV_API_KEY_FILE, or the diagnostic of a bad key. Undefined:
 * neither is set. Nothing of the key is ever in a message; `source` names the setting that was given.
 */
export function readApiKey(
  { given, source }: { readonly given: string; readonly source: string },
  environment: ProcessEnvironment,
  cwd: string,
): string | Diagnostic | undefined {
  if (given !== "") return checkKey(given, source);
  const file = environment.RNV_API_KEY_FILE?.trim() ?? "";
  if (file === "") return undefined;
  try {
    return checkKey(readNamed(resolve(cwd, file), largestKeyFile).trim(), "the file of RNV_API_KEY_FILE");
  } catch (cause) {
    const named = keyPattern.test(file) ? "rnv_…" : file;
    const hint = "name a readable file that holds the key and nothing else";
    return error("config.invalid", `RNV_API_KEY_FILE: cannot read ${named}: ${reasonOf(cause)}`, { hint });
  }
}

/** Returns the key, or an error that holds nothing of the text. */
export function checkKey(text: string, source: string): string | Diagnostic {
  if (keyPattern.test(text)) return text;
  const hint = 'an API key starts with "rnv_" and holds no spaces or line breaks';
  return error("config.invalid", `${source} does not hold an API key`, { hint });
}

/** Sends requests into an emulator in this process, which keeps its records below `cwd`. Loaded only where it is asked for. */
export function embeddedTransport(cwd: string, environment: ProcessEnvironment): Transport {
  const folder = resolve(cwd, join(".rnv", "emulator"));
  makeIgnoredFolder(folder);
  const { createEmulator } = require("../emulator/emulator") as typeof embedded;
  const { RNV_READINGS: readings, RNV_EMULATOR_PAYS: pays } = environment;
  return createEmulator({ folder, readings, conditions: pays === "1" ? ["paid"] : [] }).transport();
}

/** `rnv emulator`: the embedded platform over HTTP on localhost, until it is closed; port 0 takes a free one. */
export async function emulator(port: number, options: embedded.EmulatorOptions) {
  const { createEmulator } = require("../emulator/emulator") as typeof embedded;
  const { serveEmulator } = require("../emulator/http-server") as typeof served;
  const server = await serveEmulator(createEmulator(options), { port }).catch((cause: unknown) => {
    throw failure("command.usage", `cannot listen on port ${port}: ${reasonOf(cause)}`, {
      hint: "an emulator may run there already; rnv emulator -port 0 takes a free port",
    });
  });
  return { server, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey };
}
