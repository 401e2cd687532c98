import type { PullRequest } from "../../api/code-host/code-host";
import { askHost } from "../ci-job";
import type { Invocation } from "../invocation";
import { type Kept, sweepOptions, sweepStage } from "./sweep";
import type { Verb } from "./verb";

export const ciSweepVerb: Verb = {
  usage: "sweep",
  summary: "Destroy the previews of pull requests that are closed",
  detail:
    "`rnv stage sweep` with the open pull requests (merge requests) of the code host as what stays: an instance is kept while a " +
    "number in its id is that of an open one (preview/12, preview/pr-12), or its id is the branch of one. An instance without " +
    "a number is no preview of a pull request, and stays. Where the list cannot be read nothing is destroyed.",
  readsStages: true,
  options: sweepOptions,
  examples: [
    ["rnv ci sweep --stage preview", "each night, and when a pull request is closed"],
    ["rnv ci sweep --stage preview --dry-run", "what would go"],
    ["rnv ci sweep --stage preview --ids 12,13", "where a state over https cannot list the instances"],
  ],
  handler: runCiSweep,
};

function runCiSweep(invocation: Invocation): Promise<number> {
  // A job cannot ask.
  return sweepStage({ ...invocation, options: { ...invocation.options, autoApprove: true } }, keptByHost);
}

async function keptByHost(invocation: Invocation): Promise<Kept> {
  const open = await askHost(invocation, (host) => host.openPullRequests());
  const ageMs = invocation.options.olderThan as number | undefined;
  return { keeps: isKeptBy(open), ...(ageMs !== undefined && { ageMs }) };
}

/** Returns whether the id of an instance is that of an open pull request, or of none at all. */
export function isKeptBy(open: readonly Pick<PullRequest, "number" | "branch">[]): (id: string) => boolean {
  const numbers = new Set(open.map(({ number }) => number));
  const branches = new Set(open.flatMap(({ branch }) => [branch, slugOf(branch)]));
  return (id) => {
    const found = id.match(/\d+/g)?.map(Number) ?? [];
    return found.length === 0 || found.some((number) => numbers.has(number)) || branches.has(id);
  };
}

/** A branch as GitLab and others write it into a name. */
const slugOf = (branch: string): string =>
  branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
