import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { builtCli } from "../support/built-cli";
import { describeTerraform, TerraformFolder, terraformVersion } from "../support/terraform";

const docs = resolve(__dirname, "../../docs");

interface Page {
  /** `resources/service`. */
  readonly path: string;
  readonly text: string;
  /** The first configuration in it; all of a guide. */
  readonly example: string;
}

const allFenced = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, one = ""]) => one);

const fenced = (text: string, language: string): string => allFenced(text, language)[0] ?? "";

const pages: readonly Page[] = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md") && !/^(cli|explain)\//.test(path))
  .sort()
  .map((path) => {
    const text = readFileSync(join(docs, path), "utf8");
    const isGuide = path.startsWith("guides/");
    const example = isGuide ? allFenced(text, "terraform").join("\n") : fenced(text, "terraform");
    return { path: path.replace(/\.md$/, ""), text, example };
  });

/** All but the programs of Pulumi, which does not run here. */
const configurations = pages.filter(({ path }) => path !== "guides/pulumi");

/** What a later Terraform alone reads, or reads in files of their own. */
const isElsewhere = ({ path }: Page): boolean =>
  /^list-resources\//.test(path) || (/^actions\//.test(path) && terraformVersion < 1.14);

const source = 'terraform {\n  required_providers {\n    rnv = { source = "rnv/rnv" }\n  }\n}\n\n';

describeTerraform("the pages of the provider", () => {
  const world = new TerraformFolder();
  const w = (...path: string[]): string => join(world.folder, "w", ...path);

  /** Writes an example as a module; one with imports stays at the root, where alone they may be. */
  function place({ path, example }: Page): string {
    const header = example.includes("required_providers") ? "" : source;
    const name = path.replaceAll("/", "_");
    if (/^import \{/m.test(example)) {
      writeFileSync(w(`${name}.tf`), example);
      return "";
    }
    mkdirSync(dirname(w(name, "main.tf")), { recursive: true });
    writeFileSync(w(name, "main.tf"), example);
    if (header !== "") writeFileSync(w(name, "versions.tf"), header);
    const inputs = [...example.matchAll(/^variable "(\w+)" \{(.*?)\}$/gms)]
      .filter(([, , body = ""]) => !body.includes("default"))
      .map(([, one]) => `  ${one} = "example-value"\n`);
    return `module "${name}" {\n  source = "./${name}"\n${inputs.join("")}}\n`;
  }

  beforeAll(async () => {
    await world.open();
    // What the examples look up and adopt.
    const { store } = world.emulator;
    const { id: projectId } = store.addProject({ name: "Shop" });
    const configuration = { repository: "https://git.example.com/shop/api" };
    store.addService({ name: "site", kind: "static", projectId, configuration });
    const api = store.addService({ name: "api", kind: "web", projectId, configuration });
    store.addService({ name: "worker", kind: "worker", projectId, configuration });
    store.addService({ name: "docs", kind: "static", projectId, configuration });
    store.addVariable(api.id, "TOKEN", "revealed-value");
    store.deploy(api.id);
    store.settle();
  });

  it("have an example each, and what registries read first: the index is in no category", () => {
    for (const { path, example } of configurations) expect([path, example === ""]).toEqual([path, false]);
    for (const { path, text } of pages) {
      const category = path === "index" ? "" : 'subcategory: ""\n';
      const head = new RegExp(`^---\npage_title: ".+"\n${category}description: \\|-\n {2}\\S.*\n---\n`);
      expect([path, text]).toEqual([path, expect.stringMatching(head)]);
    }
  });

  it("are written as terraform fmt writes, apply to an empty plan, and leave no secret in the state", async () => {
    for (const page of configurations) place(page);
    await world.run("fmt -check -diff -recursive");
    const applied = configurations.filter((page) => !isElsewhere(page));
    world.write(applied.map(place).join("\n"));
    await world.run("get");
    const output = await world.apply();
    expect(output).toMatch(/2 imported/);
    expect(world.emulator.store.services().filter(({ name }) => name === "site")).toHaveLength(2);
    const names = world.emulator.store.projects().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["Shop", "Book shop", "Cinema", "Radio", "Press", "Pipeline"]),
    );
    expect(new Set(names).size).toBe(names.length);
    await world.expectNoChanges();
    for (const secret of ["example-value", "revealed-value", embeddedApiKey])
      expect(world.stateText()).not.toContain(secret);
  }, 180_000);

  it("show YAML that rnv takes", () => {
    const shown = configurations.map(({ text }) => fenced(text, "yaml")).filter((text) => text !== "");
    expect(shown).toHaveLength(1);
    for (const input of shown)
      execFileSync(process.execPath, [builtCli(), "validate", "-f", "-"], { input, stdio: "pipe" });
  });
});
