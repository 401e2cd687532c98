import { readFileSync, writeFileSync } from "node:fs";
import { readFigures, readme, withFigures } from "./figures";

// `npm run figures`: README.md says what the last whole run came to.
writeFileSync(readme, withFigures(readFileSync(readme, "utf8"), readFigures()));
