import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { builtCli } from "./built-cli";
import { baseEnvironment, briefly, type Scenario } from "./cli";

/** `script` of Linux runs a program on a terminal of its own. */
export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

export interface AtTerminal {
  readonly code: number;
  /** All that the terminal showed, what was typed included; colours left out. */
  readonly screen: string;
}

/** Runs rnv on a terminal and types each answer, with Enter, once its question is shown. */
export function atTerminal(
  { folder, url }: Pick<Scenario, "folder" | "url">,
  args: string,
  answers: readonly (readonly [question: string, answer: string])[],
  env: Readonly<Record<string, string>> = {},
): Promise<AtTerminal> {
  const command = `'${process.execPath}' ${briefly.join(" ")} '${builtCli()}' ${args}`;
  const child = spawn("/usr/bin/script", ["-qefc", command, "/dev/null"], {
    cwd: folder,
    env: { ...baseEnvironment({ url }), TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let asked = 0;
  let from = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    const next = answers[asked];
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (next === undefined || at === -1) return;
    asked += 1;
    from = at + next[0].length;
    child.stdin.write(`${next[1]}\r`);
    // To an unexpected question there is no answer.
    if (asked === answers.length) child.stdin.end();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({
        code: code ?? -1,
        screen: stripVTControlCharacters(screen).replaceAll("\r", ""),
      });
    });
  });
}
