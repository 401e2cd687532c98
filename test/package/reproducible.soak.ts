import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { sha256 } from "../../src/model/sha256";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");
const base = newFolder("package");
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What only npm tells the scripts that it runs would make a second one work on the folder of the first. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle|config_local)_/.test(name)),
);
const run = promisify(execFile);
const npm = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run("npm", args, { cwd, encoding: "utf8", env: environment })).stdout;

/** The package as it is built and packed from a fresh copy of the sources; `touch` is when the files were written. */
async function pack(name: string, touch: Date): Promise<{ readonly files: string; readonly digest: string }> {
  const folder = join(base, name);
  mkdirSync(folder);
  for (const part of [
    ".ci",
    "src",
    "tools",
    "schemas",
    "examples",
    "package.json",
    "tsconfig.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
  ])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const part of ["package.json", "README.md"]) utimesSync(join(folder, part), touch, touch);
  await npm(folder, "run", "build");
  const [{ filename, files }] = JSON.parse(await npm(folder, "pack", "--json", "--ignore-scripts"));
  return {
    files: files
      .map((file: { path: string }) => `${file.path} ${digestOf(join(folder, file.path))}`)
      .join("\n"),
    digest: digestOf(join(folder, filename)),
  };
}

const digestOf = (path: string): string => sha256(readFileSync(path));

it("the package has the same bytes whenever and wherever it is built", async () => {
  const [first, second] = await Promise.all([
    pack("one", new Date("2024-02-29T12:00:00Z")),
    pack("another-folder", new Date("2025-07-01T03:00:00Z")),
  ]);
  expect(first.files).toMatch(/^dist\/bin\/run\.js \w+$/m);
  expect(first.files).toMatch(/^examples\/quickstart\/rnv\.yaml \w+$/m);
  expect(first.files).toMatch(/^LICENSE \w+$/m);
  expect(first.files).toMatch(/^CHANGELOG\.md \w+$/m);
  expect(first.files).toMatch(/^THIRD_PARTY_NOTICES \w+$/m);
  expect(second.files).toBe(first.files);
  expect(second.digest).toBe(first.digest);
}, 240_000);
