import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { builtCli } from "./built-cli";
import { baseEnvironment, briefly, eachScenario, type Scenario } from "./cli";

/** `script` of Linux runs a program on a terminal of its own. */
export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

export interface AtTerminal {
  readonly code: number;
  /** All that the terminal showed, what was typed included; colours left out. */
  readonly screen: string;
  /** The lines that the terminal shows at the end; a line that is longer than the terminal is whole. */
  readonly left: readonly string[];
}

/** Ctrl-C, without the Enter that follows an answer. */
export const interrupt = Symbol("Ctrl-C");

/** Runs rnv on a terminal and types each answer, with Enter, once its question is shown. */
export function atTerminal(
  { folder, url }: Pick<Scenario, "folder" | "url">,
  args: string,
  answers: readonly (readonly [question: string, answer: string | typeof interrupt])[],
  env: Readonly<Record<string, string>> = {},
  columns = 80,
): Promise<AtTerminal> {
  const command = `stty cols ${columns}; exec '${process.execPath}' ${briefly.join(" ")} '${builtCli()}' ${args}`;
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
    child.stdin.write(next[1] === interrupt ? "\u0003" : `${next[1]}\r`);
    // To an unexpected question there is no answer.
    if (asked === answers.length) child.stdin.end();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({
        code: code ?? -1,
        screen: stripVTControlCharacters(screen).replaceAll("\r", ""),
        left: linesLeft(screen),
      });
    });
  });
}

/** Moves a cursor as a terminal does: a character replaces another character at its place. */
function linesLeft(text: string): readonly string[] {
  const lines: string[] = [""];
  let [row, column] = [0, 0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal acts on them
  for (const [part, count, code] of text.matchAll(/\u001b\[\??(\d*)[\d;]*([A-Za-z])|./gs)) {
    const line = (lines[row] ?? "").padEnd(column);
    if (code === "A") row = Math.max(0, row - Number(count || 1));
    else if (code === "J") lines.splice(row, lines.length, line.slice(0, column));
    else if (part === "\r") column = 0;
    else if (part === "\n") row += 1;
    else if (code === undefined) {
      lines[row] = line.slice(0, column) + part + line.slice(column + 1);
      column += 1;
    }
    lines[row] ??= "";
  }
  return lines;
}

export const servicesNamed = (...services: string[]) =>
  `projects:\n  shop:\n    services:\n${services
    .map((name) => `      ${name}: { kind: web, deploy: { when: never } }\n`)
    .join("")}`;

export const questions = { value: "Enter a value: ", address: "Type its address to confirm: " };

/** Describes tests at a terminal, in a folder whose manifest has the services `api` and `web`. */
export function describeAtTerminal(
  title: string,
  tests: (given: { readonly scenario: Scenario; readonly liveNames: () => string[] }) => void,
): void {
  (hasTerminal ? describe : describe.skip)(title, () => {
    const scenario = eachScenario();
    const liveNames = () =>
      scenario.emulator.store
        .services()
        .map((service) => service.name)
        .sort();
    beforeEach(async () => {
      scenario.write("rnv.yaml", servicesNamed("api", "web"));
    });
    tests({ scenario, liveNames });
  });
}
