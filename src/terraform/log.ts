import type { WaitEvent } from "../api/retry";
import type { Transport } from "../api/transport";
import type { ProcessEnvironment } from "../model/target-location";
import type { Clock } from "../model/time";

/** Levels as Terraform names them, the most telling first. */
const levels = ["trace", "debug", "info", "warn", "error"] as const;
type LogLevel = (typeof levels)[number];

/** `rpc`: calls of Terraform. `http`: requests to the platform. `wait`: reasons for a pause in requests. */
type LogSubsystem = "rpc" | "http" | "wait";

/** Fields of a line. Never a header, a body or a value of a configuration. */
type LogFields = Readonly<Record<string, string | number | undefined>>;

/** Writes a line of a subsystem, where its level is asked for. */
export type Log = (subsystem: LogSubsystem, level: LogLevel, message: string, fields?: LogFields) => void;

/**
 * Returns the log of a plugin: a line of JSON in the form of go-plugin for each message, which Terraform shows under
 * `TF_LOG` and `TF_LOG_PROVIDER`. `TF_LOG_PROVIDER_RNV_HTTP` sets the level of one subsystem. Without any of them nothing is written.
 */
export function createLog(
  environment: ProcessEnvironment,
  clock: Clock,
  writeLine: (line: string) => void,
): Log {
  const least = (subsystem: LogSubsystem): number => {
    const own = environment[`TF_LOG_PROVIDER_RNV_${subsystem.toUpperCase()}`];
    return rankOf(own || environment.TF_LOG_PROVIDER || environment.TF_LOG || "off");
  };
  const ranks = { rpc: least("rpc"), http: least("http"), wait: least("wait") };
  return (subsystem, level, message, fields = {}) => {
    if (levels.indexOf(level) < ranks[subsystem]) return;
    const entry = {
      "@level": level,
      "@message": message,
      "@module": `rnv.${subsystem}`,
      "@timestamp": timestamp(clock.now()),
      ...fields,
    };
    writeLine(`${JSON.stringify(entry)}\n`);
  };
}

/** `JSON` is everything in another form; a word that is no level is, as Terraform takes it, everything too. */
function rankOf(word: string): number {
  if (word.toLowerCase() === "off") return levels.length;
  return Math.max(0, levels.indexOf(word.toLowerCase() as LogLevel));
}

/** go-plugin reads six digits of a second, no more and no fewer. */
const timestamp = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");

function stopwatch(clock: Clock): () => { readonly duration_ms: number } {
  const begun = clock.elapsed();
  return () => ({ duration_ms: Math.round(clock.elapsed() - begun) });
}

export function loggedTransport(transport: Transport, log: Log, clock: Clock): Transport {
  return {
    close: () => transport.close(),
    send: async (request) => {
      const { method, url, headers } = request;
      const fields = { method, path: new URL(url).pathname, request_id: headers["x-request-id"] ?? "" };
      const duration = stopwatch(clock);
      log("http", "trace", "sending a request", fields);
      try {
        const response = await transport.send(request);
        const { status } = response;
        const level = status >= 500 ? "warn" : "debug";
        log("http", level, "a request was answered", { ...fields, status, ...duration() });
        return response;
      } catch (failure) {
        const { reason = "unknown" } = failure as { readonly reason?: string };
        log("http", "warn", "a request was not answered", { ...fields, reason, ...duration() });
        throw failure;
      }
    },
  };
}

export const loggedWaits =
  (log: Log) =>
  ({ operation, reason, seconds }: WaitEvent): void =>
    log("wait", "info", "waiting before the next request", { operation, reason, seconds });

/** Carries a call out and tells how it ended: which method, for which type, how long, with how many errors and warnings. */
export async function loggedCall<Answer extends object>(
  log: Log,
  clock: Clock,
  { method, typeName }: { readonly method: string; readonly typeName?: string },
  carryOut: () => Promise<Answer>,
): Promise<Answer> {
  const fields = { rpc: method, resource_type: typeName };
  const duration = stopwatch(clock);
  log("rpc", "trace", "a call began", fields);
  const answer = await carryOut();
  const { diagnostics = [] } = answer as { readonly diagnostics?: readonly { readonly severity?: number }[] };
  const count = (wanted: number): number => diagnostics.filter(({ severity }) => severity === wanted).length;
  const [errors, warnings] = [count(1), count(2)];
  log("rpc", errors > 0 ? "warn" : "debug", "a call ended", { ...fields, ...duration(), errors, warnings });
  return answer;
}
