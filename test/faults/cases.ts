import { type Lags, readClasses } from "../../src/emulator/lag";
import type { Machine } from "./machine";
import type { Mishaps, RequestMishap } from "./process";
import { remoteFaults } from "./remote-faults";
import type { RemoteKind } from "./remote-server";
import { outages, type RequestFault, requestFaults } from "./request-faults";
import type { Stage } from "./stage";

/** What befalls the first run of a scenario, and what the world looks like for those after it. */
export interface Case {
  /** Says all there is to know: the same name gives the same trace. */
  readonly name: string;
  readonly scenario: string;
  /** The kind of thing that goes wrong, for tables. */
  readonly fault: string;
  readonly mishaps: (machine: Machine) => Mishaps;
  /** It begins a second after the last run; otherwise everything is settled by then. */
  readonly young?: true;
  /** What happens between the first run and the next. */
  readonly between?: "power-cut" | "torn" | "later" | "earlier" | "another-key" | "minutes";
  /** Meant to change what is live behind our back. */
  readonly foreign?: boolean;
  /** The service itself tells something untrue: what was made is known to it alone until the next run looks. */
  readonly lies?: boolean;
  /** A stop that must come: the code that the first run ends with. */
  readonly says?: string;
  /** The code that the case must end with: only a person can decide. */
  readonly ends?: string;
  /**
   * What a list left out was asked for by a write, which moved its time, and the run ended before that was recorded:
   * it looks changed, and is deployed again.
   */
  readonly mayRedeploy?: true;
  /** How far our clock is ahead of the service's, milliseconds: in the first run, and in those after it. */
  readonly clocks?: readonly [first: number, next: number];
  /** How far reads are behind writes, in every run; what is desired is then applied twice more, at once. */
  readonly lag?: Lags;
  /** Another run takes the lock while this one stands still. */
  readonly rival?: Rival;
}

interface Rival {
  readonly at: number;
  readonly steals: boolean;
  /** What the rival wrote may be replaced: where a server takes any write, the run that goes on learns of it too late. */
  readonly overwrites?: true;
}

/** Someone makes another service of a name, before the canvas was read for the first time. */
const isSecondTaken = ({ name }: RequestFault, requests: readonly string[], index: number): boolean =>
  name === "foreign-take-before" && index <= requests.findIndex((label) => label.endsWith("canvas"));

/** A read by id is told that there is nothing. */
export const isDenied = ({ name }: RequestFault, method: string | undefined): boolean =>
  name === "404" && method === "GET";

/** `held`: the same request fails however often it is sent again; `onward`: so does all that follows. */
export type Mode = "once" | "held" | "onward";

/** Names of a case: the table of faults says where the state is on a server, and a case on which kind. */
const named = ({ scenario, remote }: Stage, fault: string, place: string) => ({
  name: `${remote === undefined ? "" : `remote ${remote} `}${scenario.name} ${fault} ${place}`,
  scenario: scenario.name,
  fault: `${remote === undefined ? "" : "remote "}${fault}`,
});

/** What its write makes can be listed. */
export const isLookedFor = ({ scenario: { name } }: Stage): boolean => !/restart|suspend|resume/.test(name);

/** A verb reports any other conflict of keys as uncertain. */
const isSaid = (stage: Stage, { name }: RequestFault): boolean =>
  !isVerb(stage) || (name === "409-idempotency" && isLookedFor(stage));

/** Something is done once, whatever the manifest says: another plan repairs nothing for it. */
export const isVerb = ({ scenario: { command } }: Stage): boolean => typeof command === "object";

/** Of how many cases one is played a second time, a second after the last run. */
const youngShare = 12;

/** Every case of a scenario, settled; and some of them, and every lag, young as well. */
export function* casesOf(stage: Stage): Generator<Case> {
  let index = 0;
  for (const one of settledCasesOf(stage)) {
    yield one;
    index += 1;
    const where = `${stage.scenario.name} `;
    const isTwin = one.lag !== undefined || index % youngShare === 0;
    if (isTwin) yield youngOf(one, where);
  }
}

/** The same a second after the last run, and the next run at once. */
const youngOf = (one: Case, where: string): Case => ({
  ...one,
  name: one.name.replace(where, `${where}young `),
  young: true,
  ...(one.between === "minutes" && { between: undefined }),
});

function* settledCasesOf(stage: Stage): Generator<Case> {
  if (stage.remote !== undefined) yield* stateRequestCases(stage, stage.remote);
  else yield* requestCases(stage);
  if (stage.remote === undefined && !isVerb(stage)) yield* lagCases(stage);
  yield* killCases(stage);
  if (stage.remote === undefined) yield* diskCases(stage);
  // Whoever asks for it while another one does asks for it twice.
  if (!isVerb(stage)) yield* rivalCases(stage);
}

/** The catalog does not change while a case is played. */
export const laggingClasses = readClasses.filter((name) => name !== "catalog");

/** Reads behind writes: of each class alone and of all together, by time and by count. */
function* lagCases({ scenario }: Stage): Generator<Case> {
  const lags: readonly Lags[] = [
    ...[20, 300, 1500].map((ms) => ({ all: { ms } })),
    { all: { reads: 1 } },
    ...laggingClasses.flatMap((name) => [{ [name]: { ms: 1500 } }, { [name]: { reads: 1 } }]),
    // A replica that has stopped.
    { all: { ms: hour } },
  ];
  for (const lag of lags) {
    const [[name, how] = []] = Object.entries(lag);
    yield {
      name: `${scenario.name} lag ${name} ${JSON.stringify(how)}`,
      ...{ scenario: scenario.name, fault: `lag ${name}`, lag },
      mishaps: () => ({}),
    };
  }
  for (const ms of [0, 300, 1500])
    for (const clocks of differentClocks)
      yield {
        name: `${scenario.name} clocks ${clocks.map((ahead) => `${ahead / minute}m`).join(" ")} lag ${ms}`,
        ...{ scenario: scenario.name, fault: "clocks", lag: { all: { ms } }, clocks },
        mishaps: () => ({}),
      };
}

const minute = 60_000;
const hour = 60 * minute;

/** Of two runs: one clock that is wrong, and two that differ. */
const differentClocks = [
  [5 * minute, 5 * minute],
  [-5 * minute, -5 * minute],
  [5 * minute, -5 * minute],
  [-hour, hour],
] as const;

function* requestCases(stage: Stage): Generator<Case> {
  const { scenario, requests } = stage;
  for (const [index, label] of requests.entries()) {
    const [method = "", path = ""] = label.split(" ");
    for (const fault of requestFaults) {
      if (fault.foreign && isVerb(stage)) continue;
      if (fault.applies && !fault.applies({ method, path })) continue;
      const modes: Mode[] = fault.onward ? [] : fault.foreign ? ["once"] : ["once", "held"];
      if (scenario.hidden && isDenied(fault, method)) modes.splice(1);
      // What was never recorded and is left out of every list looks like what is not there: it is unknown.
      if (fault.lies && scenario.adopt && method === "GET") modes.splice(1);
      else if (outages.includes(fault.name)) modes.push("onward");
      for (const mode of modes) {
        yield {
          ...named(stage, `${fault.name} ${mode}`, `#${index} ${label}`),
          foreign: fault.foreign,
          lies: fault.lies,
          // What others delete right after our write is believed two minutes later (DESIGN section 5).
          ...(fault.name.startsWith("foreign-delete") && { between: "minutes" as const }),
          ...(fault.says && { says: isSaid(stage, fault) ? fault.says : "apply.uncertain" }),
          // Two bear the name of what is to be adopted.
          ...(scenario.adopt && isSecondTaken(fault, requests, index) && { ends: "live.ambiguous" }),
          mishaps: () => ({ request: requestMishap(fault, index, mode) }),
        };
      }
    }
  }
}

/** True for the requests that a fault at one of them hits. */
function hitting(at: number, mode: Mode): (index: number, line: string) => boolean {
  let held: string | undefined;
  return (index, line) => {
    if (index === at) held = line;
    return index === at || (mode === "held" && line === held) || (mode === "onward" && index > at);
  };
}

export function requestMishap(fault: RequestFault, at: number, mode: Mode): Mishaps["request"] {
  const isHit = hitting(at, mode);
  return (index, request): RequestMishap | undefined => {
    const isMet = isHit(index, `${request.method} ${request.path}?${request.query} ${request.body}`);
    if (!isMet || fault.applies?.(request) === false) return undefined;
    return { name: fault.name, fault: fault.fault?.(request), rewrite: fault.rewrite };
  };
}

/** Cases of the requests to the server of the state. */
function* stateRequestCases(stage: Stage, kind: RemoteKind): Generator<Case> {
  for (const [index, { label, ...request }] of stage.stateRequests.entries())
    for (const fault of remoteFaults.filter(({ applies }) => applies(request, kind)))
      for (const mode of fault.modes) {
        // No client can distinguish a server without rules that always shows an older state from one that has it.
        if (fault.name === "stale" && mode === "held" && kind === "http-lax") continue;
        yield {
          ...named(stage, `${fault.name} ${mode}`, `#${index} ${label}`),
          mishaps: () => {
            const isHit = hitting(index, mode);
            return {
              state: (at, sent) =>
                isHit(at, `${sent.method} ${sent.path}`) && fault.applies(sent, kind) ? fault : undefined,
            };
          },
        };
      }
}

const afterKill = [undefined, "power-cut", "torn", "later", "earlier", "another-key"] as const;

function* killCases(stage: Stage): Generator<Case> {
  for (const [at, label] of stage.points.entries()) {
    for (const between of stage.remote === undefined ? afterKill : ([undefined, "later"] as const)) {
      // Whoever asks for it a day later wants it again.
      if (isVerb(stage) && (between === "later" || between === "earlier")) continue;
      yield {
        ...named(stage, `kill${between === undefined ? "" : ` ${between}`}`, `@${at} ${label}`),
        between,
        mishaps: () => ({ point: (index) => (index === at ? "kill" : undefined) }),
      };
    }
  }
}

const diskFaults = ["ENOSPC", "EIO", "EROFS", "short"] as const;

function* diskCases(stage: Stage): Generator<Case> {
  for (let at = 0; at < stage.diskCalls; at += 1) {
    for (const code of diskFaults) {
      for (const mode of ["once", "onward"] as const) {
        for (const between of [undefined, "power-cut"] as const) {
          yield {
            ...named(stage, `disk ${code} ${mode}${between ? ` ${between}` : ""}`, `#${at}`),
            between,
            mishaps: () => ({
              disk: (index) =>
                index === at || (mode === "onward" && index > at)
                  ? code === "short"
                    ? { short: true }
                    : { code }
                  : undefined,
            }),
          };
        }
      }
    }
  }
}

function* rivalCases(stage: Stage): Generator<Case> {
  const { points, remote } = stage;
  for (const [at, label] of points.entries()) {
    for (const steals of [false, true]) {
      // A server without rules takes a write from whoever sends it; its sender finds out with a look at the lock.
      const overwrites =
        steals && remote === "http-lax" && [label, points[at + 1]].includes("remote POST state <");
      const fault = !steals ? "two at once" : overwrites ? "lock stolen before a write" : "lock stolen";
      yield {
        ...named(stage, fault, `@${at} ${label}`),
        mishaps: () => ({}),
        rival: { at, steals, ...(overwrites && { overwrites }) },
      };
    }
  }
}
