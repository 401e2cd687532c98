import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const repository = resolve(__dirname, "../..");

/** A built checkout of rnv with its packages installed. */
export interface Build {
  /** How differences call it. */
  readonly name: string;
  /** Folder with `dist/` and `node_modules/`. */
  readonly root: string;
}

/** Programs of a build. */
export const cliOf = ({ root }: Build): string => join(root, "dist/bin/rnv.js");
export const providerOf = ({ root }: Build): string => join(root, "dist/terraform");

/** Returns the build of a commit. The first call installs and builds it in the user's cache; later ones find it there. */
export function buildOfCommit(commit: string): Build {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync("git", args, { cwd: repository, maxBuffer: 1 << 30 });
  const id = git("rev-parse", "--verify", `${commit}^{commit}`).toString().trim();
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "rnv-compare");
  const root = join(cache, id);
  if (existsSync(root)) return { name: id.slice(0, 8), root };
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  execFileSync("tar", ["-x", "-C", unfinished], { input: git("archive", id) });
  execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: unfinished, stdio: "inherit" });
  buildIn(unfinished);
  renameSync(unfinished, root);
  return { name: id.slice(0, 8), root };
}

/** Builds the working tree. */
export function buildOfWorkingTree(): Build {
  buildIn(repository);
  return { name: "the working tree", root: repository };
}

const buildIn = (folder: string): unknown =>
  execFileSync("npm", ["run", "--silent", "build"], { cwd: folder, stdio: "inherit" });
