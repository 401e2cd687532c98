import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { builtCli } from "./built-cli";
import { builtLibrary } from "./built-library";
import { builtProvider } from "./built-provider";
import { newFolder } from "./temp-folder";

const root = resolve(__dirname, "../..");
const isCi = process.env.CI === "true";

/** What npm says when it does not reach its registry at all; anything else it says is a mistake of ours. */
const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/;

/** What only npm tells the scripts that it runs would make a second one work on the folder of the first. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|config_local)_/.test(name)),
);

/**
 * Installs a project as its user does: this package as `npm pack` makes it, the rest from the registry. Where that
 * cannot be reached the result is false and links stand in for both, except under CI=true, where that is a failure.
 */
export function installPackage(folder: string): boolean {
  if (installFromRegistry(folder, packPackage(folder))) return true;
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  linkPackage(folder);
  return false;
}

/** Packs this package as `npm publish` would, into a folder; returns the archive. */
export function packPackage(folder: string): string {
  builtCli();
  builtLibrary();
  builtProvider();
  const pack = npm(root, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
  if (pack.status !== 0) throw new Error(`npm pack:\n${pack.stdout}${pack.stderr}`);
  return join(folder, pack.stdout.trim());
}

/**
 * Installs packages into a folder, without their scripts. False where the registry cannot be reached; a failure under
 * CI=true.
 */
export function installFromRegistry(folder: string, ...packages: readonly string[]): boolean {
  const quick = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  const retries = isCi ? [] : ["--fetch-retries=0"];
  const { status, stdout, stderr } = npm(folder, "install", ...packages, ...quick, ...retries);
  if (status !== 0 && (isCi || !unreachable.test(stderr)))
    throw new Error(`npm install:\n${stdout}${stderr}`);
  return status === 0;
}

const npm = (cwd: string, ...args: readonly string[]) =>
  spawnSync("npm", [...args], { cwd, encoding: "utf8", env: environment });

let linked: string | undefined;

/** Links in place of an installation: the dependencies of this repository, and this package in its built form. */
export function linkPackage(folder: string): void {
  linked ??= linkModules();
  symlinkSync(linked, join(folder, "node_modules"));
}

function linkModules(): string {
  builtLibrary();
  const modules = newFolder("modules");
  for (const name of readdirSync(join(root, "node_modules")))
    if (!["terraform-provider-rnv", ".bin"].includes(name))
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(root, join(modules, "terraform-provider-rnv"));
  const programs = join(modules, ".bin");
  mkdirSync(programs);
  for (const name of readdirSync(join(root, "node_modules", ".bin")))
    symlinkSync(join(root, "node_modules", ".bin", name), join(programs, name));
  symlinkSync(builtCli(), join(programs, "rnv"));
  return modules;
}
