import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constructProps, constructsOnCdktn } from "./construct-props";

const folder = join(__dirname, "../src/cdktf");
writeFileSync(join(folder, "props.ts"), constructProps());
writeFileSync(join(folder, "cdktn.ts"), constructsOnCdktn(readFileSync(join(folder, "cdktf.ts"), "utf8")));
