import type { SourceNode } from "./source-tree";

/** What to write where a mapping of names is expected and something else stands. */
export function hintForNames(key: string, node: SourceNode, isSecret: boolean): { hint?: string } {
  if (node.kind === "list")
    return { hint: `no dashes: below ${key}: a line for each, ${isSecret ? "NAME: value" : "name: { … }"}` };
  return isSecret ? {} : hintForKeys(node, []);
}

/** Keys that are listed where nothing else helps. */
const mostListed = 8;

/** What to write where a block of keys is expected and something else stands. */
export function hintForKeys(node: SourceNode, keys: readonly string[]): { hint?: string } {
  if (node.kind === "list") return { hint: "no dashes: a mapping is lines of `key: value`" };
  const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  const [, key, value] = /^([\w.-]+)(?::| *= *)(\S[^\n]*)$/.exec(text.slice(0, longest)) ?? [];
  if (key !== undefined) return { hint: `write ${key}: ${value}` };
  return keys.length === 0 || keys.length > mostListed ? {} : { hint: `its keys are ${keys.join(", ")}` };
}

const longest = 80;

const yes = new Set(["yes", "on", "y", "enabled", "true"]);
const no = new Set(["no", "off", "n", "disabled", "false"]);

/** `yes` where true is meant: YAML 1.2 reads it as text. */
export function hintForFlag(node: SourceNode): { hint?: string } {
  const word = node.kind === "scalar" && typeof node.value === "string" ? node.value.toLowerCase() : "";
  if (yes.has(word)) return { hint: "write true" };
  return no.has(word) ? { hint: "write false" } : {};
}

const unseen = /[\u00a0\u2007\u202f\u3000\u200b-\u200d\u2060\ufeff]/;

/** For a key that looks right and is not: it holds a space that is none to YAML. */
export function hintForUnseen(key: string): string | undefined {
  const [found] = unseen.exec(key) ?? [];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return `it holds the invisible character U+${code}: write plain spaces`;
}
