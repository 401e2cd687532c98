import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as cdktf from "cdktf";
import * as constructs from "../../../src/cdktf/cdktf";

const folder = join(__dirname, "..", "..", "..", "src", "cdktf");
const names = Object.keys(constructs).sort();

interface Example {
  /** The function or class whose JSDoc holds it. */
  readonly of: string;
  readonly code: string;
}

/** Returns the examples of a source: the lines after `@example` of each JSDoc, and the export that follows it. */
const examplesIn = (source: string): readonly Example[] =>
  [...source.matchAll(/\/\*\*\n((?: \*(?: .*)?\n)+?) \*\/\nexport (?:const|function|class) (\w+)/g)].flatMap(
    ([, comment = "", of = ""]) => {
      const code = comment.split(" * @example\n")[1]?.replace(/^ \* ?/gm, "");
      return code === undefined ? [] : [{ of, code }];
    },
  );

const sources = ["", "generated"].flatMap((below) =>
  readdirSync(join(folder, below))
    .filter((file) => file.endsWith(".ts") && !file.includes("cdktn"))
    .map((file) => readFileSync(join(folder, below, file), "utf8")),
);
const examples = sources.flatMap(examplesIn);

/** The example of the library, in a function that is given a context. */
const library = readFileSync(join(folder, "..", "index.ts"), "utf8");
const exampleOfLibrary = (/ \* @example\n((?: \* .*\n)+)/.exec(library)?.[1] ?? "").replace(/^ \* /gm, "");

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
      `import { apply, type Context, planRequest } from "../../../../src";
export async function example(context: Context) {\n${exampleOfLibrary}  return made;\n}\n`,
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
    writeFileSync(
      join(program, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: [file, join(program, "library.ts")] }),
    );
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
});
