import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { shortList } from "../../model/text";
import { compareWithRecord, declaredBesides, type PlanRecord } from "../../plan/digest";
import { isBlocked, type Plan } from "../../plan/plan";
import { escapeText } from "../../report/escape-text";
import { counted, differenceText } from "../../report/plan-wording";

interface QueueEnd {
  readonly exitCode: number;
  readonly finding?: Diagnostic;
  /** Where the plan differs from the reviewed one, in Markdown. */
  readonly differences?: string | undefined;
}

/**
 * Compares a plan of a merge queue with the reviewed ones: the branch as it will be must give one of them. Changes ahead of
 * it in the queue may come with it.
 */
export function compareInQueue(
  plan: Plan,
  reviewed: readonly PlanRecord[] | Diagnostic,
  key: Uint8Array | undefined,
): QueueEnd {
  if ("code" in reviewed) return { exitCode: 5, finding: reviewed };
  const compared = reviewed.map((record) => {
    const differences = compareWithRecord(record, plan, { key });
    return { differences, besides: declaredBesides(differences, plan) };
  });
  const match = compared.find(({ differences, besides }) => differences.length === 0 || besides.length > 0);
  if (match === undefined) {
    const differences = compared[0] && differenceText(compared[0].differences);
    const finding = error("plan.digest", "the plan in the merge queue is not the reviewed one", {
      detail: differences,
      hint: "Merge or apply the changes ahead of it in the queue, then plan in the pull request again.",
    });
    return { exitCode: 5, finding, differences };
  }
  const exitCode = isBlocked(plan) ? 4 : 0;
  const { besides } = match;
  if (besides.length === 0) return { exitCode };
  const ahead = `the reviewed plan plus ${counted(besides.length, "change")} ahead in the queue`;
  const finding = warning("plan.digest", ahead, {
    detail: shortList(besides.map(escapeText), 20),
    hint: "Each is applied with its own pull request, in order.",
  });
  return { exitCode, finding };
}
