import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { installFromRegistry, packPackage } from "../support/install-package";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");

/** The command line by which each adds packages. */
const managers = {
  npm: (packages: readonly string[]) => ["npm", "install", "--ignore-scripts", "--no-audit", ...packages],
  pnpm: (packages: readonly string[]) => [tool("pnpm/bin/pnpm.cjs"), "add", "--ignore-scripts", ...packages],
  yarn: (packages: readonly string[]) => [tool("yarn/bin/yarn.js"), "add", "--ignore-scripts", ...packages],
  bun: (packages: readonly string[]) => [
    tool("@oven/bun-linux-x64/bin/bun"),
    "add",
    "--ignore-scripts",
    ...packages,
  ],
};

let tools = "";
const tool = (path: string): string => join(tools, "node_modules", path);

const compilerOptions = {
  ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, types: ["node"], outDir: "out" },
  ...{ module: "node16", moduleResolution: "node16", target: "es2022" },
};

describe.each(Object.keys(managers) as (keyof typeof managers)[])("installed by %s", (manager) => {
  let folder = "";
  let tarball = "";
  beforeAll(() => {
    tools = newFolder("tools");
    writeFileSync(join(tools, "package.json"), '{ "private": true }');
    tarball = packPackage(tools);
    if (!installFromRegistry(tools, "pnpm@10", "yarn@1", "@oven/bun-linux-x64@1"))
      throw new Error("no registry");
    // The script of its package would do this.
    chmodSync(tool("@oven/bun-linux-x64/bin/bun"), 0o755);
    folder = newFolder("client");
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    run(managers[manager]([tarball, "@types/node@20", "vitest@3"]));
    copyFileSync(join(__dirname, "library-program.ts"), join(folder, "program.ts"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  }, 300_000);

  const run = ([program = "", ...args]: readonly string[]) => {
    const isScript = /\.c?js$/.test(program);
    const words = isScript ? [program, ...args] : args;
    const options = { cwd: folder, encoding: "utf8" as const };
    const { status, stdout, stderr, error } = spawnSync(
      isScript ? process.execPath : program,
      words,
      options,
    );
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}\n${error ?? ""}${stdout}${stderr}`);
    return stdout;
  };

  it.each(["5.4", "5.9", "7"])(
    "a program compiles with TypeScript %s, its libraries checked, and runs",
    (version) => {
      run(managers[manager]([`typescript@${version}`]));
      rmSync(join(folder, "state.json"), { force: true });
      run([join(folder, "node_modules/.bin/tsc"), "-p", "."]);
      expect(JSON.parse(run([process.execPath, "out/program.js"]))).toEqual({
        ...{ addresses: ["project.shop"], added: 1, fields: true, last: "summary" },
      });
    },
    120_000,
  );

  it("its example of a test passes under vitest", () => {
    const examples = join(folder, "tests");
    mkdirSync(examples, { recursive: true });
    for (const file of ["shop.mjs", "shop.vitest.test.mjs"])
      copyFileSync(join(root, "examples/library", file), join(examples, file));
    const environment = { ...process.env, CI: "true" };
    const vitest = join(folder, "node_modules/.bin/vitest");
    const told = execFileSync(vitest, ["run", "tests", "--testTimeout=60000"], {
      cwd: folder,
      encoding: "utf8",
      env: environment,
    });
    expect(told).toContain("1 passed");
  }, 60_000);
});
