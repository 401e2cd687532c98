import { warning } from "../diagnostics/diagnostic";
import { unknownKey } from "./block-attributes";
import type { JsonNode } from "./document";
import { refused, StackProblem } from "./language/problem";
import { type BlockReader, readerOf } from "./resolve";
import type { Stack, StackContext } from "./stack";

/** Reads one setting; true where it says that nothing may be deleted. */
type ReadSetting = (at: JsonNode, reader: BlockReader) => boolean;

/**
 * Checks the configurations of the provider; returns those that refuse deletions, as `provider` names them. A run goes where its
 * environment says: a stack that names another service or workspace must not be applied there.
 */
export function readProviders(stack: Stack, context: StackContext): ReadonlySet<string> {
  const protecting = new Set<string>();
  for (const [name, block] of stack.providers) {
    const reader = readerOf(stack, context, { owner: `${stack.name}: provider.${name}` });
    for (const [key, at] of block.entries) {
      if (key === "alias" || at.isAbsent) continue;
      const read = settings[key];
      if (read?.(at, reader)) protecting.add(name);
      else if (read === undefined) reader.refuse(unknownKey(key, Object.keys(settings)), at.keyRange);
    }
  }
  return protecting;
}

/** A setting that has to be what the environment says. */
const sameAs =
  (variable: string): ReadSetting =>
  (at, reader) => {
    const node = reader.read(at);
    const found = node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
    const wanted = reader.context.reading.environment[variable];
    if (found === undefined || wanted === undefined || isSameSetting(found, wanted)) return false;
    const hint = `this run is for ${wanted}; put what belongs elsewhere into a stack of its own`;
    reader.refuse(misfit(`the setting is not what ${variable} says`, hint), at);
    return false;
  };

const misfit = (summary: string, hint?: string): StackProblem =>
  new StackProblem("config.invalid", summary, hint);

const isSameSetting = (a: string, b: string): boolean =>
  a.replace(/\/+$/, "").toLowerCase() === b.trim().replace(/\/+$/, "").toLowerCase();

/** A key by a sensitive variable is for Terraform: rnv has its own from its environment. */
const readKey: ReadSetting = (at, reader) => {
  const [, name = ""] = /^\$\{var\.([\w-]+)\}$/.exec(String(at.value)) ?? [];
  if (reader.stack.variables.get(name)?.at("sensitive").value === true) return false;
  const hint =
    'write apiKey: fromEnv("RNV_API_KEY"), or leave it out and set RNV_API_KEY or RNV_API_KEY_FILE';
  reader.refuse(refused("a key does not belong into a stack", hint), at.keyRange);
  return false;
};

const readMostRequests: ReadSetting = (at, reader) => {
  const node = reader.read(at);
  const value = node?.kind === "scalar" ? Number(node.value) : Number.NaN;
  const range = at.keyRange;
  const summary = "max_concurrency is for Terraform only";
  if (!Number.isInteger(value) || value < 1 || value > 256)
    reader.refuse(misfit("max_concurrency is a whole number from 1 to 256"), range);
  else reader.note(warning("stack.unsupported", summary, { range, hint: "rnv takes the flag -parallelism" }));
  return false;
};

const readAcceptMissing: ReadSetting = (at, reader) => {
  const hint = "leave it out; what was really deleted elsewhere: rnv state rm ADDRESS …";
  if (isTrue(at, reader)) reader.refuse(refused("accept_missing is for Terraform only", hint), at.keyRange);
  return false;
};

/** Returns true if a value is true when the plan is made; one that is neither true nor false is reported. */
function isTrue(at: JsonNode, reader: BlockReader): boolean {
  const node = reader.read(at);
  if (node === undefined) return false;
  const value = node.kind === "scalar" && (node.parts ?? []).length === 0 ? String(node.value) : "";
  if (value !== "true" && value !== "false") reader.refuse(misfit("expected true or false"), at.keyRange);
  return value === "true";
}

const settings: Readonly<Record<string, ReadSetting>> = {
  base_url: sameAs("RNV_BASE_URL"),
  workspace_id: sameAs("RNV_WORKSPACE_ID"),
  api_key: readKey,
  max_concurrency: readMostRequests,
  deletion_protection: isTrue,
  accept_missing: readAcceptMissing,
};
