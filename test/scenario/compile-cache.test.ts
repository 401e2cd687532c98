import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { newFolder } from "../support/temp-folder";

const folder = newFolder("compile-cache");

/** Stands in for the function of Node 22, which Node 20 does not have, and prints the folder that it is given. */
const preload = join(folder, "preload.cjs");
writeFileSync(
  preload,
  'require("node:module").enableCompileCache = (at) => process.stderr.write(`cache ${at}\\n`);',
);

/** The folder of the compile cache in a run with this environment. */
function cacheOf(environment: Readonly<Record<string, string>>): string | undefined {
  const script = [`${process.execPath} --require ${preload} ${builtCli()} schema plan 2>&1 >/dev/null`];
  const stderr = execFileSync("sh", ["-c", ...script], { encoding: "utf8", env: environment });
  return /^cache (.*)$/m.exec(stderr)?.[1];
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("the compile cache", () => {
  it("is in the cache folder of the user, which no other user can read", () => {
    expect(cacheOf({ HOME: folder })).toBe(join(folder, ".cache", "rnv"));
    expect(modeOf(join(folder, ".cache", "rnv"))).toBe(0o700);
    expect(cacheOf({ HOME: folder, XDG_CACHE_HOME: join(folder, "xdg") })).toBe(join(folder, "xdg", "rnv"));
  });

  it("takes rights of other users away", () => {
    const shared = join(folder, "shared", "rnv");
    mkdirSync(shared, { recursive: true });
    execFileSync("chmod", ["777", shared]);
    expect(cacheOf({ XDG_CACHE_HOME: join(folder, "shared") })).toBe(shared);
    expect(modeOf(shared)).toBe(0o700);
  });

  it("is not used where its folder cannot be made or has another owner", () => {
    expect(cacheOf({ XDG_CACHE_HOME: preload })).toBeUndefined();
    const foreign = join(folder, "foreign", "rnv");
    mkdirSync(foreign, { recursive: true });
    if (process.getuid?.() !== 0) return;
    execFileSync("chown", ["12345", foreign]);
    expect(cacheOf({ XDG_CACHE_HOME: join(folder, "foreign") })).toBeUndefined();
  });

  it("is not made for `rnv version`", () => {
    const run = () =>
      execFileSync(process.execPath, ["--require", preload, builtCli(), "version"], {
        encoding: "utf8",
        env: { HOME: join(folder, "other") },
      });
    expect(run()).toMatch(/^rnv /);
    expect(() => statSync(join(folder, "other"))).toThrow("ENOENT");
  });
});
