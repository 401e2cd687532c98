import { chmodSync, mkdirSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { reasonOf } from "../model/file-error";
import { versionText } from "../model/tool-version";
import type * as program from "./run";

// The entry of the command line. `rnv version` is answered here, because scripts ask it often and it needs nothing;
// everything else loads the program.

const [verb, ...others] = process.argv.slice(2);

if (verb === "version" && others.length === 0) {
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    // A reader that has gone away is no failure.
    if (cause.code === "EPIPE") return;
    process.stderr.write(
      `error[command.output_lost]: standard output could not be written: ${reasonOf(cause)}\n`,
    );
    process.exitCode = 1;
  });
  process.stdout.write(versionText(process));
} else {
  keepCompiled();
  const { main } = require("./run") as typeof program;
  main();
}

/** Keeps compiled code for the next run, in a folder that no other user can write: the code is run unchecked. */
function keepCompiled(): void {
  // Node 20 does not have it.
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown };
  if (enableCompileCache === undefined) return;
  try {
    const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rnv");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).uid !== (process.getuid?.() ?? 0)) return;
    chmodSync(folder, 0o700);
    enableCompileCache(folder);
  } catch {
    // Such as a disk that is read-only: the program starts more slowly.
  }
}
