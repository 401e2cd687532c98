import { fork } from "node:child_process";

/** The settings of the emulator of a measurement. */
export interface ServiceOptions {
  readonly latencyMs?: number;
  readonly rateLimit?: { readonly requests: number; readonly perSeconds: number };
  readonly deploySeconds?: number;
}

/** One write as the service saw it: milliseconds of its own clock, from arrival to answer. */
export interface Writes {
  readonly at: number;
  readonly end: number;
  readonly status: number;
  readonly isCreate: boolean;
}

export interface ServiceReport {
  readonly writes: readonly Writes[];
  /** Addresses. */
  readonly reads: readonly string[];
}

export interface BenchService {
  readonly env: Readonly<Record<string, string>>;
  /** The requests since the last report. */
  report(): Promise<ServiceReport>;
  /** Answers after so many milliseconds from now on. */
  delay(latencyMs: number): void;
  stop(): Promise<void>;
}

/** Starts an emulator in a process of its own; `script` is the bundled `service-process.ts`. */
export async function startService(script: string, options: ServiceOptions = {}): Promise<BenchService> {
  const child = fork(script, [JSON.stringify(options)], { execArgv: [] });
  const next = (kind: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        const found = message as Record<string, unknown>;
        if (found.kind !== kind) return;
        child.off("message", onMessage);
        resolve(found);
      };
      child.on("message", onMessage);
      child.once("exit", (code) => reject(new Error(`the emulator of the measurement ended: ${code}`)));
    });
  const ready = await next("ready");
  return {
    env: ready.env as Record<string, string>,
    report: async () => {
      const answer = next("report");
      child.send("report");
      return (await answer).report as ServiceReport;
    },
    delay: (latencyMs) => void child.send(latencyMs),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.removeAllListeners("exit");
        child.once("exit", () => resolve());
        child.kill();
      }),
  };
}
