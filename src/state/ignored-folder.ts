import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The folder that holds what no repository may: states, keys, the emulator's data. */
const ownFolder = ".rnv";

/**
 * Keeps a new `.rnv` out of git, whatever the repository ignores: between `first`, the outermost folder that was just
 * made, and `path`.
 */
export function ignoreOwnFolder(first: string | undefined, path: string): void {
  if (first === undefined) return;
  for (let at = path; ; at = dirname(at)) {
    if (basename(at) === ownFolder) writeIgnore(at);
    if (at === first || dirname(at) === at) return;
  }
}

/** Makes a folder that its user alone reads, and keeps a new `.rnv` around it out of git. */
export function makeIgnoredFolder(path: string): void {
  ignoreOwnFolder(mkdirSync(path, { recursive: true, mode: 0o700 }), path);
}

function writeIgnore(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch {
    // A disk that is full says so with the file that matters.
  }
}
