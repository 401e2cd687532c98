import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { serveEmulator } from "../../src/emulator/http-server";
import { serveCodeHost } from "../support/code-host-server";
import { finished } from "../support/finished";
import { serveHttpState } from "../support/http-state-server";
import { installFromRegistry, packPackage } from "../support/install-package";
import { newFolder } from "../support/temp-folder";
import { paths } from "./programs";

export type JobWorld = Awaited<ReturnType<typeof openJobWorld>>;

/** Opens a clone of a project that has installed this package, and the servers that its jobs speak to. */
export async function openJobWorld(
  platform: "github" | "gitlab",
  origin: string,
  files: Readonly<Record<string, string>>,
) {
  const folder = newFolder("jobs");
  const project = join(folder, "shop");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      ...{ cwd: project, encoding: "utf8" },
    }).trim();
  /** Commits files, and returns the commit. */
  const commit = (changed: Readonly<Record<string, string>>): string => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    git("add", "-A");
    git("commit", "-qm", "Change files");
    return git("rev-parse", "HEAD");
  };
  mkdirSync(project);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", origin);
  writeFileSync(join(project, "package.json"), '{ "private": true }');
  if (!installFromRegistry(project, packPackage(project))) throw new Error("no registry");
  commit({ ...files, ".gitignore": ".rnv/\nnode_modules/\nrnv-report/\n.gitlab-ci-local/\n" });
  const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
  const service = await serveEmulator(emulator);
  const [host, states] = await Promise.all([serveCodeHost(platform), serveHttpState({ strict: true })]);
  const settings = { RNV_BASE_URL: service.url, RNV_WORKSPACE_ID: embeddedWorkspaceId };
  return {
    ...{ folder, project, emulator, host, states, git, commit },
    /** Merges pull request 7 as the commit that is checked out. */
    merge: (): string => {
      const head = git("rev-parse", "HEAD");
      host.pulls.splice(0);
      host.pulls.push({
        number: 7,
        branch: "b",
        commit: head,
        isOpen: false,
        commits: [head],
        mergeCommit: head,
      });
      return head;
    },
    settings: { ...settings, RNV_STATE_KEY: "ab".repeat(32) },
    apiKey: embeddedApiKey,
    /** Runs a program in the project, with the newer Node on its path; returns its exit code and its output. */
    run: (program: string, args: readonly string[]) => {
      const PATH = `${dirname(String(paths["node-24"]))}:${process.env.PATH}`;
      const child = spawn(program, args, { cwd: project, env: { ...process.env, HOME: folder, PATH } });
      return finished(child);
    },
    close: async (): Promise<void> => {
      await Promise.all([host.close(), states.close(), service.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
