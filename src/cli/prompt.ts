import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Approval } from "../commands/apply";
import { DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { isUnconfirmed } from "../plan/guards";
import type { Change, Plan } from "../plan/plan";
import { quoteText } from "../report/escape-text";
import { deletionText } from "../report/plan-report";
import type { Invocation } from "./invocation";
import type { Terminal } from "./terminal";

export interface ApprovalOptions {
  readonly autoApprove: boolean;
  /** The plan comes from a file, and was approved when it was made: only the names are asked for. */
  readonly isSaved?: boolean;
  /** Undefined when no answer is possible: no terminal, `-input=false`, `-json`. */
  readonly ask: Prompter | undefined;
  /** Writes to the user. */
  readonly say: (text: string) => void;
}

/**
 * Asks for what a plan still needs: the exact name of everything it would delete without a confirmation, then
 * `yes`. Undefined cancels. `--auto-approve` confirms no deletion (DESIGN section 7).
 * Throws `DiagnosticsError` when no answer is possible: exit code 4 for deletions, 1 for the approval.
 */
export async function approvePlan(plan: Plan, options: ApprovalOptions): Promise<Approval | undefined> {
  const unconfirmed = plan.changes.filter(isUnconfirmed);
  const addresses = unconfirmed.map((change) => change.address);
  const isApproved = options.autoApprove || options.isSaved === true;
  if (!options.ask && unconfirmed.length > 0)
    throw new DiagnosticsError(unconfirmed.map((change) => deletionRefused(change, plan, options)));
  if (!options.ask && !isApproved)
    throw failure("command.usage", `${plan.options.mode} needs approval, but this is not a terminal`, {
      hint:
        plan.options.mode === "destroy"
          ? "Run it in a terminal, or add --auto-approve."
          : "Run it in a terminal, add --auto-approve, or apply a saved plan: rnv plan -out plan.rnvplan, then rnv apply plan.rnvplan",
    });
  if (options.ask) {
    for (const change of unconfirmed) {
      if (!(await askForName(change, plan, options.ask, options.say))) return undefined;
    }
    if (!isApproved && !(await askForYes(options.ask, questions[plan.options.mode]))) return undefined;
  }
  return { confirmedDeletes: addresses };
}

/** Returns the plan without the guards that a prompt confirms. */
export const askablePlan = (plan: Plan): Plan => ({
  ...plan,
  changes: plan.changes.map((change) => {
    if (!isUnconfirmed(change)) return change;
    const { guard: _asked, ...rest } = change;
    return rest;
  }),
});

async function askForName(change: Change, plan: Plan, ask: Prompter, say: (text: string) => void) {
  let opening = deletionText(change, plan);
  // So often it may be mistyped.
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await ask(`${opening}  Type its name to confirm: `);
    if (answer === change.name) return true;
    if (answer === undefined) return false;
    say(`\nThat is not ${quoteText(change.name)}.\n`);
    if (answer === "") return false;
    opening = "";
  }
  return false;
}

/** Asks for approval of what `text` says will be done; true for `yes` alone. */
export const askForYes = async (ask: Prompter, text: string): Promise<boolean> =>
  (await ask(`${text}Only 'yes' will be accepted to approve.\n\n  Enter a value: `))?.trim() === "yes";

const questions: Readonly<Record<Plan["options"]["mode"], string>> = {
  apply: "\nDo you want to perform these actions?\n  rnv will perform the actions described above.\n  ",
  destroy:
    "\nDo you really want to destroy all of these resources?\n" +
    "  rnv will destroy everything shown above. There is no undo.\n  ",
  "refresh-only":
    "\nWould you like to update the state to reflect these detected changes?\n" +
    "  Nothing is written to the service.\n  ",
};

function deletionRefused({ address }: Change, { options }: Plan, { isSaved }: ApprovalOptions) {
  const inGit = `removed: [${address}]\` in the manifest`;
  const others = [
    ...(isSaved ? [`\`${inGit} and a new plan`] : [`\`${inGit}`]),
    ...(options.mode === "destroy" ? ["rnv destroy -auto-approve, which deletes all of it"] : []),
  ];
  return error("guard.delete_unconfirmed", `${address} will be destroyed. Blocked: it is not confirmed`, {
    address,
    detail: isSaved
      ? "A saved plan holds the confirmations it was made with. It confirms nothing itself."
      : "--auto-approve alone never deletes a service or a project.",
    hint: `To confirm: --confirm-delete ${address}, or ${others.join(", or ")}`,
  });
}

/** Asks one question; undefined when there is no answer any more (end of input, Ctrl-C). */
export type Prompter = (question: string, isSecret?: boolean) => Promise<string | undefined>;

/** Asks on the terminal. Ends with the signal, so that Ctrl-C at a question is a no. */
export function createTerminalPrompter(terminal: Terminal, signal: AbortSignal): Prompter {
  return async (question, isSecret = false) => {
    if (signal.aborted) return undefined;
    if (!isSecret) terminal.out(question);
    // Without `output`, readline does not put the terminal in raw mode: SIGINT stays a signal.
    const output = new Writable({ write: (_text, _encoding, done) => done() });
    const echo = isSecret ? { output, terminal: true, historySize: 0 } : {};
    const lines = createInterface({ input: terminal.stdin, signal, ...echo });
    // What is typed is hidden only once the terminal is in raw mode.
    if (isSecret) terminal.out(question);
    const [answer] = await Promise.race([once(lines, "line"), once(lines, "close")]);
    lines.close();
    if (isSecret) terminal.out("\n");
    return answer;
  };
}

/** A way to ask here; undefined when no answer is possible: no terminal, `-input=false`, `-json`. */
export function createPrompter({ terminal, signal, options }: Invocation): Prompter | undefined {
  const allowed = terminal.interactive && options.input !== false && options.json !== true;
  return allowed ? createTerminalPrompter(terminal, signal) : undefined;
}

/** One of the answers to a question that is asked with arrow keys. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  /** Shown beside the one at the cursor. */
  readonly hint?: string;
}

/**
 * Lets a person at the terminal choose with the arrow keys; undefined where they leave the question (Ctrl-C, Ctrl-D,
 * Escape).
 */
export async function chooseOne<Value extends string>(
  { terminal, signal }: Pick<Invocation, "terminal" | "signal">,
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
const outputOf = (terminal: Terminal): Writable =>
  Object.defineProperty(
    new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        terminal.out(String(text));
        done();
      },
    }),
    "columns",
    { get: () => terminal.width },
  );
