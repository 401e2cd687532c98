import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { builtCli } from "../support/built-cli";
import { builtProvider } from "../support/built-provider";
import { newFolder } from "../support/temp-folder";

const root = resolve(__dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { version, dependencies } = JSON.parse(read("package.json"));

describe("what a release needs", () => {
  const check = (tag: string): readonly string[] => {
    const { stderr } = spawnSync(process.execPath, ["tools/release/check-release.mjs", tag], {
      cwd: root,
      encoding: "utf8",
    });
    return stderr.split("\n").filter((line) => line !== "");
  };

  it("includes a tag for the version in package.json", () => {
    expect(check("v9.9.9")).toContain(`the tag is v9.9.9, package.json has version ${version}`);
    expect(check(`v${version}`).join()).not.toContain("the tag");
  });

  it("is in the list of CONTRIBUTING.md where the owner has to fill it in", () => {
    const fields = check(`v${version}`).flatMap(
      (line) => /^package.json has no (\w+)$/.exec(line)?.[1] ?? [],
    );
    for (const field of fields) expect(read("CONTRIBUTING.md")).toContain(`\`${field}\``);
  });
});

interface Component {
  readonly name: string;
  readonly licenses: readonly { readonly license?: { readonly id: string } }[];
}

describe("the bill of materials", () => {
  const folder = newFolder("sbom");

  it("lists what is installed and bundled, with licences and digests, and no development tool", () => {
    execFileSync(process.execPath, ["tools/release/sbom.mjs", folder], { cwd: root, stdio: "pipe" });
    const { bomFormat, metadata, components } = JSON.parse(
      readFileSync(join(folder, `terraform-provider-rnv-${version}.cdx.json`), "utf8"),
    );
    expect({ bomFormat, ...metadata.component }).toMatchObject({
      ...{ bomFormat: "CycloneDX", name: "terraform-provider-rnv", version },
    });
    const names = components.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining([...Object.keys(dependencies), "commander", "@grpc/grpc-js"]),
    );
    for (const name of ["jest", "esbuild", "typescript", "cdktf"]) expect(names).not.toContain(name);
    for (const one of components) {
      expect(one).toMatchObject({ licenses: [expect.anything()], hashes: [expect.anything()] });
      expect(one).not.toHaveProperty("properties");
    }
    // What may be given on with a program under the MIT licence, its text beside it.
    const allowed = [
      "MIT",
      "ISC",
      "Apache-2.0",
      "BSD-2-Clause",
      "BSD-3-Clause",
      "0BSD",
      "BlueOak-1.0.0",
      "PSF-2.0",
    ];
    const others = (components as Component[])
      .map(({ name, licenses }) => `${name}: ${licenses.map(({ license }) => license?.id).join()}`)
      .filter((line) => !allowed.includes(line.split(": ")[1] as string));
    expect(others).toEqual([]);
  });

  it("is asked for known faults, and its signatures checked, before a release is packed", () => {
    const steps = read(".github/workflows/release.yml")
      .split("\n")
      .map((line) => line.trim());
    const at = (step: string) => steps.indexOf(`- run: ${step}`);
    expect(at("npm audit --omit=dev --audit-level=high")).toBeGreaterThan(at("npm ci --ignore-scripts"));
    expect(at("npm audit signatures")).toBeGreaterThan(at("npm ci --ignore-scripts"));
    expect(at("npm run build")).toBeGreaterThan(at("npm audit signatures"));
  });
});

it("the build runs as the job on Windows tries it", () => {
  builtCli();
  builtProvider();
  const output = execFileSync(process.execPath, ["tools/release/try-build.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(output.trim().split("\n")).toEqual([
    ...["rnv version: ok", "rnv init: ok", "rnv plan: ok", "rnv apply: ok", "rnv plan again: ok"],
    "the provider's handshake: ok",
  ]);
});
