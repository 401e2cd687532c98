import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");

/** A copy of the files that the build and the pages need, for edits. */
function copyOfSources() {
  const copy = newFolder("edits");
  for (const part of [
    "src",
    "tools",
    "docs",
    "examples",
    "schemas",
    "README.md",
    "package.json",
    "tsconfig.json",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return {
    copy,
    read: (file: string) => readFileSync(join(copy, file), "utf8"),
    npm: (script: string) => execFileSync("npm", ["run", script], { cwd: copy, stdio: "pipe" }),
    rnv: (...args: string[]) =>
      execFileSync(process.execPath, [join(copy, "dist/bin/rnv.js"), ...args], {
        cwd: copy,
        env: { ...process.env, RNV_BASE_URL: "embedded" },
        encoding: "utf8",
      }),
  };
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
  const { copy, read, npm, rnv } = copyOfSources();
  insertBefore(join(copy, "src/api/wire/shapes.ts"), '  startCommand: "",', "  stickySessions: false,");
  expect(compile(copy)).toMatch(/^src\/resources\/service\/configuration\.ts.*'stickySessions' is missing/);

  const description = '  stickySessions: "Send a visitor to the same replica again.",';
  const descriptions = join(copy, "src/resources/service/configuration.ts");
  const line = readFileSync(descriptions, "utf8").match(/^ {2}startCommand: ".*$/m)?.[0] ?? "";
  insertBefore(descriptions, line, description);
  npm("build");

  writeFileSync(
    join(copy, "rnv.yaml"),
    "services: { api: { kind: web, configuration: { stickySessions: true }, deploy: { when: never } } }\n",
  );
  expect(rnv("plan")).toMatch(/stickySessions\s+true/);
  expect(rnv("schema", "manifest")).toContain("Send a visitor to the same replica again. Default: `false`.");
  expect(read("src/cdktf/generated/props.ts")).toContain("stickySessions?");
}, 300_000);

it("a resource type is in the files that the page names, and in no other", () => {
  const patch = join(__dirname, "label.patch");
  const edited = [...readFileSync(patch, "utf8").matchAll(/^\+\+\+ b\/(?:src\/)?(.*)$/gm)];
  const page = readFileSync(join(root, "src/README.md"), "utf8");
  const [step = ""] = /^- \*\*A resource type:\*\*[\s\S]*?(?=\n- )/m.exec(page) ?? [];
  const named = [...step.matchAll(/`([\w/<>-]+\.(?:ts|yaml))`/g)].map(([, file]) => file);
  const contract = "model/resource-type.ts";
  expect([contract, ...edited.map(([, file]) => file?.replace("label", "<type>"))].sort()).toEqual(
    named.sort(),
  );

  const { copy, read, npm, rnv } = copyOfSources();
  execFileSync("git", ["apply", patch], { cwd: copy });
  npm("build");
  const manifest = (color: string) =>
    writeFileSync(join(copy, "rnv.yaml"), `projects: { shop: {} }\nlabels: { red: { color: "${color}" } }\n`);
  manifest("#f00");
  expect(rnv("apply", "-auto-approve")).toContain("Resources: 2 added, 0 changed, 0 destroyed.");
  expect(rnv("plan")).toContain("No changes.");
  manifest("#c00");
  expect(rnv("apply", "-auto-approve")).toContain("Resources: 0 added, 1 changed, 0 destroyed.");
  expect(rnv("drift")).toContain("No drift");
  expect(rnv("destroy", "-auto-approve")).toContain("Destroy complete! Resources: 2 destroyed.");

  npm("docs");
  for (const file of ["src/cdktf/generated/props.ts", "docs/resources/label.md", "docs/cli/manifest.md"])
    expect(read(file)).toContain("Name of the label");
  expect(read("schemas/manifest.schema.json")).toContain("Name of the label");
}, 300_000);
