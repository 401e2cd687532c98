import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { builtCli } from "../support/built-cli";
import { builtLibrary } from "../support/built-library";
import { builtProvider } from "../support/built-provider";

const root = resolve(__dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries: readonly { readonly types: string; readonly default: string }[] = Object.values<never>(
  manifest.exports,
).filter((entry) => typeof entry === "object");

/** Modules that the entries load, and the packages that these import. */
async function loaded(): Promise<{
  readonly files: readonly string[];
  readonly packages: readonly string[];
}> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries.map((entry) => entry.default), manifest.bin.rnv],
    outdir: "none",
    bundle: true,
    platform: "node",
    packages: "external",
    external: ["./run"],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  return { files: Object.keys(metafile.inputs), packages: packagesOf(metafile) };
}

const packagesOf = ({ inputs }: Metafile): readonly string[] => [
  ...new Set(
    Object.values(inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ external, path }) => external && !path.startsWith(".") && !isBuiltin(path))
      .map(({ path }) => path.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? path),
  ),
];

const isBuiltin = (name: string): boolean =>
  name.startsWith("node:") || builtinModules.includes(name.split("/")[0] ?? "");

/** Declarations that the compiler reads for the types of the entries. */
function declared(): readonly string[] {
  const tsc = join(root, "node_modules/.bin/tsc");
  const types = entries.map((entry) => entry.types);
  const options = ["--ignoreConfig", "--noEmit", "--skipLibCheck", "--types", "", "--module", "node20"];
  const listed = execFileSync(tsc, [...options, "--listFilesOnly", ...types], {
    cwd: root,
    encoding: "utf8",
  });
  return listed
    .split("\n")
    .map((file) => relative(root, file))
    .filter((file) => file.startsWith("dist/"));
}

describe("the files of the package", () => {
  let packed: readonly string[];
  beforeAll(() => {
    builtCli();
    builtLibrary();
    builtProvider();
    const [listed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
        cwd: root,
        encoding: "utf8",
      }),
    );
    packed = listed.files.map(({ path }: { readonly path: string }) => path);
  }, 120_000);

  it("are modules that an export loads, declarations of its types, and the bundles", async () => {
    const { files } = await loaded();
    const bundles = ["dist/bin/run.js", "dist/terraform/terraform-provider-rnv"];
    // Runs in a process of its own.
    bundles.push(...["bin", "manifest/text"].map((folder) => `dist/${folder}/evaluate-program.js`));
    expect(packed.filter((path) => path.startsWith("dist/")).sort()).toEqual(
      [...new Set([...files, ...declared(), ...bundles])].filter((path) => path.startsWith("dist/")).sort(),
    );
    expect(readFileSync(builtCli(), "utf8")).toContain('require("./run")');
  });

  it("are otherwise schemas, examples and texts", () => {
    const others = packed.filter((path) => !/^(dist|examples|docs)\//.test(path));
    const texts = [
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "THIRD_PARTY_NOTICES",
    ];
    expect(others.filter((path) => !path.startsWith("schemas/")).sort()).toEqual(
      [...texts, "package.json", "skills/rnv/SKILL.md"].sort(),
    );
    expect(packed).toContain("schemas/manifest.schema.json");
  });

  it("are those to which README.md links", () => {
    const links = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/\]\(([^)#:]+)\)/g)];
    const missing = links.filter(
      ([, link = ""]) => !packed.some((path) => path === link || path.startsWith(`${link}/`)),
    );
    expect([links.length > 20, missing.map(([, link]) => link)]).toEqual([true, []]);
  });

  it("have the provider where the guide to Pulumi adds it, which names its package after the file", () => {
    const guide = readFileSync(join(root, "docs/guides/pulumi.md"), "utf8");
    const [, path = ""] =
      /^pulumi package add terraform-provider \.\/node_modules\/[\w-]+\/(.*)$/m.exec(guide) ?? [];
    expect([path, packed]).toEqual(["dist/terraform/terraform-provider-rnv", expect.arrayContaining([path])]);
  });

  it("import the dependencies of the package and no other package", async () => {
    const { packages } = await loaded();
    const { dependencies, peerDependenciesMeta } = manifest;
    const optional = Object.keys(peerDependenciesMeta);
    expect(packages.filter((name) => !optional.includes(name)).sort()).toEqual(
      Object.keys(dependencies).sort(),
    );
  });
});
