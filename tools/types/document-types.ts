import { compile, type JSONSchema } from "json-schema-to-typescript";
import type { SchemaName } from "../../src/commands/schema-names";
import { schema } from "../../src/commands/schemas";

/** The documents that the library returns. */
const names = ["plan", "drift", "events", "status", "deployments"] as const satisfies readonly SchemaName[];

/** Returns the types of the documents, each by the title of its schema. */
export async function documentTypes(): Promise<string> {
  const schemas = names.map((name) => schema(name) as JSONSchema);
  const definitions = Object.assign({}, ...schemas.map((one) => one.definitions));
  const properties = Object.fromEntries(schemas.map(({ definitions: _, ...one }, i) => [names[i], one]));
  const all: JSONSchema = { type: "object", definitions, properties, required: [...names] };
  const options = { additionalProperties: false, bannerComment: "", format: false };
  const types = await compile(all, "Documents", options);
  return (
    types
      // No caller needs the type that holds all of them.
      .replace(/^export interface Documents \{$[\s\S]*?^\}\n/m, "")
      .replace("export type Json = _Schema0\n", "")
      .replaceAll("_Schema0", "Json")
  );
}
