import { ciApplyVerb } from "./ci-apply";
import { ciDriftVerb } from "./ci-drift";
import { ciPlanVerb } from "./ci-plan";
import { ciSweepVerb } from "./ci-sweep";
import type { VerbFamily } from "./verb";

/** `rnv ci …` */
export const ciVerbs: VerbFamily = {
  name: "ci",
  summary: "What jobs of GitHub Actions, GitLab and others run",
  description:
    "What jobs run: they tell pull requests, issues, channels and monitors what rnv finds and does.\n\n" +
    "To speak to GitHub a step needs GITHUB_TOKEN in its environment, to GitLab a job RNV_GITLAB_TOKEN; elsewhere and without they write files.",
  verbs: [ciPlanVerb, ciApplyVerb, ciDriftVerb, ciSweepVerb],
};
