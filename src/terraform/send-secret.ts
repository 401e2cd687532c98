import type { Endpoints } from "../api/endpoints";
import type { Resource } from "../api/reads";
import { type ComparedWrite, mayShareTime, movedTime, timeStepMs } from "../apply/verify";
import type { LiveResource } from "../model/live";
import type { Accepted } from "../model/resource-operations";
import type { Session } from "./session";

export interface SecretWrite {
  readonly type: Resource;
  readonly name: string;
  readonly parentId: string | undefined;
  readonly sent: ComparedWrite["sent"];
  /** The service's `updatedAt` before the write. */
  readonly before: string | undefined;
  /** What the key of the request is made of. */
  readonly seed: string;
}

/** More ignored writes of the same value within a day than anyone makes. */
const mostAttempts = 200;

/**
 * Sends a write of a secret until an answer of its own says whether it took. One that an earlier apply was given may
 * say that it did not; it is retained for 24 hours, and must not hide that the service takes the value now.
 */
export async function sendSecret(
  session: Session,
  write: SecretWrite,
  send: (writes: Endpoints) => Promise<Accepted>,
): Promise<Accepted> {
  const { clock, signal } = session;
  let hasWaited = false;
  for (let attempt = 0; ; attempt += 1) {
    let isReplay = false;
    const text = attempt === 0 ? write.seed : `${write.seed}\0${attempt}`;
    const writes = session.writes({
      text,
      onAnswer: (replayed) => {
        isReplay = replayed;
      },
    });
    const accepted = await send(writes);
    const live = await timedLive(session, write, accepted);
    const answer: Accepted = live === undefined ? accepted : { ...accepted, live };
    if (movedTime(write.before, live?.updatedAt) !== false || attempt === mostAttempts) return answer;
    if (isReplay) continue;
    const taken = live && { type: write.type, sent: write.sent, live, defaults: new Map() };
    const mayShare = taken && mayShareTime({ ...taken, before: write.before }, clock.now());
    if (hasWaited || !mayShare) return answer;
    hasWaited = true;
    await clock.sleep(timeStepMs, signal);
  }
}

/** As the answer shows it, else as it is read: one of them has a time. */
async function timedLive(
  session: Session,
  { type, name, parentId, before }: SecretWrite,
  { id, live }: Accepted,
): Promise<LiveResource | undefined> {
  if (live?.id === id && (movedTime(live.updatedAt, live.updatedAt) !== undefined || before === undefined))
    return live;
  session.reads.invalidate();
  const read = await type.read(session.reads, {
    address: `${type.type}.${id}` as never,
    id,
    name,
    declared: new Map(),
    ...(parentId === undefined ? {} : { parentId }),
  });
  return read.kind === "found" ? read.live : live;
}
