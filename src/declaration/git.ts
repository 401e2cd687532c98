import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** Returns the nearest folder, from `folder` up, that is the root of a repository. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Returns the commit that is checked out around a folder; undefined without a repository or a commit. */
export function commitAt(folder: string): string | undefined {
  const git = gitAround(folder);
  if (git === undefined) return undefined;
  const head = readOr(join(git.own, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/[\w./+@#%-]+)$/.exec(head)?.[1];
  if (ref === undefined) return hashIn(head);
  if (ref.includes("..")) return undefined;
  const loose = readOr(join(git.own, ref)) ?? readOr(join(git.shared, ref));
  if (loose !== undefined) return hashIn(loose);
  const packed = readOr(join(git.shared, "packed-refs"))?.split("\n");
  return hashIn(packed?.find((line) => line.endsWith(` ${ref}`))?.split(" ", 1)[0] ?? "");
}

/** The clone around a folder: the address of its remote `origin`, and the path of the folder in it. */
export function cloneAround(folder: string): { readonly repository?: string; readonly folder: string } {
  const remote = remoteAt(folder);
  const root = repositoryAround(folder);
  if (remote === undefined || root === undefined) return { folder: "." };
  const path = relative(root, folder).split(sep).join("/");
  return { repository: `https://${remote}`, folder: path || "." };
}

/** Returns `host/path` of the remote `origin` of the clone around a folder, with its upper-case letters. */
export function remoteAt(folder: string): string | undefined {
  const git = gitAround(folder);
  const config = git && readOr(join(git.shared, "config"));
  const section = config?.split(/^\s*(?=\[)/m).find((text) => /^\[remote "origin"\]/.test(text));
  const url = /^\s*url\s*=\s*"?([^"\r\n]+)/m.exec(section ?? "")?.[1];
  return url === undefined ? undefined : repositoryName(url.trim());
}

/** Returns `host/path` of an address in the form of a URL or of ssh, without user, port and `.git`. */
export function repositoryName(url: string): string | undefined {
  const found =
    /^\w[\w+.-]*:\/\/(?:[^/]*@)?([^/:@]+)(?::\d+)?\/+(.+)$/.exec(url) ??
    /^(?:[^/]*@)?([^/:@]{2,}):(.+)$/.exec(url);
  // GitHub and GitLab have a second host for ssh on port 443.
  const host = found?.[1]?.replace(/^(alt)?ssh\./i, "");
  const path = found?.[2]?.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
  return host && path ? `${host}/${path}` : undefined;
}

export const hashIn = (text: string): string | undefined =>
  /^[0-9a-f]{40}([0-9a-f]{24})?$/.exec(text.trim())?.[0];

/** Returns the text of a file; undefined where it cannot be read. */
export function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns the folders of git: `.git`, or the folder that a file `.git` names, and that of all work trees. */
function gitAround(folder: string): { readonly own: string; readonly shared: string } | undefined {
  const root = repositoryAround(folder);
  if (root === undefined) return undefined;
  const path = join(root, ".git");
  const to = /^gitdir: (.+)$/m.exec(readOr(path) ?? "")?.[1];
  const own = to === undefined ? path : resolve(root, to.trim());
  return { own, shared: resolve(own, readOr(join(own, "commondir"))?.trim() ?? "") };
}
