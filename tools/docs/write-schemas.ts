import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { schema } from "../../src/commands/schemas";
import { schemaNames } from "../../src/commands/tools";

/** Writes `schemas/`: the JSON Schemas of what rnv reads and writes. */
for (const name of schemaNames)
  writeFileSync(
    join(__dirname, "../../schemas", `${name}.schema.json`),
    `${JSON.stringify(schema(name), null, 2)}\n`,
  );
