import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { schemaNames } from "../../src/commands/schema-names";
import { schema } from "../../src/commands/schemas";

/** Writes `schemas/`: the JSON Schemas of the files and documents of rnv. */
for (const name of schemaNames)
  writeFileSync(
    join(__dirname, "../../schemas", `${name}.schema.json`),
    `${JSON.stringify(schema(name), null, 2)}\n`,
  );
