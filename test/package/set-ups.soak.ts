import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installPackage } from "../support/install-package";
import { textIn } from "../support/rows";
import { newFolder } from "../support/temp-folder";

/** A file of a project, in `set-ups`, for a library. */
const fileOf = (name: string, library = ""): string => textIn(join(__dirname, "set-ups", name), { library });

/** Packages of the set-ups: the compiler of `cdktf init`, and that of today. */
const packages: Readonly<Record<string, string>> = JSON.parse(fileOf("packages.json"));

/** `tsconfig.json` of `cdktf init` and `cdktn init` for TypeScript: CommonJS, which resolves as node10. */
const initConfig = fileOf("init-tsconfig.json");

const modern = (options: Readonly<Record<string, unknown>>) => ({
  compilerOptions: { target: "es2022", strict: true, declaration: true, types: ["node"], ...options },
});

const main = 'import { synthesize } from "./stack";\n\nsynthesize();\n';

describe.each(["cdktf", "cdktn"])("the packed package in a project of %s", (library) => {
  let shared = "";
  let isInstalled = false;
  beforeAll(() => {
    shared = newFolder("set-ups");
    const others = Object.entries(packages).filter(([name]) => !/^cdkt[fn]$/.test(name) || name === library);
    writeFileSync(
      join(shared, "package.json"),
      JSON.stringify({ private: true, dependencies: Object.fromEntries(others) }),
    );
    isInstalled = installPackage(shared);
    if (!isInstalled) console.warn("npm does not reach its registry: no set-up is played");
  }, 600_000);
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  /** Writes a project, runs commands of its packages in it, and demands that one of them has synthesized the stack. */
  function play(
    name: string,
    files: Readonly<Record<string, unknown>>,
    ...commands: readonly string[]
  ): void {
    if (!isInstalled) return;
    const folder = join(shared, name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
    }
    symlinkSync(join(shared, "node_modules"), join(folder, "node_modules"));
    for (const command of commands) {
      const [program = "", ...args] = command.split(" ");
      const path = program.startsWith("node_modules/") ? [program, ...args] : args;
      const { status, stdout, stderr } = spawnSync(process.execPath, path, { cwd: folder, encoding: "utf8" });
      expect({ command, status, stdout, stderr }).toMatchObject({ status: 0 });
    }
    const synthesized = join(folder, "cdktf.out/stacks/shop/cdk.tf.json");
    expect(existsSync(synthesized)).toBe(true);
    expect(Object.keys(JSON.parse(readFileSync(synthesized, "utf8")).resource.rnv_service)).toEqual([
      "shop__api",
    ]);
  }

  const commonjs = { "stack.ts": fileOf("stack.txt", library), "main.ts": main };
  const esm = {
    ...commonjs,
    "main.ts": main.replace("./stack", "./stack.js"),
    "package.json": { type: "module" },
  };

  it("is typed for the compiler of `init`, and runs compiled, under ts-node and under ts-jest", () => {
    const files = {
      ...commonjs,
      "tsconfig.json": initConfig,
      "__tests__/main-test.ts": fileOf("main-test.txt", library),
      "setup.js": `require("${library}").Testing.setupJest();\n`,
      "jest.config.js": `module.exports = { preset: "ts-jest", testEnvironment: "node", setupFilesAfterEnv: ["<rootDir>/setup.js"],
  moduleFileExtensions: ["ts", "js", "json", "node"], testMatch: ["**/__tests__/**/*.ts"] };\n`,
    };
    const programs = ["ts-node/dist/bin.js main.ts", "jest/bin/jest.js", "typescript/bin/tsc"];
    play("init", files, ...programs.map((one) => `node_modules/${one}`), "node main.js");
  }, 300_000);

  it("is typed and runs under tsx, as CommonJS and as modules", () => {
    play("tsx", { ...commonjs, "tsconfig.json": initConfig }, "node_modules/tsx/dist/cli.mjs main.ts");
    play("tsx-esm", esm, "node_modules/tsx/dist/cli.mjs main.ts");
  }, 300_000);

  it.each(["typescript", "typescript-7"])(
    "is typed for modules by %s, and runs compiled",
    (compiler) => {
      const tsc = `node_modules/${compiler}/bin/tsc`;
      const nodenext = modern({ module: "nodenext", moduleResolution: "nodenext" });
      play(`${compiler}-esm`, { ...esm, "tsconfig.json": nodenext }, tsc, "node main.js");
      play(`${compiler}-cjs`, { ...commonjs, "tsconfig.json": nodenext }, tsc, "node main.js");
      const bundler = modern({ module: "esnext", moduleResolution: "bundler", noEmit: true });
      play(
        `${compiler}-bundler`,
        { ...commonjs, "tsconfig.json": bundler },
        tsc,
        "node_modules/tsx/dist/cli.mjs main.ts",
      );
    },
    300_000,
  );

  it("runs in plain JavaScript, required and imported", () => {
    for (const file of ["main.cjs", "main.mjs"])
      play(file, { [file]: fileOf(`${file}.txt`, library) }, `node ${file}`);
  }, 300_000);
});
