import { InvalidArgumentError, Option } from "commander";
import type { FleetVerb } from "../../report/fleet-report";
import { list, options, parseShard, positive, positiveDuration } from "../options";
import { failOn } from "../verbs/drift";
import type { Verb, VerbFamily } from "../verbs/verb";
import type * as joined from "./join-fleet";
import type * as run from "./run-fleet";
import type * as members from "./run-members";

const membersOptions = [
  list("--member <name>", "only this member, or those of a pattern: 'teams/*'"),
  options.stage,
  new Option(
    "--changed-since <ref>",
    "only members of which a file differs from where this branch left it: origin/main",
  ),
  options.untrusted,
];

const shownOptions = [
  new Option("--report <dir>", "also write the report there, for rnv fleet report"),
  new Option("--metrics <file>", "write the numbers there in Prometheus' text format, whole or not at all"),
  options.html,
  options.format,
  options.json,
];

const shard = new Option(
  "--shard <i/n>",
  "the i-th of n parts (else of an Indexed Job with RNV_SHARDS, or of GitLab's parallel jobs)",
).argParser((text) => {
  const parsed = parseShard(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError("Not a part of a whole, such as 1/4 or 4/4.");
});

const runOptions = [
  ...membersOptions,
  shard,
  new Option("--parallelism <n>", "members at once (default: two for each processor)").argParser(positive),
  new Option("--member-timeout <duration>", "how long one member may take before it is ended")
    .argParser(positiveDuration)
    .default(1_800_000, "30m"),
  options.answerTimeout,
  ...shownOptions,
];

const how =
  "A member is a manifest below the folder (rnv.yaml, rnv.yml, rnv/), once for each of its stages, or what rnv.fleet.yaml " +
  "names. Each runs with rnv's own settings, what RNV_ALLOW_ENV lists, and what the fleet file names for it, never with a " +
  "key of another. plan and drift read a workspace once for all members that share its key, in one process; apply, and a " +
  "member that runs programs, has a process of its own. One that fails or takes too long does not stop the others. The exit code is " +
  "the most telling one of all: 130, 1, 3, 7, 5, 4, 6, 8, 2, 0.";

const running = (verb: FleetVerb, about: Pick<Verb, "summary" | "options" | "examples">): Verb => ({
  ...about,
  usage: `${verb} [dir]`,
  readsStages: true,
  detail: how,
  options: [...runOptions, ...(about.options ?? [])],
  // Loads what other verbs do not need with the first that does.
  handler: (invocation) => (require("./run-fleet") as typeof run).runFleet(invocation, verb),
});

const fleetPlanVerb = running("plan", {
  summary: "Plan every manifest below a folder",
  options: [options.detailedExitcode, options.noSecrets],
  examples: [
    ["rnv fleet plan", "all manifests below this folder"],
    ["rnv fleet plan --changed-since origin/main --no-secrets", "in a pull request: what it touches"],
    ["rnv fleet plan --shard 2/4 --report out", "a quarter of them, for rnv fleet report out"],
  ],
});

const fleetDriftVerb = running("drift", {
  summary: "Look for drift of every manifest below a folder",
  options: [failOn(), options.strict],
  examples: [
    ["rnv fleet drift", "all manifests below this folder"],
    ["rnv fleet drift --stage production --format markdown", "one stage, for the summary of a job"],
  ],
});

const fleetApplyVerb = running("apply", {
  summary: "Apply every manifest below a folder",
  options: [options.autoApprove, options.noInput, options.lockTimeout],
  examples: [["rnv fleet apply --auto-approve --changed-since HEAD~1", "what the last commit has touched"]],
});

const joining = () => require("./join-fleet") as typeof joined;

const fleetMatrixVerb: Verb = {
  usage: "matrix [dir]",
  readsStages: true,
  summary: "Print the matrix of a GitHub workflow: a job for each member, or for each shard",
  options: [
    ...membersOptions,
    new Option("--shards <n>", "so many jobs at most, each with a part of the members").argParser(positive),
  ],
  examples: [
    ["rnv fleet matrix --changed-since origin/main", '{"include":[{"member":"shop","folder":"shop"}]}'],
    ["rnv fleet matrix --shards 4", '{"include":[{"shard":"1/4"},…]}'],
  ],
  handler: (invocation) => joining().printMatrix(invocation),
};

const fleetReportVerb: Verb = {
  usage: "report <dir>",
  summary: "Join the reports that shards have written with --report",
  detail: "A member without a result is an error: what did not run must not look clean.",
  options: [options.detailedExitcode, ...shownOptions],
  examples: [["rnv fleet report out --format markdown", "the reports below out, as one"]],
  handler: (invocation) => joining().joinFleet(invocation),
};

const fleetMembersVerb: Verb = {
  usage: "members",
  hidden: true,
  summary: "Run the members that the process of a fleet hands over",
  examples: [["rnv fleet plan", "starts it, for members that share a workspace and a key"]],
  handler: (invocation) => (require("./run-members") as typeof members).runMembers(invocation),
};

export const fleetVerbs: VerbFamily = {
  name: "fleet",
  summary: "Plan, apply or look for drift in many manifests at once, on one machine or several",
  status: "beta",
  verbs: [fleetPlanVerb, fleetDriftVerb, fleetApplyVerb, fleetMatrixVerb, fleetReportVerb, fleetMembersVerb],
};
