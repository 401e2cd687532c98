import { checkSavedPlan } from "../../commands/check-policies";
import { exitCodeOf } from "../../diagnostics/diagnostic";
import { stopsPlan } from "../../model/policy";
import { escapeJson } from "../../report/escape-text";
import { checkWords } from "../../report/plan-wording";
import { readText } from "../files";
import { options } from "../options";
import { exitCodes, report } from "../report";
import { policiesOf } from "./plan";
import type { VerbFamily } from "./verb";

export const policyVerbs: VerbFamily = {
  name: "policy",
  summary: "Judge plans by rules in CEL",
  status: "beta",
  description:
    "Policies are rules that a plan must pass: rnv.policy.yaml beside the manifest, --policy and RNV_POLICY.",
  verbs: [
    {
      usage: "check <planfile>",
      summary: "Judge a saved plan, without the service",
      detail:
        "By rnv.policy.yaml beside its manifest, by --policy and RNV_POLICY. A saved plan holds what is declared and recorded: " +
        "a policy that asks for another field cannot be judged, and fails. Exit 4 when one fails that is not advisory.",
      options: [options.policy, options.json],
      examples: [
        ["rnv policy check plan.rnvplan", "by the policies beside the manifest"],
        ["rnv policy check --policy platform/ plan.rnvplan", "by those of a folder, too"],
      ],
      handler: async (invocation) => {
        const { positional, terminal, options: given, cwd } = invocation;
        const [file] = positional as readonly [string];
        const { checks, diagnostics, sources } = await checkSavedPlan(
          cwd,
          readText(file),
          policiesOf(invocation),
        );
        if (given.json === true) terminal.out(`${escapeJson({ format_version: "1.0", checks }, 2)}\n`);
        report(invocation, diagnostics, sources);
        const { title, counts } = checkWords(checks);
        if (given.json !== true && checks.length > 0) terminal.out(`${title}: ${counts}.\n`);
        if (checks.some(stopsPlan)) return exitCodes.refused;
        return exitCodeOf(diagnostics);
      },
    },
  ],
};
