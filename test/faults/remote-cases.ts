import type { Case } from "./cases";
import type { Mishaps } from "./process";
import { type RemoteFault, type RemoteMode, remoteFaults } from "./remote-faults";
import type { RemoteKind } from "./remote-server";
import type { Stage } from "./stage";

const whereOf = ({ scenario }: Stage, kind: RemoteKind): string => `remote ${kind} ${scenario.name}`;

/** Every case of a scenario whose state lies on a server: what befalls the requests to it, and the run between them. */
export function* remoteCasesOf(stage: Stage, kind: RemoteKind): Generator<Case> {
  yield* stateRequestCases(stage, kind);
  yield* killCases(stage, kind);
  yield* rivalCases(stage, kind);
}

function* stateRequestCases(stage: Stage, kind: RemoteKind): Generator<Case> {
  const { scenario, stateRequests } = stage;
  for (const [index, { label, ...request }] of stateRequests.entries()) {
    for (const fault of remoteFaults) {
      if (!fault.applies(request, kind)) continue;
      for (const mode of fault.modes) {
        // No client can distinguish a server without rules that always shows an older state from one that has it.
        if (fault.name === "stale" && mode === "held" && kind === "http-lax") continue;
        yield {
          name: `${whereOf(stage, kind)} ${fault.name} ${mode} #${index} ${label}`,
          scenario: scenario.name,
          fault: `remote ${fault.name} ${mode}`,
          mishaps: () => ({ state: stateMishap(fault, kind, index, mode) }),
        };
      }
    }
  }
}

function stateMishap(fault: RemoteFault, kind: RemoteKind, at: number, mode: RemoteMode): Mishaps["state"] {
  let held: string | undefined;
  return (index, request) => {
    const line = `${request.method} ${request.path}`;
    if (index === at) held = line;
    const hits = index === at || (mode === "held" && line === held) || (mode === "onward" && index > at);
    return hits && fault.applies(request, kind) ? fault : undefined;
  };
}

function* killCases(stage: Stage, kind: RemoteKind): Generator<Case> {
  const { scenario, points } = stage;
  for (const [at, label] of points.entries()) {
    for (const between of [undefined, "later"] as const) {
      const fault = `kill${between === undefined ? "" : ` ${between}`}`;
      yield {
        name: `${whereOf(stage, kind)} ${fault} @${at} ${label}`,
        scenario: scenario.name,
        fault: `remote ${fault}`,
        between,
        mishaps: () => ({ point: (index) => (index === at ? "kill" : undefined) }),
      };
    }
  }
}

function* rivalCases(stage: Stage, kind: RemoteKind): Generator<Case> {
  const { scenario, points } = stage;
  for (const [at, label] of points.entries()) {
    for (const steals of [false, true]) {
      // A server without rules takes a write from whoever sends it; its sender finds out with a look at the lock.
      const isUnguarded = kind === "http-lax" && [label, points[at + 1]].includes("remote POST state <");
      const fault = !steals ? "two at once" : isUnguarded ? "lock stolen before a write" : "lock stolen";
      yield {
        name: `${whereOf(stage, kind)} ${fault} @${at} ${label}`,
        scenario: scenario.name,
        fault: `remote ${fault}`,
        mishaps: () => ({}),
        rival: { at, steals, ...(steals && isUnguarded && { overwrites: true }) },
      };
    }
  }
}
