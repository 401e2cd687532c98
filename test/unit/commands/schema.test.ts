import { readFileSync } from "node:fs";
import { join } from "node:path";
import { schemaNames } from "../../../src/commands/schema-names";
import { schema } from "../../../src/commands/schemas";

it.each(schemaNames)("schemas/%s.schema.json is what the checks in use generate (npm run docs)", (name) => {
  const file = join(__dirname, "..", "..", "..", "schemas", `${name}.schema.json`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(JSON.stringify(schema(name))));
});

it("each has an $id of its own, below one address", () => {
  const ids = schemaNames.map((name) => (schema(name) as { readonly $id: string }).$id);
  expect(new Set(ids).size).toBe(schemaNames.length);
  for (const id of ids) expect(id).toMatch(/^https:\/\/rnv\.example\.com\/schemas\/[a-z-]+\.schema\.json$/);
});
