import { once, setMaxListeners } from "node:events";
import { RateLimiter } from "../../api/rate-limiter";
import { parseJson, type Transport, type WireRequest, type WireResponse } from "../../api/transport";
import { endedMember, memberResult } from "../../commands/fleet";
import { runTargets } from "../../commands/targets";
import type { FleetMember } from "../../manifest/beside/find-fleet";
import { programRunner } from "../../manifest/text/run-program";
import { systemClock } from "../../model/time";
import type { FleetVerb } from "../../report/fleet-report";
import type { Run, TargetEnd } from "../open-target";
import { options, type SharedValues } from "../options";
import { withProfile } from "../profile";
import { resultsOf } from "../run-targets";
import { type Screen, usage } from "../screen";
import type { Request } from "../target";
import { applyVerb, showApply } from "../verbs/apply";
import { driftOf, driftVerb } from "../verbs/drift";
import { countedPlan, planRequestOf, planVerb } from "../verbs/plan";

/** The first message to a process: the members that it runs. */
export interface MembersJob extends Pick<Request, "untrusted" | "answerTimeoutMs"> {
  readonly verb: FleetVerb;
  readonly given: SharedValues;
  /** Members at the same time. */
  readonly parallelism: number;
  readonly maxConcurrency: number;
  readonly members: readonly FleetMember[];
}

/** Runs the members that the process of the fleet sends, and sends back the result of each. */
export async function runMembers({ signal: interruption, terminal }: Screen): Promise<undefined> {
  const { send } = process;
  if (send === undefined) throw usage("rnv fleet plan, drift and apply start this verb");
  const job = await new Promise<MembersJob>((resolve) => process.once("message", resolve));
  const { verb, members, untrusted, answerTimeoutMs } = job;
  const words = `rnv ${verb}`;
  // The process of the fleet ended: an apply finishes requests in flight, other verbs stop.
  process.once("disconnect", () => {
    if (verb === "apply") process.kill(process.pid, "SIGINT");
    else process.kill(-process.pid, "SIGKILL");
  });
  const limiter = new RateLimiter(systemClock, job.maxConcurrency);
  const openTransport = members.length > 1 ? shareAnswers(interruption) : undefined;
  const runMember = async (member: FleetMember): Promise<void> => {
    const { cwd, stage } = member;
    const late = AbortSignal.timeout(member.timeoutMs);
    const signal = AbortSignal.any([interruption, late]);
    // Every request in flight listens: no leak.
    setMaxListeners(0, signal);
    const request = {
      ...withProfile(member.environment, undefined, untrusted ? undefined : cwd),
      cwd,
      openTransport,
      runProgram: programRunner({ signal }),
      commandLine: stage === undefined ? words : `${words} --stage ${stage}`,
      verb: words,
      rules: verbs[verb],
      takesTargets: true,
      words: [],
      files: [],
      stacks: [],
      untrusted,
      answerTimeoutMs,
      limiter,
    };
    const { environment } = request;
    const silent = { ...terminal, out: () => {}, err: () => {} };
    const results = await resultsOf({
      request,
      stages: [stage],
      screen: { terminal: silent, environment, cwd, signal, format: "json", input: false },
      run: (run) => runVerb(job, run),
    });
    const result = memberResult(verb, member, results);
    const isLate = result.status === "interrupted" && late.aborted && !interruption.aborted;
    const final = isLate ? endedMember(verb, member, "timeout", result) : result;
    await new Promise((done) => send.call(process, final, done));
  };
  await runTargets(members, runMember, { parallelism: job.parallelism, signal: interruption });
}

const verbs = { plan: planVerb, drift: driftVerb, apply: applyVerb };

async function runVerb({ verb, given }: MembersJob, run: Run): Promise<TargetEnd> {
  if (verb === "drift") return driftOf(run, given);
  const request = planRequestOf(given, run.target);
  if (verb === "plan") return countedPlan(run, request);
  // The fleet's `parallelism` is that of members.
  return showApply(run, { ...given, parallelism: options.parallelism.absent }, request);
}

/**
 * Returns a function that wraps the shared transport for a member. Members get the answers of each other's reads; a
 * member that repeats a read gets a new answer. The JSON of an answer is parsed once. Each member masks secrets itself.
 */
function shareAnswers(signal: AbortSignal): (open: () => Transport) => Transport {
  const answers = new Map<string, Promise<WireResponse>>();
  let shared: Transport | undefined;
  return (open) => {
    shared ??= open();
    const transport = shared;
    const asked = new Set<string>();
    const read = (request: WireRequest): Promise<WireResponse> => {
      // Other members wait for the answer, even after the timeout of the first.
      const sent = transport.send({ ...request, signal });
      const answer = sent.then((answer) => ({ ...answer, json: parseJson(answer.body) }));
      answers.set(request.url, answer);
      // Share complete answers only.
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
