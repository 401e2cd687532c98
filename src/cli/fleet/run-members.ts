import { once, setMaxListeners } from "node:events";
import { join } from "node:path";
import { parseJson, type Transport, type WireRequest, type WireResponse } from "../../api/transport";
import { endedMember, memberResult } from "../../commands/fleet";
import { runTargets, type TargetOutcome } from "../../commands/targets";
import { failure } from "../../diagnostics/diagnostic";
import type { FleetMember } from "../../manifest/beside/find-fleet";
import type { FleetVerb } from "../../report/fleet-report";
import type { Invocation, OptionValues } from "../invocation";
import { withProfile } from "../profile";
import { exitCodes } from "../report";
import { resultsOf } from "../targets";
import { applyVerb, showApply } from "../verbs/apply";
import { driftOf, driftVerb, readAccepted } from "../verbs/drift";
import { countedPlan, judgedRequestOf, planVerb } from "../verbs/plan";
import type { Verb } from "../verbs/verb";

/** The members that a process is to run; sent to it as its first message. */
export interface MembersJob {
  readonly verb: FleetVerb;
  readonly options: OptionValues;
  readonly parallelism: number;
  readonly root: string;
  readonly members: readonly FleetMember[];
}

/** `rnv fleet members`: runs the members that the process of the fleet hands over, and sends it the result of each. */
export async function runMembers(invocation: Invocation): Promise<number> {
  const { send } = process;
  if (send === undefined) throw failure("command.usage", "rnv fleet plan, drift and apply start this verb");
  const { verb, options, parallelism, root, members } = await new Promise<MembersJob>((resolve) =>
    process.once("message", (job) => resolve(job as MembersJob)),
  );
  // The process of the fleet is gone: what writes ends what is in flight, all else ends at once.
  process.once("disconnect", () => {
    if (verb === "apply") process.kill(process.pid, "SIGINT");
    else process.kill(-process.pid, "SIGKILL");
  });
  const openTransport = members.length > 1 ? shareAnswers(invocation.signal) : undefined;
  const runMember = async (member: FleetMember): Promise<void> => {
    const late = AbortSignal.timeout(member.timeoutMs);
    const signal = AbortSignal.any([invocation.signal, late]);
    // Every request in flight listens; that many listeners are no leak.
    setMaxListeners(0, signal);
    const cwd = join(root, member.manifest);
    const own = invocationOf({ ...invocation, options, openTransport, signal, cwd }, member, verb);
    const [{ stacks = { use: "each" as const } }, run] = verbs[verb];
    const result = memberResult(verb, member, await resultsOf(own, [member.stage], stacks, run));
    const isLate = result.status === "interrupted" && !invocation.signal.aborted;
    const told = isLate ? endedMember(verb, member, "timeout", result) : result;
    await new Promise((done) => send.call(process, told, done));
  };
  await runTargets(members, runMember, { parallelism, signal: invocation.signal });
  return exitCodes.done;
}

function invocationOf(given: Invocation, member: FleetMember, verb: FleetVerb): Invocation {
  const { stage, environment } = member;
  const folder = given.options.untrusted === true ? undefined : given.cwd;
  return {
    ...given,
    ...withProfile(environment, undefined, folder),
    terminal: { ...given.terminal, out: () => {}, err: () => {} },
    commandLine: ["rnv", verb, ...(stage === undefined ? [] : ["--stage", stage])].join(" "),
    options: {
      ...given.options,
      // It asks nothing, and keeps the limit of requests that the verb alone has.
      ...{ json: true, autoApprove: true, parallelism: 10, stage },
    },
  };
}

const verbs: Readonly<Record<FleetVerb, readonly [Verb, (one: Invocation) => Promise<TargetOutcome>]>> = {
  plan: [planVerb, (one) => countedPlan(one, judgedRequestOf(one))],
  drift: [driftVerb, (one) => driftOf(one, readAccepted(one))],
  apply: [applyVerb, (one) => showApply(one, judgedRequestOf(one))],
};

/**
 * Returns a function that opens the transport of a member over one that all members of this process share: what one has
 * read, the others are answered with. A member that asks for the same a second time wants what is new, and gets that.
 * The JSON of an answer is parsed once. Every member masks secrets in it by itself, as it does when it runs alone.
 */
function shareAnswers(signal: AbortSignal): (open: () => Transport) => Transport {
  const answers = new Map<string, Promise<WireResponse>>();
  let shared: Transport | undefined;
  return (open) => {
    shared ??= open();
    const transport = shared;
    const asked = new Set<string>();
    const read = (request: WireRequest): Promise<WireResponse> => {
      // Others wait for it too, when the time of the member that asks first is over.
      const sent = transport.send({ ...request, signal });
      const answer = sent.then((one) => ({ ...one, json: parseJson(one.body) }));
      answers.set(request.url, answer);
      // Only a whole answer is one for others, too.
      const forget = () => answers.delete(request.url);
      answer.then(({ status }) => status === 200 || forget(), forget);
      return answer;
    };
    return {
      send: (request) => {
        const { method, url, signal: own } = request;
        if (method !== "GET") return transport.send(request);
        const answer = (asked.has(url) ? undefined : answers.get(url)) ?? read(request);
        asked.add(url);
        const aborted = own && once(own, "abort").then(() => Promise.reject(own.reason));
        return aborted ? Promise.race([answer, aborted]) : answer;
      },
      close: async () => {},
    };
  };
}
