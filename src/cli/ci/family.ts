import { failure } from "../../diagnostics/diagnostic";
import type { Screen } from "../screen";
import { defineVerb, type VerbFamily } from "../verb";
import { type Keeps, sweepOptions, sweepStage } from "../verbs/stage";
import { ciApplyVerb } from "./apply";
import { ciDriftVerb } from "./drift";
import { withHost } from "./host";
import { ciPlanVerb } from "./plan";
import { ciPromoteVerb } from "./promote";

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
    return (await withHost(screen, (host) => host.isOpenPull(number))) ?? true;
  };
}

export const ciVerbs: VerbFamily = {
  name: "ci",
  summary: "What jobs of GitHub Actions, GitLab and others run",
  description:
    "What jobs run: they tell pull requests, issues, channels and monitors what rnv finds and does.\n\n" +
    "To speak to GitHub a step needs GITHUB_TOKEN in its environment, to GitLab a job RNV_GITLAB_TOKEN; elsewhere and without they write files.",
  verbs: [ciPlanVerb, ciApplyVerb, ciDriftVerb, ciSweepVerb, ciPromoteVerb],
};
