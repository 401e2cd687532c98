import type { Approval } from "../commands/apply";
import { DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { joinHints } from "../diagnostics/suggest";
import { isUnconfirmed } from "../plan/guards";
import type { Change, Plan } from "../plan/plan";
import { quoteText } from "../report/escape-text";
import { deletionText } from "../report/plan-report";

/** Asks one question; undefined when there is no answer any more (end of input, Ctrl-C). */
export type Prompter = (question: string, isSecret?: boolean) => Promise<string | undefined>;

interface ApprovalOptions {
  readonly autoApprove: boolean;
  /** The plan comes from a file, and was approved when it was made: only the names are asked for. */
  readonly isSaved?: boolean;
  /** Undefined when no answer is possible: no terminal, `-input=false`, `-json`. */
  readonly ask: Prompter | undefined;
  readonly say: (text: string) => void;
}

/**
 * Asks for what a plan still needs: the exact name of everything it would delete without a confirmation, then
 * `yes`. Undefined cancels. `--auto-approve` confirms no deletion (DESIGN section 7).
 * Throws `DiagnosticsError` when no answer is possible: exit code 4 for deletions, 1 for the approval.
 */
export async function approvePlan(plan: Plan, options: ApprovalOptions): Promise<Approval | undefined> {
  const { ask, say, autoApprove, isSaved } = options;
  const { mode } = plan.options;
  const unconfirmed = plan.changes.filter(isUnconfirmed);
  const isApproved = autoApprove || isSaved === true;
  if (ask === undefined) {
    if (unconfirmed.length > 0)
      throw new DiagnosticsError(unconfirmed.map((change) => deletionRefused(change, plan, options)));
    if (!isApproved) throw notAsked(mode, mode === "destroy" ? undefined : bySavedPlan);
    return { confirmedDeletes: [] };
  }
  for (const change of unconfirmed) if (!(await askForName(change, plan, ask, say))) return undefined;
  if (!isApproved && !(await askForYes(ask, questions[mode]))) return undefined;
  return { confirmedDeletes: unconfirmed.map(({ address }) => address) };
}

const bySavedPlan =
  "Run it in a terminal, add --auto-approve, or apply a saved plan: rnv plan -out plan.rnvplan, then rnv apply plan.rnvplan";

/** Returns why a verb that needs approval does not go on: no answer is possible. */
export const notAsked = (verb: string, hint = "Run it in a terminal, or add --auto-approve.") =>
  failure("command.usage", `${verb} needs approval, but this is not a terminal`, { hint });

/** Returns the plan without the guards that a prompt confirms. */
export const askablePlan = (plan: Plan): Plan => ({
  ...plan,
  changes: plan.changes.map((change) =>
    isUnconfirmed(change) ? { ...change, blockedBy: undefined } : change,
  ),
});

async function askForName(change: Change, plan: Plan, ask: Prompter, say: (text: string) => void) {
  let opening = deletionText(change, plan);
  // So often it may be mistyped.
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await ask(`${opening}  Type its name to confirm: `);
    if (answer === change.liveName) return true;
    if (answer === undefined) return false;
    say(`\nThat is not ${quoteText(change.liveName)}.\n`);
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

function deletionRefused({ address, blockedBy }: Change, { options }: Plan, { isSaved }: ApprovalOptions) {
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
