import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { closing } from "./closing";
import { listen } from "./listen";

/** Opens a service that takes requests and answers none, until the end of the test. */
export async function openSilent() {
  const { url, connections } = closing(await listen(createServer()));
  return { url: `${url}/api/v1`, connections };
}

/** Returns the ids of the processes that work below a folder, and whose command line matches. */
export function processesBelow(folder: string, pattern = /./): readonly number[] {
  const script = `for p in /proc/[0-9]*; do d=$(readlink $p/cwd) || continue; case "$d" in "$1"/*) echo "\${p#/proc/} $(tr '\\0' ' ' < $p/cmdline)";; esac; done; true`;
  const listed = execFileSync("sh", ["-c", script, "sh", folder], {
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  });
  const lines = listed.split("\n").filter((line) => line !== "" && pattern.test(line));
  return lines.map((line) => Number.parseInt(line, 10));
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}
