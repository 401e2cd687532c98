import type { ChildProcess } from "node:child_process";

export interface Finished {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, as a person sees them. */
  readonly output: string;
}

/** Collects the output of a process until it ends. */
export function finished(child: ChildProcess): Promise<Finished> {
  const texts = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      texts.output += text;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...texts }));
  });
}
