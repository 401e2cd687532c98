import type { Send } from "../../src/api/request";
import type { Context } from "../../src/commands/context";
import type { StateSession } from "../../src/state/backend";

export interface Death {
  /** The process dies with its nth write to the service, counted from 1. */
  readonly write: number;
  /** Whether the service had committed it by then. */
  readonly when: "before" | "after";
}

export interface DyingContext {
  readonly context: Context;
  /** Resolves at its death. What it had on its way has arrived by then, and its lock is free. */
  readonly died: Promise<void>;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** A context whose process ends in the middle of a run: from then on nothing that it does has any effect. */
export function dyingContext(context: Context, death: Death): DyingContext {
  let writes = 0;
  let isDead = false;
  let session: StateSession | undefined;
  let tellDeath = () => {};
  const onTheWay = new Set<Promise<unknown>>();

  /** Takes place unless the process is dead; its answer is dropped when it died meanwhile. */
  const whileAlive = async <T>(act: () => Promise<T>): Promise<T> => {
    if (isDead) return never();
    const acting = act();
    const settled = acting.then(
      () => {},
      () => {},
    );
    onTheWay.add(settled);
    await settled;
    onTheWay.delete(settled);
    return isDead ? never() : acting;
  };
  const dying =
    (send: Send): Send =>
    async (request, options) => {
      if (request.method === "GET") return send(request, options);
      writes += 1;
      if (writes === death.write) {
        if (death.when === "after") await send(request, options).catch(() => undefined);
        isDead = true;
        tellDeath();
      }
      return whileAlive(() => send(request, options));
    };
  const died = new Promise<void>((resolve) => {
    tellDeath = resolve;
  }).then(async () => {
    while (onTheWay.size > 0) await Promise.all(onTheWay);
    await session?.release();
  });
  return {
    died,
    context: {
      ...context,
      connect: async () => {
        const connection = await context.connect();
        return { ...connection, send: dying(connection.send) };
      },
      backend: {
        ...context.backend,
        lock: async (holder, timeoutMs) => {
          const held = await context.backend.lock(holder, timeoutMs);
          session = held;
          return {
            get state() {
              return held.state;
            },
            isFormOutdated: held.isFormOutdated,
            append: (entries, options) => whileAlive(() => held.append(entries, options)),
            commit: (state) => whileAlive(() => held.commit(state)),
            erase: () => whileAlive(() => held.erase()),
            release: () => whileAlive(() => held.release()),
          };
        },
      },
    },
  };
}
