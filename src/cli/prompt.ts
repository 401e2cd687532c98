import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { askForYes, notAsked, type Prompter } from "./approve";
import type { Screen } from "./screen";
import type { Terminal } from "./terminal";

/**
 * Returns a way to ask on the terminal, which ends with the signal: Ctrl-C at a question is a no. Undefined when no answer is
 * possible: no terminal, `-input=false`, `-json`.
 */
export function createPrompter({ terminal, signal, input, format }: Screen): Prompter | undefined {
  if (!terminal.interactive || !input || format === "json") return undefined;
  return async (question, isSecret = false) => {
    if (signal.aborted) return undefined;
    if (!isSecret) terminal.tell(question);
    // Without `output`, readline does not put the terminal in raw mode: SIGINT stays a signal.
    const output = new Writable({ write: (_text, _encoding, done) => done() });
    const echo = isSecret ? { output, terminal: true, historySize: 0 } : {};
    const lines = createInterface({ input: terminal.stdin, signal, ...echo });
    // What is typed is hidden only once the terminal is in raw mode.
    if (isSecret) terminal.tell(question);
    const [answer] = await Promise.race([once(lines, "line"), once(lines, "close")]);
    lines.close();
    if (isSecret) terminal.out("\n");
    return answer;
  };
}

/** Asks for approval of what `text` says a verb will do. Throws `DiagnosticsError` where no answer is possible. */
export async function askApproval(screen: Screen, verb: string, text: string): Promise<boolean> {
  const ask = createPrompter(screen);
  if (ask) return askForYes(ask, text);
  throw notAsked(verb);
}

/** One of the answers to a question that is asked with arrow keys. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/**
 * Lets a person at the terminal choose with the arrow keys; undefined where they leave the question (Ctrl-C, Ctrl-D,
 * Escape).
 */
export async function chooseOne<Value extends string>(
  { terminal, signal }: Pick<Screen, "terminal" | "signal">,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const { isCancel, SelectPrompt } = await import("@clack/core");
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const prompt = new SelectPrompt<Choice<Value>>({
    options: [...choices],
    input: terminal.stdin as Readable,
    output: outputOf(terminal),
    // Before the terminal is in raw mode, Ctrl-C is a signal.
    signal: AbortSignal.any([signal, ended.signal]),
    render() {
      const chosen = choices[this.cursor];
      if (this.state === "submit" || this.state === "cancel")
        return `${message} ${this.state === "submit" ? (chosen?.label ?? "") : "cancelled"}`;
      const lines = choices.map(({ label, hint }, at) =>
        at === this.cursor ? `> ${label}${hint === undefined ? "" : `  (${hint})`}` : `  ${label}`,
      );
      return [message, ...lines, "arrow keys, then Enter"].join("\n");
    },
  });
  // Ctrl-D ends the reading of keys, and nothing would answer any more.
  prompt.on("key", (_text, { ctrl, name }) => {
    if (ctrl === true && name === "d") prompt.state = "cancel";
  });
  terminal.stdin.once("end", end);
  const answer = await prompt.prompt();
  terminal.stdin.removeListener("end", end);
  return isCancel(answer) ? undefined : answer;
}

/** The output of a terminal as a stream. Where the terminal does not tell its size, it has the usual one. */
const outputOf = ({ out, width }: Terminal): Writable =>
  Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        out(String(text));
        done();
      },
    }),
    { columns: width },
  );
