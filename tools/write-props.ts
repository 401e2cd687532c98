import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { constructProps } from "./construct-props";

writeFileSync(join(__dirname, "../src/cdktf/props.ts"), constructProps());
