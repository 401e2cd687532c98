import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as publicLibrary from "../../../src";
import * as constructs from "../../../src/cdktf/cdktf";
import * as testing from "../../../src/emulator/testing";
import { builtLibrary } from "../../support/built-library";
import { newFolder } from "../../support/temp-folder";

const folder = join(__dirname, "..", "..", "..", "src", "cdktf");
const names = Object.keys(constructs).sort();

interface Example {
  /** The function or class whose JSDoc holds it. */
  readonly of: string;
  readonly code: string;
}

/** Returns the examples of a source: the lines after `@example` of each JSDoc, and the export that follows it. */
const examplesIn = (source: string): readonly Example[] =>
  [
    ...source.matchAll(
      /\/\*\*\n((?: \*(?: .*)?\n)+?) \*\/\nexport (?:async )?(?:const|function|class) (\w+)/g,
    ),
  ].flatMap(([, comment = "", of = ""]) => {
    const code = comment.split(" * @example\n")[1]?.replace(/^ \* ?/gm, "");
    return code === undefined ? [] : [{ of, code }];
  });

const sources = ["", "generated"].flatMap((below) =>
  readdirSync(join(folder, below))
    .filter((file) => file.endsWith(".ts") && !file.includes("cdktn"))
    .map((file) => readFileSync(join(folder, below, file), "utf8")),
);
const examples = sources.flatMap(examplesIn);

/** The functions and classes of the entries without constructs. */
const functions = Object.entries({ ...publicLibrary, ...testing })
  .filter(([, value]) => typeof value === "function")
  .map(([name]) => name)
  .sort();
const source = join(folder, "..");
const examplesOfLibrary = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("cdktf/"))
  .flatMap((file) => examplesIn(readFileSync(join(source, file), "utf8")));

/** An example in a function that gets a context, its options, and the ID of a project without a record. */
const functionOf = ({ of, code }: Example): string => `
export async function exampleOf${of}(context: Context, id: string, options: ContextOptions) {
const { cwd, baseUrl, workspaceId, apiKey } = options;
${code}}`;

type Opened = Parameters<typeof publicLibrary.plan>[0];
type RunExample = (context: Opened, id: string, options: publicLibrary.ContextOptions) => Promise<void>;

/** The manifest that the examples of the library are about. */
const manifest = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/shop/api" } }
`;

/** A stack with the example in its constructor. The example of the provider brings its own. */
const classOf = ({ of, code }: Example): string => `
export class ExampleOf${of} extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    ${code.includes("new RnvProvider(this") ? "" : 'new RnvProvider(this, "provider");'}
    ${code}
  }
}`;

describe("the examples in the documentation of the constructs", () => {
  const program = join(__dirname, "examples.tmp");
  const file = join(program, "examples.ts");
  beforeAll(() => {
    mkdirSync(program, { recursive: true });
    writeFileSync(
      file,
      `import { TerraformOutput, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { ${names.join(", ")} } from "../../../../src/cdktf/cdktf";
export const used = [TerraformOutput, ${names.join(", ")}];
${examples.map(classOf).join("\n")}\n`,
    );
    writeFileSync(
      join(program, "library.ts"),
      `import { join } from "node:path";
import { ${Object.keys(publicLibrary).join(", ")}, type Context, type ContextOptions } from "../../../../src";
import { createEmulator, manualClock, serveEmulator } from "../../../../src/emulator/testing";
${examplesOfLibrary.map(functionOf).join("\n")}\n`,
    );
  });
  afterAll(() => rmSync(program, { recursive: true, force: true }));

  it("exist for each function and class", () => {
    expect(examples.map(({ of }) => of).sort()).toEqual(names);
  });

  it("compile", () => {
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: ["node"] },
      ...{ module: "esnext", moduleResolution: "bundler", target: "es2023" },
    };
    // As a user compiles them: against the declarations of the package.
    builtLibrary();
    const files = ["examples", "library"].map((name) => join(program, `${name}-of-package.ts`));
    for (const one of files) {
      const written = readFileSync(one.replace("-of-package", ""), "utf8");
      writeFileSync(one, written.replaceAll('"../../../../src', '"../../../../dist'));
    }
    writeFileSync(join(program, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(folder, "..", "..", "node_modules", ".bin", "tsc");
    const { status, stdout } = spawnSync(tsc, ["-p", program], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
  }, 60_000);

  it("run", () => {
    type ExampleStack = new (app: cdktf.App, id: string) => cdktf.TerraformStack;
    const classes = require(file) as Record<string, ExampleStack>;
    for (const { of } of examples) {
      const Example = classes[`ExampleOf${of}`] as ExampleStack;
      const stack = new Example(cdktf.Testing.app(), "example");
      expect(JSON.parse(cdktf.Testing.synth(stack)).provider.rnv).toHaveLength(1);
    }
  });

  it("exist for each function and class of the other entries", () => {
    expect(examplesOfLibrary.map(({ of }) => of).sort()).toEqual(functions);
  });

  it.each(examplesOfLibrary.map(({ of }) => of))("run against the embedded platform: %s", async (of) => {
    const cwd = newFolder("examples");
    const emulator = testing.createEmulator({ deploySeconds: 0 });
    const options = {
      ...{ cwd, baseUrl: "embedded", transport: emulator.transport(), state: "state.json" },
      ...{ workspaceId: testing.embeddedWorkspaceId, apiKey: testing.embeddedApiKey },
    };
    const context = publicLibrary.openContext(options);
    const said = jest.spyOn(console, "error").mockImplementation();
    try {
      writeFileSync(join(cwd, "rnv.yaml"), manifest);
      const isRecorded = of !== "importResource";
      const { id } = emulator.store.addProject({ name: isRecorded ? "Other" : "shop" });
      if (isRecorded) expect(await publicLibrary.apply(context)).toMatchObject({ exitCode: 0 });
      const programs = require(join(program, "library.ts")) as Record<string, RunExample>;
      await programs[`exampleOf${of}`]?.(context, id, options);
      expect(said.mock.calls).toHaveLength(of === "DiagnosticsError" ? 1 : 0);
    } finally {
      said.mockRestore();
      await context.close();
    }
  });
});
