import { performance } from "node:perf_hooks";
import { memberResult } from "../../commands/fleet/member-result";
import { shareAnswers } from "../../commands/fleet/share-answers";
import { runTargets, type TargetOutcome } from "../../commands/targets";
import { failure } from "../../diagnostics/diagnostic";
import type { FleetMember, FleetVerb } from "../../model/fleet";
import type { MemberResult } from "../../report/fleet-report";
import type { Invocation, OptionValues } from "../invocation";
import { withProfile } from "../profile";
import { annotate, exitCodes } from "../report";
import { resultsOf } from "../targets";
import { applyVerb, showApply } from "../verbs/apply";
import { driftOf, driftVerb, isWhole, readAccepted } from "../verbs/drift";
import { countedPlan, judgedRequestOf, planVerb } from "../verbs/plan";

/** A member, and what its run is given. */
export interface MemberTarget {
  readonly member: FleetMember;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** The members that a process is to run; sent to it as its first message. */
export interface MembersJob {
  readonly verb: FleetVerb;
  readonly options: OptionValues;
  readonly parallelism: number;
  readonly targets: readonly MemberTarget[];
}

/** A message of that process: a member begins, or has ended with a result. */
export interface MemberNews {
  readonly name: string;
  readonly result?: MemberResult;
  /** Lines for GitHub Actions beside the lines of the pull request. */
  readonly annotations?: string;
}

/** Windows has no groups of processes. */
export const hasGroups = process.platform !== "win32";

/** `rnv fleet members`: runs the members that the process of the fleet hands over, and sends it their results. */
export async function runMembers(invocation: Invocation): Promise<number> {
  const { send } = process;
  if (send === undefined) throw failure("command.usage", "rnv fleet plan, drift and apply start this verb");
  const { verb, options, parallelism, targets } = await new Promise<MembersJob>((resolve) =>
    process.once("message", (job) => resolve(job as MembersJob)),
  );
  process.once("disconnect", () => endWithFleet(verb));
  const tell = (news: MemberNews) => new Promise((done) => send.call(process, news, done));
  const openTransport = targets.length > 1 ? shareAnswers() : undefined;
  const run = async ({ member, cwd, environment }: MemberTarget): Promise<void> => {
    await tell({ name: member.name });
    const startedAt = performance.now();
    let annotations = "";
    const quiet = { ...invocation.terminal, out: () => {}, err: () => {} };
    const used = withProfile(environment, undefined, options.untrusted === true ? undefined : cwd);
    const given = optionsOf(member, options, environment);
    const { run, reading } = verbs[verb];
    const words = ["rnv", verb, ...member.files.flatMap((file) => ["--file", file])];
    const commandLine = [...words, ...(member.stage === undefined ? [] : ["--stage", member.stage])].join(
      " ",
    );
    const own = { ...invocation, ...used, cwd, options: given, terminal: quiet, openTransport, commandLine };
    const results = await resultsOf(own, [member.stage], reading, run);
    const outcomes = results.map(({ outcome }) => outcome);
    const screen = { terminal: { ...quiet, err: (text: string) => (annotations += text) }, environment, cwd };
    for (const { diagnostics, sources } of outcomes) annotate(screen, diagnostics, sources);
    const seconds = (performance.now() - startedAt) / 1000;
    const result = memberResult(verb, member, outcomes, seconds);
    await tell({ name: member.name, result, annotations });
  };
  await runTargets(targets, run, { parallelism, signal: invocation.signal });
  return exitCodes.done;
}

/** Called when the process of the fleet is gone: what writes ends what is in flight, all else ends at once. */
function endWithFleet(verb: FleetVerb): void {
  if (verb === "apply" || !hasGroups) process.kill(process.pid, "SIGINT");
  else process.kill(-process.pid, "SIGKILL");
}

const optionsOf = (
  { files, stage }: FleetMember,
  options: OptionValues,
  environment: MemberTarget["environment"],
): OptionValues => ({
  ...options,
  // It prints no text, asks nothing, and keeps the limit of requests that the verb alone has.
  ...{ json: true, autoApprove: true, parallelism: 10 },
  ...(files.length > 0 && { file: files }),
  ...(stage !== undefined && { stage }),
  ...(environment.RNV_UNTRUSTED?.trim() === "1" && { untrusted: true }),
});

const planMember = (invocation: Invocation): Promise<TargetOutcome> =>
  countedPlan(invocation, judgedRequestOf(invocation));

async function driftOfMember(invocation: Invocation): Promise<TargetOutcome> {
  const { report, ...outcome } = await driftOf(invocation, readAccepted(invocation));
  return { ...outcome, ...(report && isWhole(outcome) && { report }) };
}

const applyMember = (invocation: Invocation): Promise<TargetOutcome> =>
  showApply(invocation, judgedRequestOf(invocation));

const verbs = {
  plan: { run: planMember, reading: planVerb.stacks ?? { use: "each" } },
  drift: { run: driftOfMember, reading: driftVerb.stacks ?? { use: "each" } },
  apply: { run: applyMember, reading: applyVerb.stacks ?? { use: "each" } },
} as const;
