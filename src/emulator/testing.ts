// `terraform-provider-rnv/testing`: the embedded service for tests of your manifests. Its `store` seeds and changes it
// outside rnv, `setFaults` breaks it, and its `log` lists the requests.
import type { Clock } from "../model/time";

export type { Transport, WireRequest, WireResponse } from "../api/transport";
export type { CatalogAnswer } from "../api/wire/shapes";
export type { Clock } from "../model/time";
export type { Condition, GapSwitches } from "./behaviour";
export {
  createEmulator,
  type Emulator,
  type EmulatorImage,
  type EmulatorOptions,
  embeddedApiKey,
  embeddedWorkspaceId,
  type LoggedRequest,
} from "./emulator";
export type { AnswerBody, Exchange, Fault, FaultKind, FaultPlan, SeenRequest } from "./faults";
export { type EmulatorServer, serveEmulator } from "./http-server";
export type { Lag, Lags, ReadClass } from "./lag";
export type { ReadingName, Readings } from "./readings";
export type {
  AuditEvent,
  Configuration,
  DeploymentStatus,
  StoreChange,
  StoredDeployment,
  StoredEnvironment,
  StoredGroup,
  StoredLayout,
  StoredOperation,
  StoredProject,
  StoredReceipt,
  StoredReference,
  StoredService,
  StoredVariable,
  TableName,
  Tables,
} from "./records";
export type { EmulatorStore, ProjectSeed, ServiceSeed } from "./store";
export type { ApiKey, RateLimit, Role, Seal } from "./world";

export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
}

/**
 * A clock that stands still until moved. With `sleepMoves` a sleep moves it: when nothing else runs, time jumps to the
 * earliest sleeper. Code that polls runs without waiting, in the right order.
 * @example
 * const clock = manualClock();
 * const emulator = createEmulator({ clock });
 * clock.advance(60_000);
 */
export function manualClock(
  options: { readonly start?: number; readonly sleepMoves?: boolean } = {},
): ManualClock {
  let time = options.start ?? Date.UTC(2026, 0, 1);
  let isPumping = false;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  const moveTo = (moment: number): void => {
    time = Math.max(time, moment);
    const due = [...sleepers].filter((sleeper) => sleeper.at <= time).sort((a, b) => a.at - b.at);
    for (const sleeper of due) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const pump = (): void => {
    if (isPumping) return;
    isPumping = true;
    setImmediate(() => {
      isPumping = false;
      if (sleepers.size === 0) return;
      moveTo(Math.min(...[...sleepers].map((sleeper) => sleeper.at)));
      if (sleepers.size > 0) pump();
    });
  };

  return {
    now: () => time,
    elapsed: () => time,
    advance: (milliseconds) => moveTo(time + milliseconds),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (milliseconds <= 0) return void setImmediate(resolve);
        const abort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper = {
          at: time + milliseconds,
          wake: () => {
            signal?.removeEventListener("abort", abort);
            resolve();
          },
        };
        signal?.addEventListener("abort", abort, { once: true });
        sleepers.add(sleeper);
        if (options.sleepMoves) pump();
      }),
  };
}
