import * as z from "zod";
import { manifestJsonSchema } from "../../../src/manifest/schema";
import { resourceTypes } from "../../../src/resources";

const json = manifestJsonSchema(resourceTypes) as Parameters<typeof z.fromJSONSchema>[0] & {
  readonly definitions: { readonly variable: { anyOf?: object } };
};
// To zod, alternatives beside a strict object make it a loose one.
delete json.definitions.variable.anyOf;
const schema = z.fromJSONSchema(json);
const accepts = (manifest: unknown): boolean => schema.safeParse(manifest).success;
const service = (block: object) => ({ services: { api: { kind: "web", ...block } } });

describe("manifestJsonSchema", () => {
  it.each([
    ["an empty manifest", {}],
    ["a version", { version: 1 }],
    ["empty containers", { services: null, projects: null }],
    ["a shorthand secret", service({ variables: { A: "x" } })],
    [
      "a source of a secret",
      service({ variables: { A: { fromEnv: "X" }, B: { generate: { length: 32 } } } }),
    ],
    ["a preserved variable", service({ variables: { A: { preserve: true } } })],
    ["null where it resets", service({ configuration: { port: null } })],
    ["the environment in a number", service({ configuration: { port: "${env.PORT}" } })],
    ["a reference in text", service({ environment: "${service.b.url}" })],
    [
      "a layout in short and in full",
      { projects: { a: { layout: "auto" }, b: { layout: { positions: "auto" } } } },
    ],
    ["a lifecycle from the environment", service({ lifecycle: { preventDestroy: "${env.SAFE:-true}" } })],
    ["archive where it is possible", service({ lifecycle: { onRemove: "archive" } })],
    ["moved and removed", { moved: [{ from: "service.a", to: "service.b" }], removed: ["variable.a.b.C"] }],
  ])("accepts %s", (_, manifest) => expect(accepts(manifest)).toBe(true));

  it.each([
    ["an unknown key", { servces: {} }],
    ["an unknown attribute", service({ knd: "web" })],
    ["a missing key", { services: { api: {} } }],
    ["a text of another form", service({ deploy: { commit: "main" } })],
    ["a reference in a number", service({ configuration: { port: "${service.b.id}" } })],
    ["a number for a secret", service({ variables: { A: 1 } })],
    ["two sources", service({ variables: { A: { fromEnv: "X", fromFile: "y" } } })],
    ["archive where it is not possible", { projects: { p: { lifecycle: { onRemove: "archive" } } } }],
    ["meta where it does not belong", service({ deploy: { import: "x" } })],
    ["a name with a dot", { services: { "a.b": { kind: "web" } } }],
    ["another version", { version: 2 }],
  ])("refuses %s", (_, manifest) => expect(accepts(manifest)).toBe(false));

  it.each([
    [true, { variableGroups: { common: { A: "x", B: { fromEnv: "B" }, C: { preserve: true } } } }],
    [true, { variableGroups: { common: null }, "x-any": [1, { y: null }] }],
    [true, service({ variablesFrom: [{ group: "common" }, { dotenv: ".env" }], "x-owner": "a" })],
    [true, service({ variables: { A: { fromCommand: ["vault"], json: "/data/a" } } })],
    [false, { variableGroups: { common: { A: 1 } } }],
    [false, service({ variablesFrom: ["common"] })],
    [false, service({ variablesFrom: [{ group: "a", dotenv: "b" }] })],
    [false, service({ variables: { A: { fromCommand: ["vault"], json: "data" } } })],
    [false, { projects: { p: { variablesFrom: [] } } }],
  ])("takes what blocks share: %s for %j", (isTaken, manifest) => expect(accepts(manifest)).toBe(isTaken));
});
