import { performance } from "node:perf_hooks";
import { parseJson, type Transport, type WireResponse } from "../../api/transport";
import { memberResult } from "../../commands/fleet";
import { runTargets, type TargetOutcome } from "../../commands/targets";
import { failure } from "../../diagnostics/diagnostic";
import type { FleetMember, FleetVerb } from "../../model/fleet";
import type { MemberResult } from "../../report/fleet-report";
import type { Invocation, OptionValues } from "../invocation";
import { withProfile } from "../profile";
import { annotate, exitCodes } from "../report";
import { resultsOf } from "../targets";
import { applyVerb, showApply } from "../verbs/apply";
import { driftOf, driftVerb, readAccepted } from "../verbs/drift";
import { countedPlan, judgedRequestOf, planVerb } from "../verbs/plan";
import type { Verb } from "../verbs/verb";

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
  // The process of the fleet is gone: what writes ends what is in flight, all else ends at once.
  process.once("disconnect", () => {
    if (verb === "apply" || !hasGroups) process.kill(process.pid, "SIGINT");
    else process.kill(-process.pid, "SIGKILL");
  });
  const tell = (news: MemberNews) => new Promise((done) => send.call(process, news, done));
  const openTransport = targets.length > 1 ? shareAnswers() : undefined;
  const run = async ({ member, cwd, environment }: MemberTarget): Promise<void> => {
    await tell({ name: member.name });
    const startedAt = performance.now();
    let annotations = "";
    const quiet = { ...invocation.terminal, out: () => {}, err: () => {} };
    const used = withProfile(environment, undefined, options.untrusted === true ? undefined : cwd);
    const given = optionsOf(member, options, environment);
    const [{ stacks = { use: "each" as const } }, run] = verbs[verb];
    const named = member.stage === undefined ? [] : ["--stage", member.stage];
    const words = ["rnv", verb, ...member.files.flatMap((file) => ["--file", file]), ...named];
    const own = { ...invocation, ...used, cwd, options: given, terminal: quiet, openTransport };
    const results = await resultsOf({ ...own, commandLine: words.join(" ") }, [member.stage], stacks, run);
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

type Run = (invocation: Invocation) => Promise<TargetOutcome>;

/** How each verb runs in a member, and how it reads what it runs on. */
const verbs: Readonly<Record<FleetVerb, readonly [Verb, Run]>> = {
  plan: [planVerb, (one) => countedPlan(one, judgedRequestOf(one))],
  drift: [driftVerb, (one) => driftOf(one, readAccepted(one))],
  apply: [applyVerb, (one) => showApply(one, judgedRequestOf(one))],
};

/**
 * Returns a function that opens the transport of a member over one that all members of this process share: what one has
 * read, the others are answered with. A member that asks for the same a second time wants what is new, and gets that.
 * The JSON of an answer is parsed once. Every member masks secrets in it by itself, as it does when it runs alone.
 */
function shareAnswers(): (open: () => Transport) => Transport {
  const answers = new Map<string, Promise<WireResponse>>();
  let shared: Transport | undefined;
  return (open) => {
    shared ??= open();
    const transport = shared;
    const asked = new Set<string>();
    const read = (request: Parameters<Transport["send"]>[0]): Promise<WireResponse> => {
      const answer = transport.send(request).then((one) => ({ ...one, json: parseJson(one.body) }));
      answers.set(request.url, answer);
      const forget = (): void => {
        if (answers.get(request.url) === answer) answers.delete(request.url);
      };
      // Only a whole answer is one for others, too.
      answer.then(({ status }) => (status === 200 ? undefined : forget()), forget);
      return answer;
    };
    return {
      send: (request) => {
        if (request.method !== "GET") return transport.send(request);
        const known = asked.has(request.url) ? undefined : answers.get(request.url);
        asked.add(request.url);
        return known ?? read(request);
      },
      close: async () => {},
    };
  };
}
