import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constructClasses } from "./construct-classes";
import { constructProps, constructsOnCdktn } from "./construct-props";
import { documentTypes } from "./document-types";
import { manifestTypes } from "./manifest-types";

const source = join(__dirname, "../../src");
const folder = join(source, "cdktf");
const [generated = "", typed = "", documents = ""] = ["cdktf", "manifest", "commands"].map((name) => {
  const written = join(source, name, "generated");
  // Files of an earlier version would be compiled too.
  rmSync(written, { recursive: true, force: true });
  mkdirSync(written, { recursive: true });
  return written;
});
writeFileSync(join(typed, "manifest.ts"), manifestTypes());
writeFileSync(join(generated, "props.ts"), constructProps());
writeFileSync(join(generated, "cdktn.ts"), constructsOnCdktn(readFileSync(join(folder, "cdktf.ts"), "utf8")));
for (const library of ["cdktf", "cdktn"])
  writeFileSync(join(generated, `classes-${library}.ts`), constructClasses(library));
void documentTypes().then((text) => writeFileSync(join(documents, "documents.ts"), text));
