import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { childrenOf, type Node, parseTypeScript } from "../support/syntax";
import { newFolder } from "../support/temp-folder";

const root = join(__dirname, "..", "..");
const { exports: entries, typesVersions } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Record<string, string | { types?: string }>;
  typesVersions: { "*": Record<string, string[]> };
};

it("a compiler that does not read `exports`, as that of `cdktf init`, finds the types of every entry", () => {
  const typed = Object.entries(entries).flatMap(([path, entry]) =>
    path !== "." && typeof entry === "object" && entry.types !== undefined
      ? [[path.slice(2), [entry.types]]]
      : [],
  );
  expect(typesVersions["*"]).toEqual(Object.fromEntries(typed));
});

/** The declarations that a program of constructs reads, each with its text. */
function declarationsFrom(entry: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    const text = readFileSync(file, "utf8");
    found.set(file, text);
    for (const [, path = ""] of text.matchAll(/\b(?:from|import\()\s*"([^"]+)"/g))
      if (path.startsWith(".")) add(resolve(dirname(file), `${path}.d.ts`));
  };
  add(join(root, "dist", "cdktf", entry));
  return found;
}

const named = new Set([
  "TsInterfaceDeclaration",
  "TsTypeAliasDeclaration",
  "TsPropertySignature",
  "TsMethodSignature",
  "TsGetterSignature",
  "VariableDeclaration",
  "FunctionDeclaration",
]);

/** What is declared in a text: how much of it has a JSDoc, and what has none. */
function documented(text: string): { readonly total: number; readonly without: readonly string[] } {
  const tree = parseTypeScript(text);
  if (tree === undefined) throw new Error("the declarations do not parse");
  const starts: number[] = [];
  const visit = (node: Node): void => {
    // A member of an object that stands as a type is told by the field that has it.
    if (node.type === "TsTypeLiteral") return;
    if (named.has(node.type)) starts.push(node.start);
    childrenOf(node).forEach(visit);
  };
  visit(tree);
  const without = starts.filter(
    (start) => !/\*\/\s*(?:export\s+)?(?:declare\s+)?$/.test(text.slice(0, start)),
  );
  return { total: starts.length, without: without.map((start) => text.slice(start, start + 60)) };
}

describe.each(["cdktf", "generated/cdktn"])("the types of the constructs on %s", (library) => {
  const files = declarationsFrom(`${library}.d.ts`);

  it("have a JSDoc on every class, prop, attribute, setter and method", () => {
    let total = 0;
    for (const [file, text] of files) {
      if (!file.startsWith(join(root, "dist", "cdktf"))) continue;
      const { total: here, without } = documented(text);
      expect([file, without]).toEqual([file, []]);
      total += here;
    }
    // 48 fields of a configuration alone: as props, as what is set, read and reset, and as a data source shows them.
    expect(total).toBeGreaterThan(48 * 4);
    expect(documented("interface A {\n  readonly a: string;\n}").without).toHaveLength(2);
  });

  it("come without zod", () => {
    for (const [file, text] of files) expect([file, /["']zod/.test(text)]).toEqual([file, false]);
    expect(files.size).toBeGreaterThan(3);
  });

  it("name what is wrong in a line", () => {
    const program = `
        import { Project, RnvProvider, Service, type ServiceConfig } from ${JSON.stringify(join(root, "dist", "cdktf", library))};
        declare const stack: ConstructorParameters<typeof Project>[0];
        new Service(stack, "a", { knd: "web" });
        new Service(stack, "a", { kind: "web", configuration: { replica: 2 } });
        new Service(stack, "a", { kind: 3 });
        new Service(stack, "a", {});
        new Project(stack, "p").addVariable("a", "b");
        new Project(stack, "p").addService("a", { kind: "web" }).configuration.replicas = "2";
        new RnvProvider(stack, "rnv", { url: "x" });
        const config: ServiceConfig = { kind: "any text", lifecycle: { preventDestory: true } };
      `;
    const messages = mistakesIn(program).map((line) => line.replace(/^.*?: error /, ""));
    expect(messages).toHaveLength(8);
    for (const line of messages) expect(line.length).toBeLessThan(200);
    expect(messages[0]).toContain(
      "'knd' does not exist in type 'ServiceProps'. Did you mean to write 'kind'?",
    );
  });
});

/** Returns the errors of a program, without the lines that explain them. */
function mistakesIn(program: string): readonly string[] {
  const folder = newFolder("types");
  writeFileSync(join(folder, "program.ts"), program);
  const options = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "es2022" },
    ...{ module: "esnext", moduleResolution: "bundler", types: [] },
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["program.ts"] }),
  );
  const tsc = join(root, "node_modules", ".bin", "tsc");
  expect(existsSync(tsc)).toBe(true);
  const { stdout } = spawnSync(tsc, ["-p", folder, "--pretty", "false"], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => /^\S/.test(line));
}

it.each(["index", "emulator/testing"])("the types of %s compile without those of Node", (file) => {
  expect(mistakesIn(`export * from ${JSON.stringify(join(root, "dist", file))};`)).toEqual([]);
});

describe("the types of a manifest", () => {
  const file = join(root, "dist", "manifest", "generated", "manifest.d.ts");
  const opening = `import { defineManifest, type Manifest, type ManifestSecret, type ManifestService, type ManifestVariable } from ${JSON.stringify(file.slice(0, -5))};\n`;

  it("describe every field, with its default", () => {
    const text = readFileSync(file, "utf8");
    expect(documented(text).without).toEqual([]);
    expect(text).toMatch(
      /\/\*\* Instances under manual scaling\. Default: `1`\. .*\n\s+readonly replicas\?: number/,
    );
  });

  it("take any text where the interface lists no words, what `${…}` fills in, and what is left out", () => {
    const program = `
      const service = (kind: string): ManifestService => ({ kind, variables: { TOKEN: { fromEnv: "TOKEN" } } });
      export default defineManifest({
        "x-own": 1,
        stages: { production: { protect: true }, preview: { each: true } },
        services: { api: { kind: "new", configuration: { plan: "huge", port: "\${env.PORT}", branch: null } } },
      });
      export const made = defineManifest(async ({ stage, environment }) => {
        if (stage === undefined) return { projects: { shop: { services: { api: service("web") } } } };
        const api = { ...service("web"), archived: stage.id ? true : undefined, deploy: { when: "never" as const } };
        return { projects: { shop: { name: environment.NAME, services: { api, old: undefined }, layout: "auto" } } };
      });
      export const typed = defineManifest((): Manifest => ({ services: { api: { kind: "web" } } }));
      declare const flag: boolean;
      const secret = (name: string) => ({ fromEnv: name });
      const common: Record<string, ManifestSecret> = { A: "text", B: { fromFile: "b" } };
      const kept: Record<string, ManifestVariable> = { C: { preserve: true }, D: { value: { fromEnv: "D" } } };
      export const variables = defineManifest(() => ({
        variableGroups: { common, kept },
        services: {
          api: {
            kind: "web",
            variables: {
              ...common,
              ...kept,
              E: flag ? secret("E") : { fromFile: "e" },
              F: flag ? "text" : { generate: { length: 32 } },
              G: { fromCommand: ["op", "read"], env: ["OP_TOKEN"], json: "/g" },
              H: { value: secret("H"), sensitive: false, "x-note": 1 },
              I: { fromEnv: "I", fromFile: undefined },
            },
          },
        },
      }));
      export const either = [
        defineManifest(() => (flag ? { services: { api: { kind: "web", deploy: { when: "never" } } } } : {})),
        defineManifest(({ stage }) => {
          if (stage?.name === "production") return { services: { api: service("web") } };
          return { services: { api: { kind: "static" } }, projects: { shop: { layout: "auto" } } };
        }),
        defineManifest(() => ({ ...(flag ? { projects: { p: {} } } : { services: { s: { kind: "web" } } }) })),
        defineManifest(() => (flag ? { projects: { p: {} } } : Promise.resolve({ services: {} }))),
        defineManifest(async () => (flag ? { services: { api: { kind: "web" } } } : {})),
      ];
    `;
    expect(mistakesIn(opening + program)).toEqual([]);
  });

  it("refuse sources of secrets that rnv refuses, in a manifest and in what a function returns", () => {
    const variables = [
      "{ fromEnv: 5 }",
      "{ value: { fromFile: 5 } }",
      'flag ? { fromEnv: 5 } : { fromFile: "y" }',
      '{ fromCommand: "op" }',
      '{ generate: { length: "32" } }',
      '{ fromEnv: "x", fromFile: "y" }',
      '{ fromEnv: "x", json: "/y" }',
      '{ fromEnv: "x", sensitive: false }',
      '{ value: "x", fromEnv: "y" }',
    ];
    const forms = ["X", "() => X", "async () => X", "() => (flag ? X : {})"];
    const lines = variables.flatMap((one) => {
      const manifest = `({ services: { api: { kind: "web", variables: { A: ${one} } } } })`;
      return forms.map((form) => `defineManifest(${form.replace("X", manifest)});`);
    });
    const found = mistakesIn(`${opening}${lines.join("\n")}\ndeclare const flag: boolean;\n`);
    expect(found.map((line) => Number(/\((\d+),/.exec(line)?.[1]))).toEqual(lines.map((_, i) => i + 2));
  });

  it("refuse seven ordinary mistakes, in a manifest and in what a function returns", () => {
    const api = (text: string) => `projects: { shop: { services: { api: { ${text} } } } }`;
    const mistakes = [
      "project: { shop: {} }",
      'projects: { shop: { name: "Shop", servces: {} } }',
      api('kind: "web", configuration: { healthcheckPath: "/" }'),
      api('kind: "web", configuration: { replicas: "2" }'),
      api('kind: "web", deploy: { when: "sometimes" }'),
      api("configuration: {}"),
      api('kind: "web", variables: { PORT: 8080 }'),
    ];
    const forms = [
      "({ outputs: {}, X })",
      "(() => ({ outputs: {}, X }))",
      "(async () => ({ outputs: {}, X }))",
      "(({ stage }) => (stage ? { outputs: {}, X } : {}))",
    ];
    const lines = mistakes.flatMap((one) => forms.map((form) => `defineManifest${form.replace("X", one)};`));
    const found = mistakesIn(`${opening}${lines.join("\n")}\n`);
    expect(found.map((line) => Number(/\((\d+),/.exec(line)?.[1]))).toEqual(lines.map((_, i) => i + 2));
    expect(found[2 * forms.length]).toContain("Did you mean to write 'healthCheckPath'?");
  });
});

it("README.md and docs/cli/stacks.md say what to install, as package.json has it, and name examples of the package", () => {
  const pages = ["README.md", "docs/cli/stacks.md"].map((page) => readFileSync(join(root, page), "utf8"));
  const readme = pages.join("\n");
  const { peerDependencies, peerDependenciesMeta, engines, files } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as {
    peerDependencies: Record<string, string>;
    peerDependenciesMeta: Record<string, { optional: boolean }>;
    engines: { node: string };
    files: readonly string[];
  };
  for (const [name, range] of Object.entries(peerDependencies))
    expect(readme).toContain(`${name}@${range.replace(/^(\^0\.\d+)\.0$/, "$1")}`);
  // As a peer cdktn would keep npm from installing cdktf-cli beside constructs that cdktn does not take.
  expect(Object.keys(peerDependencies)).not.toContain("cdktn");
  expect(peerDependenciesMeta.cdktn).toEqual({ optional: true });
  expect(readme).toContain(`Node ${engines.node.replace(/^>=(.*)\.0$/, "$1")}`);
  const examples = [...readme.matchAll(/\bexamples\/[\w./-]*\w/g)].map(([path]) => path);
  expect(examples.length).toBeGreaterThan(3);
  expect(files).toContain("examples");
  for (const path of examples) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
});
