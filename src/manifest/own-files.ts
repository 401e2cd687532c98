import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a file is that rnv or git keep for themselves, in words for a message; undefined for any other. `real` is its
 * path with links followed.
 */
export function ownFileAt(real: string, cwd: string, environment: Environment): string | undefined {
  const keyFile = environment.RNV_API_KEY_FILE?.trim();
  if (keyFile && isSameFile(real, resolve(cwd, keyFile))) return "holds the API key";
  const folders = relative(realOrItself(cwd), real).split(sep);
  if (folders.includes(".git")) return "belongs to git";
  if (folders.includes(".rnv")) return "belongs to rnv";
  if (basename(real) === "state.key") return "holds the key of the state";
  const state = environment.RNV_STATE?.trim() ?? "";
  if (state === "" || /^[a-z0-9]+:\/\//i.test(state)) return undefined;
  const kept = join(realOrItself(dirname(resolve(cwd, state))), basename(state));
  return real === kept || real.startsWith(`${kept}.`) ? "belongs to the state" : undefined;
}

const realOrItself = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
};

/** Under whatever name, also one of several for the same file. */
function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [statSync(one), statSync(other)];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}

/** The text of a document of rnv, wherever it lies. */
export const isOwnDocument = (text: string): boolean =>
  /^\s*\{\s*"format"\s*:\s*"rnv-/.test(text.slice(0, 200));
