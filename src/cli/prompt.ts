import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Approval } from "../commands/apply";
import { DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { joinHints } from "../diagnostics/suggest";
import { isUnconfirmed } from "../plan/guards";
import type { Change, Plan } from "../plan/plan";
import { deletionText } from "../report/plan-report";
import { exitCodes, type Screen } from "./screen";

/** Returns true if a person can answer: at a terminal, without `-input=false` and `-json`. */
export const canAnswer = ({ terminal, input, format }: Screen): boolean =>
  terminal.interactive && input && format !== "json";

/** Asks a question; undefined at the end of input and at Ctrl-C. */
export async function ask(
  { terminal, signal }: Screen,
  question: string,
  { isSecret = false } = {},
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  if (!isSecret) terminal.tell(question);
  // Without `output`, readline does not put the terminal in raw mode: SIGINT stays a signal.
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const echo = isSecret ? { output, terminal: true, historySize: 0 } : {};
  const lines = createInterface({ input: terminal.stdin, signal, ...echo });
  // Raw mode hides typed characters: start it before the question.
  if (isSecret) terminal.tell(question);
  const [answer] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  if (isSecret) terminal.out("\n");
  return answer;
}

/** Asks for approval of the actions that `text` describes. Throws `DiagnosticsError` if no answer is possible. */
export async function askApproval(screen: Screen, verb: string, text: string): Promise<boolean> {
  if (canAnswer(screen)) return askForYes(screen, text);
  throw notAsked(verb);
}

const askForYes = async (screen: Screen, text: string): Promise<boolean> =>
  (await ask(screen, `${text}Only 'yes' will be accepted to approve.\n\n  Enter a value: `))?.trim() ===
  "yes";

const notAsked = (verb: string, hint = "Run it in a terminal, or add --auto-approve.") =>
  failure("command.usage", `${verb} needs approval, but this is not a terminal`, { hint });

/**
 * Asks for the address of each unconfirmed deletion, then for `yes` unless the plan is saved. Undefined cancels.
 * `--auto-approve` confirms no deletion (DESIGN section 7). Throws `DiagnosticsError` if no answer is possible: exit
 * code 4 for deletions, 1 for the approval.
 */
export async function approvePlan(
  screen: Screen,
  plan: Plan,
  { autoApprove, isSaved }: { readonly autoApprove: boolean; readonly isSaved: boolean },
): Promise<Approval | undefined> {
  const { mode } = plan.options;
  const unconfirmed = plan.changes.filter(isUnconfirmed);
  const isApproved = autoApprove || isSaved;
  if (!canAnswer(screen)) {
    if (unconfirmed.length > 0)
      throw new DiagnosticsError(unconfirmed.map((change) => deletionRefused(change, plan, { isSaved })));
    if (!isApproved) throw notAsked(mode, mode === "destroy" ? undefined : bySavedPlan);
    return { confirmedDeletes: [] };
  }
  for (const change of unconfirmed)
    if (!(await askForAddress(screen, change.address, deletionText(change, plan)))) return undefined;
  if (!isApproved && !(await askForYes(screen, questions[mode]))) return undefined;
  return { confirmedDeletes: unconfirmed.map(({ address }) => address) };
}

const bySavedPlan =
  "Run it in a terminal, add --auto-approve, or apply a saved plan: rnv plan -out plan.rnvplan, then rnv apply plan.rnvplan";

/** Returns the plan without guards that a prompt confirms. */
export const askablePlan = (plan: Plan): Plan => ({
  ...plan,
  changes: plan.changes.map((change) =>
    isUnconfirmed(change) ? { ...change, blockedBy: undefined } : change,
  ),
});

/** Describes a loss, then asks for the address that confirms it. */
export async function askForAddress(screen: Screen, address: string, text: string): Promise<boolean> {
  let opening = text;
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = (await ask(screen, `${opening}  Type its address to confirm: `))?.trim();
    if (answer === address) return true;
    if (answer === undefined) return false;
    screen.terminal.out(`\nThat is not ${address}.\n`);
    if (answer === "") return false;
    opening = "";
  }
  return false;
}

const questions: Readonly<Record<Plan["options"]["mode"], string>> = {
  apply: "\nDo you want to perform these actions?\n  rnv will perform the actions described above.\n  ",
  destroy:
    "\nDo you really want to destroy all of these resources?\n" +
    "  rnv will destroy everything shown above. There is no undo.\n  ",
  "refresh-only":
    "\nWould you like to update the state to reflect these detected changes?\n" +
    "  Nothing is written to the platform.\n  ",
};

function deletionRefused(
  { address, blockedBy }: Change,
  { options }: Plan,
  { isSaved }: { readonly isSaved: boolean },
) {
  const replan = isSaved ? "what the manifest confirms needs a new plan" : undefined;
  const all = options.mode === "destroy" ? "rnv destroy -auto-approve deletes all of it" : undefined;
  return error("guard.delete_unconfirmed", `${address} will be destroyed. Blocked: it is not confirmed`, {
    address,
    detail: isSaved
      ? "A saved plan holds the confirmations it was made with. It confirms nothing itself."
      : "--auto-approve alone never deletes a service or a project.",
    hint: joinHints(blockedBy?.hint, replan, all),
  });
}

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Lets a person choose with the arrow keys. Throws at Ctrl-C, Ctrl-D and Escape. */
export async function chooseOne<Value extends string>(
  { terminal, signal }: Pick<Screen, "terminal" | "signal">,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value> {
  const { isCancel, SelectPrompt } = await import("@clack/core");
  const output = new Writable({
    write: (text, _encoding, done) => {
      terminal.out(String(text));
      done();
    },
  });
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const prompt = new SelectPrompt<Choice<Value>>({
    options: [...choices],
    input: terminal.stdin as Readable,
    output: Object.assign(output, { columns: terminal.width }),
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
  // Ctrl-D ends the input, so that no key could answer.
  prompt.on("key", (_text, { ctrl, name }) => {
    if (ctrl === true && name === "d") prompt.state = "cancel";
  });
  terminal.stdin.once("end", end);
  const answer = await prompt.prompt();
  terminal.stdin.removeListener("end", end);
  if (isCancel(answer) || answer === undefined) throw new DiagnosticsError([], exitCodes.interrupted);
  return answer;
}
