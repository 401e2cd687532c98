import { join } from "node:path";
import type { Address } from "../../../src/model/address";
import { casesIn, textIn } from "../../support/rows";
import { brief, briefs, folderWith, load } from "./load";

const base = textIn(join(__dirname, "overlaid.yaml"));

const withOverlay = async (overlay: string, ...more: string[]) => {
  const files = {
    "rnv.yaml": base,
    ...Object.fromEntries([overlay, ...more].map((text, i) => [`${i}.yaml`, text])),
  };
  const environment = { DB: "postgres://x" };
  return load(folderWith(files), { files: Object.keys(files).sort((a, b) => (a < b ? 1 : -1)), environment });
};
const inApi = (body: string): string => `projects: { shop: { services: { api: { ${body} } } } }\n`;
const told = async (overlay: string) => {
  const found = await withOverlay(overlay);
  return found.diagnostics.map((one) => `${brief(one)} | ${one.summary} | ${one.hint}`);
};

describe("null in an overlay", () => {
  it.each([
    ["a field", inApi("configuration: { branch: null }"), "service.shop.api", "configuration.branch"],
    ["every field", inApi("configuration: null"), "service.shop.api", "configuration.runtime"],
    ["an attribute", inApi("environment: ~"), "service.shop.api", "environment"],
  ])(
    "takes away %s that an earlier file says, and nothing is declared there any more",
    async (_, text, at, path) => {
      const found = await withOverlay(text);
      expect(briefs(found)).toEqual([]);
      const { attributes } = found.desired?.resources.get(at as Address) ?? {};
      expect(attributes?.get("kind")?.value).toBe("web");
      expect(attributes?.has(path)).toBe(false);
    },
  );

  it.each([
    ["a variable", inApi("variables: { LOG_LEVEL: null }"), ["variable.shop.api.LOG_LEVEL"]],
    ["a variable with a source", inApi("variables: { DB_URL: null }"), ["variable.shop.api.DB_URL"]],
    ["all variables", inApi("variables: null"), ["variable.shop.api.LOG_LEVEL", "variable.shop.api.DB_URL"]],
    ["a service", "projects: { shop: { services: { worker: null } } }\n", ["service.shop.worker"]],
    ["a project", "projects: { blog: null }\n", ["project.blog"]],
  ])("takes away %s", async (_, text, gone) => {
    const all = [...((await withOverlay("version: 1\n")).desired?.resources.keys() ?? [])];
    const found = await withOverlay(text);
    expect(briefs(found)).toEqual([]);
    expect(all).toEqual(expect.arrayContaining(gone));
    expect([...(found.desired?.resources.keys() ?? [])]).toEqual(
      all.filter(
        (address) =>
          !gone.includes(address) && !gone.some((one) => address === one.replace("service", "deployment")),
      ),
    );
  });

  it("is undone by a later overlay that says it again", async () => {
    const files = {
      "a.yaml": base,
      "b.yaml": inApi("configuration: { branch: null }"),
      "c.yaml": inApi("configuration: { branch: next }"),
    };
    const found = await load(folderWith(files), { files: Object.keys(files), environment: { DB: "x" } });
    const api = found.desired?.resources.get("service.shop.api" as Address);
    expect(api?.attributes.get("configuration.branch")?.value).toBe("next");
  });

  it.each(casesIn<[string, string, string]>(join(__dirname, "refused-nulls.json")))(
    "for %s that no earlier file has is an error",
    async (_, text, expected) => {
      expect(await told(text)).toEqual([expected]);
    },
  );
});

describe("a key without a value in an overlay", () => {
  it("takes nothing away where blocks stand below it: their lines may be commented out", async () => {
    const found = await withOverlay(
      "projects:\n  shop:\n    services:\n      api:\n        configuration:\n        variables:\n      worker:\n  blog:\n",
      "services:\n",
      "projects:\n",
    );
    expect(briefs(found)).toEqual([]);
    expect(found.desired?.resources.size).toBe((await withOverlay("{}")).desired?.resources.size);
  });

  it("is an error over a value: it may mean two things", async () => {
    expect(
      await told(
        "projects:\n  shop:\n    description:\n    services:\n      api:\n        variables:\n          DB_URL:\n",
      ),
    ).toEqual([
      "manifest.invalid_type 0.yaml:3:5 description | projects.shop.description is empty | write null to take away what an earlier file says, or remove this line to keep it",
      "manifest.invalid_type 0.yaml:7:11 DB_URL | projects.shop.services.api.variables.DB_URL is empty | write null to take away what an earlier file says, or remove this line to keep it",
    ]);
  });
});

describe("a name that no earlier file has", () => {
  it.each([
    ["wroker", 'did you mean "worker"?'],
    ["aip", 'did you mean "api"?'],
    ["queue", undefined],
  ])("is an error where the block cannot stand on its own: %s", async (name, hint) => {
    const block = `${name}: { configuration: { branch: x } }`;
    expect(await told(`projects: { shop: { services: { ${block} } } }\n`)).toEqual([
      `manifest.missing_key 0.yaml:1:33 ${name} | service.shop.${name} lacks kind | ${hint}`,
    ]);
  });
});
