import { shownPath } from "../../declaration/project-files";
import { failure } from "../../diagnostics/diagnostic";
import { codeSpan } from "../../report/escape-text";
import { repositoryPath } from "../screen";
import { argument, defineVerb } from "../verb";
import { promoteInto, promoteOptions } from "../verbs/promote";
import { withHost } from "./host";
import { readJob } from "./job";

export const ciPromoteVerb = defineVerb({
  name: "promote",
  arguments: { address: argument("[address]", "the service to promote") },
  scope: "none",
  summary: "Open a pull request that pins in a stage what runs in another",
  detail:
    "`rnv promote`, which writes the overlay by the API of the code host in place of the file: to a branch of its own, " +
    "with one commit, and one pull request (merge request), which the next run rewrites. It needs the token of an app or a " +
    "project: what a job's own token opens starts no other job, and so no plan.",
  options: promoteOptions,
  examples: [["rnv ci promote --all --from staging --to production", "by hand, or each night"]],
  run: (given, { target, screen }) =>
    promoteInto(given, { target, screen }, async ({ overlay, text, from, to, promotions }) => {
      const { cwd, environment } = target;
      const { commit, base, pullWord } = readJob(environment, cwd);
      const file = repositoryPath(shownPath(overlay, cwd), cwd, environment);
      const lines = promotions.map((one) => `- ${codeSpan(one.address)}: commit ${codeSpan(one.commit)}`);
      const opened = await withHost(screen, async (host) => {
        if (commit === undefined || base === undefined || file === undefined) return undefined;
        const title = `Promote ${from} to ${to}`;
        const branch = `rnv-promote-${from}-to-${to}`.replaceAll("/", "-");
        return host.propose({ branch, base, commit, file, text, title, body: `${lines.join("\n")}\n` });
      });
      if (opened === undefined)
        throw failure("config.missing", `no ${pullWord} was opened: this is not the job of a branch`, {
          hint: "run it in a job of GitHub Actions or GitLab on the branch to merge to, with the token of an app as GITHUB_TOKEN or RNV_GITLAB_TOKEN",
        });
      screen.terminal.tell(`\nOpened ${pullWord} ${opened.number}.\n`);
    }),
});
