import { ciDriftVerb } from "./ci-drift";
import type { VerbFamily } from "./verb";

/** `rnv ci …` */
export const ciVerbs: VerbFamily = {
  name: "ci",
  summary: "What jobs of GitHub Actions, GitLab and others run",
  description:
    "What jobs run: they tell pull requests, issues, channels and monitors what rnv finds and does.",
  verbs: [ciDriftVerb],
};
