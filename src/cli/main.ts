import { writeSync } from "node:fs";
import * as nodeModule from "node:module";
import { versionText } from "../model/version";
import type * as program from "./run";

// The entry of the command line. `rnv version` is answered here, because scripts ask it often and it needs nothing;
// everything else loads the program.

/** Keeps compiled code from one run to the next; Node 20 has no such function. */
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };

const [verb, ...others] = process.argv.slice(2);

if (verb === "version" && others.length === 0) {
  print(versionText(process, false));
} else {
  enableCompileCache?.();
  const { main } = require("./run") as typeof program;
  main();
}

/** Writes straight to the file descriptor: a stream takes longer to load. */
function print(text: string): void {
  try {
    writeSync(1, text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A reader that has gone away is no failure; a full pipe needs the stream.
    if (code === "EAGAIN") process.stdout.write(text);
    else if (code !== "EPIPE") {
      process.stderr.write(`error[command.output_lost]: standard output could not be written (${code})\n`);
      process.exitCode = 1;
    }
  }
}
