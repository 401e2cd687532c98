import type { WaitEvent } from "../api/retry";
import { elapsedText } from "../render/elapsed-text";

/** Tells people that a run waits for somebody else: nothing is worse than a terminal that says nothing. */
export interface Waiting {
  /** Watches one request: how long none of them has been answered. */
  readonly during: <T extends { readonly status: number }>(request: () => Promise<T>) => Promise<T>;
  /** A request will be sent again later. */
  readonly onWait: (event: WaitEvent) => void;
  readonly close: () => void;
}

export interface WaitingOptions {
  /** Whom the run waits for: the host of the service. */
  readonly host: string;
  readonly say: (line: string) => void;
  readonly now: () => number;
  /** Calls back again and again until the function it returned is called. */
  readonly every: (milliseconds: number, callback: () => void) => () => void;
}

/** Milliseconds without an answer after which it is said, and said again. */
const patience = [10_000, 30_000, 60_000];
const lastPatience = 60_000;
const lookMilliseconds = 1000;

/** Says after ten seconds that nothing was answered, after thirty again, and from then on each minute. */
export function watchWaiting({ host, say, now, every }: WaitingOptions): Waiting {
  let underWay = 0;
  let since = 0;
  let told = 0;
  let again: { readonly reason: string; readonly until: number } | undefined;
  let stop: (() => void) | undefined;

  const isAnyLeft = (): boolean => underWay > 0 || (again !== undefined && again.until > now());
  const end = (): void => {
    stop?.();
    stop = undefined;
  };
  const look = (): void => {
    if (!isAnyLeft()) {
      end();
      return;
    }
    const waited = now() - since;
    if (waited < (patience[told] ?? lastPatience * (told - 1))) return;
    told += 1;
    const time = elapsedText(Math.floor(waited / 1000));
    const what =
      underWay > 0 ? `no answer yet to ${counted(underWay)}` : `${again?.reason}; it is asked again`;
    say(`Waiting for ${host}: ${what} [${time}]`);
  };
  const begin = (): void => {
    if (stop !== undefined) return;
    answered();
    stop = every(lookMilliseconds, look);
  };
  const answered = (): void => {
    since = now();
    told = 0;
    again = undefined;
  };
  return {
    during: async (request) => {
      begin();
      underWay += 1;
      try {
        const answer = await request();
        // What is asked to come later is not served.
        if (answer.status < 500 && answer.status !== 429) answered();
        return answer;
      } finally {
        underWay -= 1;
      }
    },
    onWait: ({ reason, seconds }) => {
      begin();
      again = { reason, until: now() + seconds * 1000 };
    },
    close: end,
  };
}

const counted = (requests: number): string => (requests === 1 ? "1 request" : `${requests} requests`);
