import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

const sourceFiles = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `src/${file}`);

function cruise(): Cruise {
  const bin = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
  const args = [bin, "--config", ".dependency-cruiser.cjs", "--output-type", "json", "src"];
  const options = { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  try {
    return JSON.parse(execFileSync(process.execPath, args, options)) as Cruise;
  } catch (failure) {
    return JSON.parse((failure as { stdout: string }).stdout) as Cruise;
  }
}

describe("the layers of src", () => {
  const result = cruise();

  it("every file was read, imports of types included", () => {
    const read = result.modules.map((module) => module.source).filter((source) => source.startsWith("src/"));
    expect(read.sort()).toEqual([...sourceFiles].sort());
    const reference = result.modules.find((module) => module.source === "src/model/value.ts");
    expect(reference?.dependencies.map((dependency) => dependency.resolved)).toContain(
      "src/model/address.ts",
    );
  });

  it("a folder imports only from rows above its own", () => {
    const violations = result.summary.violations.map(
      ({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`,
    );
    expect(violations).toEqual([]);
  });

  it("console and process are touched in cli, in entries, for the lock of a run, by the program that evaluates others, and for its output folder", () => {
    const inside =
      /^src\/(cli\/|terraform\/|commands\/open-context\.ts|manifest\/text\/evaluate-program|cdktf\/define-provider)/;
    const outside = sourceFiles.filter((file) => !inside.test(file));
    const offenders = outside.filter((file) => {
      const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      return /(^|[^.\w"'`])(console|process)\.\w/m.test(code);
    });
    expect(offenders).toEqual([]);
  });

  it("no module lets the text of a secret out of src/api", () => {
    const importersOf = (target: string): string[] =>
      result.modules
        .filter(({ dependencies }) => dependencies.some(({ resolved }) => resolved === target))
        .map(({ source }) => source)
        .filter((source) => source.startsWith("src/"))
        .sort();
    const openers = ["src/api/prepare-request.ts", "src/api/redactor.ts"];
    expect(importersOf("src/model/open-secret.ts")).toEqual([...openers, "src/model/secret.ts"]);
    // Whoever imports an opener is known, and so is every value that those modules export: a way around would be new.
    const users = new Set(openers.flatMap(importersOf));
    const exported = [...openers, ...users].flatMap((file) => {
      const values = Object.keys(require(join(root, file)) as object);
      return values.map((name) => `${file}: ${name}`);
    });
    expect(exported.sort()).toEqual([
      "src/api/client.ts: createClient",
      "src/api/client.ts: createMask",
      "src/api/client.ts: openClient",
      "src/api/prepare-request.ts: authorizationWith",
      "src/api/prepare-request.ts: prepareRequest",
      "src/api/read-answer.ts: readAnswer",
      "src/api/redactor.ts: Redactor",
      "src/api/retry.ts: RequestAttempts",
      "src/api/retry.ts: RetryCounts",
      "src/api/retry.ts: classify",
    ]);
  });
});

it("each folder of unit tests is played by npm test", () => {
  const folder = join(__dirname, "../together");
  const played = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const folders = readdirSync(join(__dirname, "../unit"));
  expect(folders.filter((name) => !played.join("").includes(`"unit/${name}"`))).toEqual([]);
});
