import type * as program from "./run";
import { versionText } from "./version";

/**
 * The entry of the command line. `rnv version` is answered here, because scripts ask it often and it needs nothing;
 * everything else loads the program.
 */
const [verb, ...others] = process.argv.slice(2);

if (verb === "version" && others.length === 0) {
  // A reader that has gone away is no failure.
  process.stdout.on("error", () => {});
  process.stdout.write(versionText(false));
} else {
  const { main } = require("./run") as typeof program;
  main();
}
