import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { builtCli } from "../support/built-cli";
import { builtProvider } from "../support/built-provider";

const root = resolve(__dirname, "../..");
const part = join(root, "tools/build/undici.cjs");
const read = (path: string): string => readFileSync(path, "utf8");

describe("the part of undici in the bundles", () => {
  const modules = [...read(part).matchAll(/require\("(undici\/[^"]+)"\)/g)].map(([, name = ""]) => name);

  it.each(modules)("finds %s in the installed undici", (name) => {
    expect(typeof require(name)).toBe("function");
  });

  it("consists of names of the public entry", () => {
    const [used, whole] = [require(part), require("undici")];
    expect(modules).toHaveLength(5);
    for (const name of Object.keys(used)) expect([name, used[name] === whole[name]]).toEqual([name, true]);
    for (const name of ["connect", "request"]) expect(whole.Dispatcher.prototype).toHaveProperty(name);
  });

  it("has each name that the sources use", () => {
    const source = read(join(root, "src/api/http-transport.ts"));
    const named = [...source.matchAll(/\{ ([\w, ]+) \} = loadUndici\(\)/g)].flatMap(([, names = ""]) =>
      names.split(", "),
    );
    expect([...new Set(named)].sort()).toEqual(Object.keys(require(part)).sort());
    expect(source.match(/loadUndici\(\)/g)).toHaveLength(named.length);
  });

  it.each([
    ["the command line", () => join(dirname(builtCli()), "run.js")],
    ["the provider", () => join(builtProvider(), "terraform-provider-rnv")],
  ])("is all that %s holds of it", (_what, bundle) => {
    const [ofErrors, ofMocks] = ["UND_ERR_SOCKET", "MockNotMatchedError"];
    const undici = join(root, "node_modules/undici/lib");
    expect(read(join(undici, "core/errors.js"))).toContain(ofErrors);
    expect(read(join(undici, "mock/mock-errors.js"))).toContain(ofMocks);
    expect(read(bundle())).toContain(ofErrors);
    expect(read(bundle())).not.toContain(ofMocks);
  });
});
