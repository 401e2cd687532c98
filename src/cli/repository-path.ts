import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { standardInputName } from "../manifest/find-files";
import type { Environment } from "./invocation";

/**
 * The path of a file from the root of its repository, as GitHub wants it in annotations; undefined for what is no file.
 * The root is GITHUB_WORKSPACE where that is a repository, else the nearest folder above with `.git`, else
 * GITHUB_WORKSPACE. A file outside keeps its path.
 */
export function repositoryPath(file: string, cwd: string, environment: Environment): string | undefined {
  if (file === standardInputName) return undefined;
  const path = resolve(cwd, file);
  const root = rootOf(path, environment.GITHUB_WORKSPACE ?? "");
  const inside = root === undefined ? undefined : relative(root, path);
  return inside === undefined || leavesFolder(inside) ? file : inside.split(sep).join("/");
}

function rootOf(path: string, workspace: string): string | undefined {
  const isWorkspace = workspace !== "" && !leavesFolder(relative(workspace, path));
  if (isWorkspace && isRepository(workspace)) return workspace;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (isRepository(folder)) return folder;
    if (folder === dirname(folder)) return isWorkspace ? workspace : undefined;
  }
}

const isRepository = (folder: string): boolean => existsSync(join(folder, ".git"));

const leavesFolder = (inside: string): boolean =>
  inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
