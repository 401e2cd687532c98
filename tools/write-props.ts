import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constructClasses } from "./construct-classes";
import { constructProps, constructsOnCdktn } from "./construct-props";
import { documentTypes } from "./document-types";

const folder = join(__dirname, "..", "src", "cdktf");
const generated = join(folder, "generated");
// What an earlier version wrote there would be compiled too.
rmSync(generated, { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
writeFileSync(join(generated, "props.ts"), constructProps());
writeFileSync(join(generated, "cdktn.ts"), constructsOnCdktn(readFileSync(join(folder, "cdktf.ts"), "utf8")));
for (const library of ["cdktf", "cdktn"])
  writeFileSync(join(generated, `classes-${library}.ts`), constructClasses(library));

const documents = join(__dirname, "..", "src", "commands", "generated");
mkdirSync(documents, { recursive: true });
void documentTypes().then((text) => writeFileSync(join(documents, "documents.ts"), text));
