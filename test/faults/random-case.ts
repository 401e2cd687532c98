import type { Lag, Lags } from "../../src/emulator/lag";
import { type Case, isDenied, isVerb, laggingClasses, requestMishap } from "./cases";
import type { Machine } from "./machine";
import type { Mishaps } from "./process";
import { createRandom, type Random } from "./random";
import { type RequestFault, requestFaults } from "./request-faults";
import type { Stage } from "./stage";

/** One of the things that go wrong in a random case; each can be left out, and the others stay as they are. */
interface Part {
  /** As it stands in the name of a cell. */
  readonly name: string;
  readonly lag?: Lags;
  readonly between?: Case["between"];
  readonly lies?: true;
  readonly young?: true;
  readonly mishaps?: (machine: Machine) => Mishaps;
}

export interface RandomCase {
  readonly stage: Stage;
  readonly one: Case;
  readonly parts: readonly Part[];
}

type Draw = (stage: Stage, random: Random, isFirst: boolean) => Part;

/** Several faults at once, all of them from one number. The first one has a place that the run comes to. */
export function randomCase(stages: readonly Stage[], seed: number): RandomCase {
  const random = createRandom(seed);
  const stage = random.pick(stages);
  const parts: Part[] = [];
  const lags = random.below(2) === 0;
  const isYoung = random.below(4) === 0;
  const draws: Draw[] = [request, kill, disk, lie];
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const [draw] = draws.splice(random.below(draws.length), 1);
    if (draw !== undefined) parts.push(draw(stage, random, parts.length === 0));
    if (parts.length === 1) draws.push(unrest);
  }
  if (lags) parts.push(lag(random));
  // What is young is read in another order: a lie might not be met, nor what comes after it.
  if (isYoung && parts[0]?.lies !== true && stage.scenario.name !== "archived-outside")
    parts.push({ name: "young", young: true });
  return { stage, parts, one: caseOf(stage, `seed ${seed}`, parts) };
}

/** What remains of a random case with some of its parts. */
export function caseOf({ scenario }: Stage, name: string, parts: readonly Part[]): Case {
  const lags = parts.flatMap((part) => part.lag ?? []);
  return {
    name,
    scenario: scenario.name,
    fault: `seed${lags.length > 0 ? " with lag" : ""}`,
    between: parts.find(({ between }) => between !== undefined)?.between,
    ...(parts.some(({ lies }) => lies) && { lies: true }),
    ...(parts.some(({ name }) => /-list/.test(name)) &&
      parts.some(({ name }) => /^(kill|disk|404)/.test(name)) && { mayRedeploy: true as const }),
    ...(parts.some(({ young }) => young) && { young: true }),
    ...(lags.length > 0 && { lag: Object.assign({}, ...lags) as Lags }),
    mishaps: (machine) => {
      const all = parts.flatMap((part) => part.mishaps?.(machine) ?? []);
      return {
        request: (index, seen) => firstOf(all, (mishaps) => mishaps.request?.(index, seen)),
        disk: (index, call) => firstOf(all, (mishaps) => mishaps.disk?.(index, call)),
        point: (index, label) => firstOf(all, (mishaps) => mishaps.point?.(index, label)),
      };
    },
  };
}

/** Each is asked, so that what it counts does not depend on the others. */
const firstOf = <T>(all: readonly Mishaps[], ask: (mishaps: Mishaps) => T | undefined): T | undefined =>
  all.map(ask).find((answer) => answer !== undefined);

const isAllowed = (fault: RequestFault): boolean => !fault.foreign && !fault.onward;

/** One request of the run, and a fault that makes sense for it. */
function place(stage: Stage, random: Random, faults: readonly RequestFault[]) {
  const places = stage.requests.flatMap((label, at) => {
    const [method = "", path = ""] = label.split(" ");
    const fitting = faults.filter(({ applies }) => !applies || applies({ method, path }));
    return fitting.length === 0 ? [] : [{ at, fitting }];
  });
  const { at, fitting } = random.pick(places);
  return { at, fault: random.pick(fitting) };
}

const request: Draw = (stage, random) => {
  const faults = requestFaults.filter((fault) => isAllowed(fault) && !fault.lies);
  const { at, fault } = place(stage, random, faults);
  const picked = random.pick(["once", "held"] as const);
  const [method] = stage.requests[at]?.split(" ") ?? [];
  const mode = stage.scenario.hidden && isDenied(fault, method) ? "once" : picked;
  return { name: fault.name, mishaps: () => ({ request: requestMishap(fault, at, mode) }) };
};

/** Once: who is lied to for good cannot know better. */
const lie: Draw = (stage, random) => {
  const faults = requestFaults.filter((fault) => isAllowed(fault) && fault.lies);
  const { at, fault } = place(stage, random, faults);
  return { name: fault.name, lies: true, mishaps: () => ({ request: requestMishap(fault, at, "once") }) };
};

/** Faults that a run gets over, at any of its requests. */
const passing =
  /^(refuse|reset|timeout|429|500-before|500-after$|502|503|504|redirect|malformed|truncate|empty$|html|bare-object|twice)/;

const unrest: Draw = (_stage, random) => {
  const faults = requestFaults.filter(({ name }) => passing.test(name));
  const rate = random.pick([0.05, 0.2, 0.5]);
  const seed = random.below(2 ** 31);
  return {
    name: "unrest",
    mishaps: () => {
      const { next, pick } = createRandom(seed);
      return {
        request: (_index, seen) => {
          if (next() >= rate) return undefined;
          const fault = pick(faults);
          if (fault.applies && !fault.applies(seen)) return undefined;
          return { name: fault.name, fault: fault.fault?.(seen), rewrite: fault.rewrite };
        },
      };
    },
  };
};

const afterKill = [undefined, undefined, "power-cut", "torn", "later", "earlier", "another-key"] as const;

const kill: Draw = (stage, random, isFirst) => {
  const at = random.below(stage.points.length * (isFirst ? 1 : 2));
  const picked = random.pick(afterKill);
  // Whoever asks for it a day later wants it again.
  const isAskedAgain = isVerb(stage) && (picked === "later" || picked === "earlier");
  const between = isAskedAgain ? undefined : picked;
  return {
    name: `kill${between === undefined ? "" : ` ${between}`}`,
    ...(between && { between }),
    mishaps: () => ({ point: (index) => (index === at ? "kill" : undefined) }),
  };
};

const diskCodes = ["ENOSPC", "EIO", "EROFS", "short"] as const;

/** Once, from then on, or now and then. */
const disk: Draw = (stage, random, isFirst) => {
  const at = random.below(stage.diskCalls * (isFirst ? 1 : 2));
  const code = random.pick(diskCodes);
  const mode = random.pick(["once", "onward", "often"] as const);
  const seed = random.below(2 ** 31);
  return {
    name: `disk ${code}`,
    mishaps: () => {
      const { next } = createRandom(seed);
      return {
        disk: (index) => {
          const isMore = mode === "onward" ? index > at : mode === "often" && next() < 0.05;
          if (index !== at && !isMore) return undefined;
          return code === "short" ? { short: true } : { code };
        },
      };
    },
  };
};

const hows: readonly Lag[] = [
  { ms: 20 },
  { ms: 300 },
  { ms: 1500 },
  { ms: 10_000 },
  // Nothing is promised of reads that are behind for longer than two minutes (DESIGN section 5).
  ...[1, 2, 4].map((reads) => ({ reads, atMostMs: 60_000 })),
];

const lag = (random: Random): Part => {
  const kind = random.below(3);
  if (kind === 0) return { name: "lag all", lag: { all: random.pick(hows) } };
  const [first, second] = [random.pick(laggingClasses), random.pick(laggingClasses)];
  if (kind === 1) return { name: `lag ${first}`, lag: { [first]: random.pick(hows) } };
  return { name: "lag several", lag: { [first]: random.pick(hows), [second]: random.pick(hows) } };
};
