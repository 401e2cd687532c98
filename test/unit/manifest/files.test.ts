import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../../../src/model/address";
import { casesIn } from "../../support/rows";
import { briefs, folderWith, load } from "./load";

const value = (found: Awaited<ReturnType<typeof load>>, address: string, path: string) =>
  found.desired?.resources.get(address as Address)?.attributes.get(path);

describe("the default manifest", () => {
  it("is rnv.yaml, rnv.yml, or every YAML file below rnv", async () => {
    const service = (kind: string) => `services: { api: { kind: ${kind} } }\n`;
    for (const [files, kind] of [
      [{ "rnv.yaml": service("yaml"), "rnv/readme.md": "" }, "yaml"],
      [{ "rnv.yml": service("yml") }, "yml"],
      [{ "rnv/deep/a.yaml": service("folder"), "rnv/b.yml": "version: 1\n" }, "folder"],
    ] as const) {
      const found = await load(folderWith(files));
      expect(briefs(found)).toEqual([]);
      expect(value(found, "service.api", "kind")?.value).toBe(kind);
    }
  });

  it.each(casesIn<[string, Record<string, string>]>(join(__dirname, "missing-manifests.json")))(
    "is missing or unclear: %s",
    async (summary, files) => {
      const found = await load(folderWith(files));
      expect(found.desired).toBeUndefined();
      expect(found.diagnostics).toMatchObject([{ summary: expect.stringContaining(summary) }]);
    },
  );

  it("is looked for above a folder without one, as far as the repository goes, to say where it is", async () => {
    const hintIn = async (folder: string) => (await load(folder)).diagnostics[0]?.hint;
    const cwd = folderWith({
      "cdktf.json": "{}",
      "src/deep/a.ts": "",
      "other/.git/config": "",
      "other/a": "",
    });
    expect(await hintIn(join(cwd, "src/deep"))).toBe(
      `${join("..", "..", "cdktf.json")} is above this folder: rnv -chdir=${join("..", "..")} …`,
    );
    expect(await hintIn(join(cwd, "other"))).toContain("rnv init");
  });
});

describe("several -f", () => {
  it("overlay key by key: lists and scalars are replaced, positions point to the file that won", async () => {
    const cwd = folderWith({
      "rnv.yaml":
        "services:\n  api: { kind: web, configuration: { branch: main, port: 1, ipAllowList: [a, b] }, variables: { A: { fromEnv: A } } }\n",
      "production.yaml":
        "services:\n  api: { configuration: { port: 2, ipAllowList: [c] }, variables: { A: { fromFile: a.txt }, B: b } }\n  web: { kind: web }\n",
      "a.txt": "x",
    });
    const found = await load(cwd, { files: ["rnv.yaml", "production.yaml"] });
    expect(briefs(found)).toEqual([]);
    expect(value(found, "service.api", "configuration.branch")).toMatchObject({
      value: "main",
      range: { file: "rnv.yaml" },
    });
    expect(value(found, "service.api", "configuration.port")).toMatchObject({
      value: 2,
      range: { file: "production.yaml" },
    });
    expect(value(found, "service.api", "configuration.ipAllowList")?.value).toEqual(["c"]);
    expect([...(found.desired?.resources.keys() ?? [])]).toEqual(
      expect.arrayContaining(["variable.api.B", "service.web"]),
    );
  });

  it("may name standard input, whose mistakes have a place as those of a file", async () => {
    const cwd = folderWith({ "over.yaml": 'services: { api: { environment: "${env.STAGE}" } }\n' });
    const standardInput = Buffer.from('services:\n  api: { kind: web, archived: "${env.NO}" }\n');
    const found = await load(cwd, { files: ["-", "over.yaml"], standardInput });
    expect(briefs(found)).toEqual(['manifest.env_missing <stdin>:2:31 "${env.NO}"', expect.any(String)]);
    const twice = await load(cwd, { files: ["-", "-"], standardInput });
    expect(twice.diagnostics[0]?.code).toBe("command.usage");
  });
});

describe("a folder", () => {
  it("adds its files up; a project may be spread over them", async () => {
    const cwd = folderWith({
      "rnv/a.yaml":
        "projects: { shop: { name: Shop, services: { api: { kind: web } } } }\nremoved: [service.x]\n",
      "rnv/b.yaml": "projects: { shop: { services: { web: { kind: web } } } }\nremoved: [service.y]\n",
    });
    const found = await load(cwd);
    expect(briefs(found)).toEqual([]);
    expect(value(found, "project.shop", "name")?.value).toBe("Shop");
    expect(value(found, "service.shop.web", "kind")?.value).toBe("web");
    expect(found.desired?.removed).toHaveLength(2);
  });

  it("cannot declare an address twice; the error names both places", async () => {
    const cwd = folderWith({
      "rnv/a.yaml": "services:\n  api: { kind: web }\noutputs: { a: 1 }\n",
      "rnv/b.yaml": "\n\nservices:\n  api: { archived: true }\noutputs: { a: 2 }\n",
    });
    const found = await load(cwd);
    expect(briefs(found)).toEqual([
      "manifest.duplicate_address rnv/b.yaml:4:3 api",
      "manifest.duplicate_address rnv/b.yaml:5:12 a",
    ]);
    expect(found.diagnostics[0]).toMatchObject({
      address: "service.api",
      detail: expect.stringContaining("rnv/a.yaml:2:3"),
    });
  });

  it("does not follow links out of the project", async () => {
    const cwd = folderWith({ "outside.yaml": "version: 1\n", "project/rnv/a.yaml": "version: 1\n" });
    symlinkSync(join(cwd, "outside.yaml"), join(cwd, "project/rnv/b.yaml"));
    const found = await load(join(cwd, "project"));
    expect(found.diagnostics.map(({ summary }) => summary)).toEqual([
      "rnv/b.yaml is a link out of the project folder",
    ]);
  });
});
