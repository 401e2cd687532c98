import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** Copies the sources into a folder for edits. */
function copyOfSources(): string {
  const copy = mkdtempSync(join(tmpdir(), "rnv-edits-"));
  for (const part of ["src", "tools", "package.json", "tsconfig.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function insertBefore(file: string, line: string, added: string): void {
  const text = readFileSync(file, "utf8");
  expect(text.split(line)).toHaveLength(2);
  writeFileSync(file, text.replace(line, `${added}\n${line}`));
}

const compile = (folder: string) =>
  spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.json", "--noEmit"], {
    cwd: folder,
    encoding: "utf8",
  }).stdout;

it("a field of services is two lines; the compiler asks for the second", () => {
  const copy = copyOfSources();
  insertBefore(
    join(copy, "src/api/wire/configuration.ts"),
    '  startCommand: "",',
    "  stickySessions: false,",
  );
  expect(compile(copy)).toMatch(/^src\/resources\/service\/configuration\.ts.*'stickySessions' is missing/);

  const description = '  stickySessions: "Send a visitor to the same replica again.",';
  const descriptions = join(copy, "src/resources/service/configuration.ts");
  const line = readFileSync(descriptions, "utf8").match(/^ {2}startCommand: ".*$/m)?.[0] ?? "";
  insertBefore(descriptions, line, description);
  execFileSync("npm", ["run", "build"], { cwd: copy, stdio: "pipe" });

  const rnv = (...args: string[]) =>
    execFileSync(process.execPath, [join(copy, "dist/bin/rnv.js"), ...args], {
      cwd: copy,
      env: { ...process.env, RNV_BASE_URL: "embedded" },
      encoding: "utf8",
    });
  writeFileSync(
    join(copy, "rnv.yaml"),
    "services: { api: { kind: web, configuration: { stickySessions: true }, deploy: { when: never } } }\n",
  );
  expect(rnv("plan")).toMatch(/stickySessions\s+true/);
  expect(rnv("schema", "manifest")).toContain("Send a visitor to the same replica again. Default: `false`.");
  expect(readFileSync(join(copy, "src/cdktf/generated/props.ts"), "utf8")).toContain("stickySessions?");
});
