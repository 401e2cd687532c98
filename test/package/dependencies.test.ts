import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly hasInstallScript?: boolean;
}

describe("what is installed", () => {
  const packages = Object.entries<Locked>(read("package-lock.json").packages).filter(([path]) => path !== "");
  const withScripts = (kept: (one: Locked) => boolean): string[] =>
    packages.filter(([, one]) => one.hasInstallScript === true && kept(one)).map(([path]) => path);

  it("runs no script when a user installs the package", () => {
    const shipped = packages.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
    expect(shipped.map(([path]) => path)).toEqual(
      expect.arrayContaining(["node_modules/zod", "node_modules/yaml"]),
    );
    expect(withScripts(({ dev, devOptional }) => dev !== true && devOptional !== true)).toEqual([]);
  });

  it("runs no script of its own when a user installs it", () => {
    const { scripts } = read("package.json");
    for (const name of ["preinstall", "install", "postinstall"]) expect(scripts).not.toHaveProperty(name);
  });

  it("runs no script of a tool in CI either; the tools that have one work without it", () => {
    expect(withScripts(() => true)).toEqual([
      "node_modules/@grpc/proto-loader/node_modules/protobufjs",
      "node_modules/@parcel/watcher",
      "node_modules/@swc/core",
      "node_modules/esbuild",
      "node_modules/unrs-resolver",
    ]);
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toMatch(/^npm ci --ignore-scripts --no-audit$/m);
  });
});

describe("the versions in package.json", () => {
  const { dependencies, devDependencies, peerDependencies, overrides } = read("package.json");
  const notRanges = (versions: Readonly<Record<string, string>>): readonly string[] =>
    Object.keys(versions).filter((name) => !/^\^\d+\.\d+\.\d+$/.test(versions[name] ?? ""));

  it("are ranges for a user", () => {
    expect(Object.keys(dependencies)).toContain("undici");
    expect(notRanges({ ...dependencies, ...peerDependencies })).toEqual([]);
  });

  it("have a reason in src/README.md where they are exact or override another", () => {
    const [, rows = ""] = readFileSync(join(root, "src/README.md"), "utf8").split("| exact version | why |");
    const named = [...rows.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].flatMap(([, names = ""]) =>
      names.split(", "),
    );
    expect(named.sort()).toEqual([...notRanges(devDependencies), ...Object.keys(overrides)].sort());
  });
});

it("package.json has metadata and scripts, and no settings of tools", () => {
  const { knip, jest } = read("package.json");
  expect(knip).toBeUndefined();
  // Lets `npx jest` find its settings.
  expect(jest).toBe("test/jest.config.cjs");
});
