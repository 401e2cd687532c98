import { shownPath } from "../../declaration/project-files";
import { failure } from "../../diagnostics/diagnostic";
import { codeSpan } from "../../report/escape-text";
import { argument } from "../options";
import { repositoryPath, type Screen } from "../screen";
import { defineVerb, type VerbFamily } from "../verb";
import { promoteInto, promoteOptions } from "../verbs/promote";
import { type Keeps, sweepOptions, sweepStage } from "../verbs/stage";
import { ciApplyVerb } from "./apply";
import { ciDriftVerb } from "./drift";
import { withHost } from "./host";
import { readJob } from "./job";
import { ciPlanVerb } from "./plan";

const ciSweepVerb = defineVerb({
  name: "sweep",
  summary: "Destroy the previews of pull requests that are closed",
  detail:
    "`rnv stage sweep` with the open pull requests (merge requests) of the code host as what stays. The ids 12, pr-12 and " +
    "mr-12 are of pull request 12: its instance is destroyed once it is closed. Every other instance, such as " +
    "preview/demo2, stays. Where the list cannot be read nothing is destroyed.",
  options: sweepOptions,
  examples: [
    ["rnv ci sweep --stage preview", "each night, and when a pull request is closed"],
    ["rnv ci sweep --stage preview --dry-run", "what would go"],
    ["rnv ci sweep --stage preview --ids 12,13", "where a state over https cannot list the instances"],
  ],
  // A job cannot ask.
  run: (given, run) => sweepStage({ ...given, autoApprove: true }, run, () => keptByHost(run.screen)),
});

/** Keeps IDs of open pull requests (`12`, `pr-12`, `mr-12`), and IDs of any other form. */
async function keptByHost(screen: Screen): Promise<Keeps> {
  const open = await withHost(screen, (host) => host.openPullRequests());
  if (open === undefined)
    throw failure("config.missing", "there is no code host to ask", {
      hint: "run it in a job of GitHub Actions or GitLab, with GITHUB_TOKEN or RNV_GITLAB_TOKEN",
    });
  const numbers = new Set(open.map(({ number }) => String(number)));
  return async (id) => {
    const number = /^(?:pr-|mr-)?([1-9]\d*)$/.exec(id)?.[1];
    if (number === undefined || numbers.has(number)) return true;
    // A closed pull request shifts the pages: the list may lack an open pull request.
    return !(await withHost(screen, (host) => host.isClosedPull(number)));
  };
}

const ciPromoteVerb = defineVerb({
  name: "promote",
  arguments: { address: argument("[address]", "the service to promote") },
  summary: "Open a pull request that pins in a stage what runs in another",
  detail:
    "`rnv promote`, which writes the overlay by the API of the code host in place of the file: to a branch of its own, " +
    "with one commit, and one pull request (merge request), which the next run rewrites. It needs the token of an app or a " +
    "project: what a job's own token opens starts no other job, and so no plan.",
  options: promoteOptions,
  examples: [["rnv ci promote --all --from staging --to production", "by hand, or each night"]],
  run: (given, { target, screen }) =>
    promoteInto(given, { target, screen }, async ({ overlay, text, from, to, promotions }) => {
      const { commit, base, pullWord } = readJob(target);
      const file = repositoryPath(shownPath(overlay, target.cwd), target);
      const lines = promotions.map((one) => `- ${codeSpan(one.address)}: commit ${codeSpan(one.commit)}`);
      const opened = await withHost(screen, async (host) => {
        if (commit === undefined || base === undefined || file === undefined) return undefined;
        const title = `Promote ${from} to ${to}`;
        const folder = repositoryPath("", target);
        const parts = [from, "to", to, folder, given.address].filter(Boolean);
        const branch = ["rnv-promote", ...parts].join("-").replaceAll("/", "-");
        return host.propose({ branch, base, commit, file, text, title, body: `${lines.join("\n")}\n` });
      });
      if (opened === undefined)
        throw failure("config.missing", `no ${pullWord} was opened: this is not the job of a branch`, {
          hint: "run it in a job of GitHub Actions or GitLab on the branch to merge to, with the token of an app as GITHUB_TOKEN or RNV_GITLAB_TOKEN",
        });
      screen.terminal.tell(`\nOpened ${pullWord} ${opened.number}.\n`);
    }),
});

export const ciVerbs: VerbFamily = {
  name: "ci",
  summary: "What jobs of GitHub Actions, GitLab and others run",
  description:
    "What jobs run: they tell pull requests, issues, channels and monitors what rnv finds and does.\n\n" +
    "To speak to GitHub a step needs GITHUB_TOKEN in its environment, to GitLab a job RNV_GITLAB_TOKEN; elsewhere and without they write files.",
  verbs: [ciPlanVerb, ciApplyVerb, ciDriftVerb, ciSweepVerb, ciPromoteVerb],
};
