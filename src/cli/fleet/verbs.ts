import { argument, parsed, pick, positive } from "../options";
import { usage } from "../screen";
import { defineVerb, type VerbFamily } from "../verb";
import { folder, membersOptions, runOptions, shownOptions } from "./options";
import type * as run from "./run-fleet";
import type * as members from "./run-members";

const how =
  "A member is a manifest below the folder (rnv.yaml, rnv.yml, rnv/), once for each of its stages, or what rnv.fleet.yaml " +
  "names. Each runs with rnv's own settings, what RNV_ALLOW_ENV lists, and what the fleet file names for it, never with a " +
  "key of another. plan and drift read a workspace once for all members that share its key, in one process; apply, and a " +
  "member that runs programs, has a process of its own. One that fails or takes too long does not stop the others. The exit code is " +
  "the most telling one of all: 130, 1, 3, 7, 5, 4, 6, 8, 2, 0.";

const onMembers = { arguments: folder, detail: how } as const;

// Loaded late: other verbs do not need it.
const running = () => require("./run-fleet") as typeof run;

const fleetPlanVerb = defineVerb({
  name: "plan",
  ...onMembers,
  summary: "Plan every manifest below a folder",
  options: { ...runOptions, ...pick("detailedExitcode", "secrets") },
  examples: [
    ["rnv fleet plan --changed-since origin/main --no-secrets", "in a pull request: what it touches"],
    ["rnv fleet plan --shard 2/4 --report out", "a quarter of them, for rnv fleet report out"],
  ],
  run: (given, run) => running().runFleet("plan", given, run),
});

const fleetDriftVerb = defineVerb({
  name: "drift",
  ...onMembers,
  summary: "Look for drift of every manifest below a folder",
  options: { ...runOptions, ...pick("failOn", "strict") },
  examples: [["rnv fleet drift --stage production --format markdown", "one stage, for the summary of a job"]],
  run: (given, run) => running().runFleet("drift", given, run),
});

const fleetApplyVerb = defineVerb({
  name: "apply",
  ...onMembers,
  summary: "Apply every manifest below a folder",
  options: { ...runOptions, ...pick("autoApprove", "input", "lockTimeoutMs") },
  examples: [["rnv fleet apply --auto-approve --changed-since HEAD~1", "what the last commit has touched"]],
  run: async (given, run) => {
    if (given.autoApprove) return running().runFleet("apply", given, run);
    throw usage(
      "a fleet does not ask while it applies",
      "look at rnv fleet plan, then give --auto-approve; deletions are confirmed by removed: in the manifests",
    );
  },
});

const fleetMatrixVerb = defineVerb({
  name: "matrix",
  arguments: folder,
  summary: "Print the matrix of a GitHub workflow: a job for each member, or for each shard",
  options: {
    ...membersOptions,
    shards: parsed("--shards <n>", "so many jobs at most, each with a part of the members", positive),
  },
  examples: [
    ["rnv fleet matrix --changed-since origin/main", '{"include":[{"member":"shop","folder":"shop"}]}'],
    ["rnv fleet matrix --shards 4", '{"include":[{"shard":"1/4"},…]}'],
  ],
  run: async (given, run) => running().printMatrix(given, run),
});

const fleetReportVerb = defineVerb({
  name: "report",
  arguments: { dir: argument("<dir>") },
  summary: "Join the reports that shards have written with --report",
  detail: "A member without a result is an error: what did not run must not look clean.",
  options: { ...pick("detailedExitcode"), ...shownOptions },
  examples: [["rnv fleet report out --format markdown", "the reports below out, as one"]],
  run: async (given, { screen }) => running().joinFleet(given, screen),
});

const fleetMembersVerb = defineVerb({
  name: "members",
  hidden: true,
  summary: "Run the members that the process of a fleet hands over",
  examples: [["rnv fleet plan", "starts it, for members that share a workspace and a key"]],
  run: (_, { screen }) => (require("./run-members") as typeof members).runMembers(screen),
});

export const fleetVerbs: VerbFamily = {
  name: "fleet",
  summary: "Plan, apply or look for drift in many manifests at once, on one machine or several",
  status: "beta",
  verbs: [fleetPlanVerb, fleetDriftVerb, fleetApplyVerb, fleetMatrixVerb, fleetReportVerb, fleetMembersVerb],
};
