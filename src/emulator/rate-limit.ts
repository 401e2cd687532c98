import type { Clock } from "../model/clock";
import { Refusal } from "./refusal";

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
}

/** Counts requests per credential in fixed windows; throws 429 with `Retry-After` above the limit. */
export function createRateLimiter(
  clock: Clock,
  limit: RateLimit | undefined,
): (credentialId: string) => void {
  const windows = new Map<string, { start: number; count: number }>();
  return (credentialId) => {
    if (limit === undefined) return;
    const now = clock.now();
    const length = limit.perSeconds * 1000;
    const open = windows.get(credentialId);
    const current = open === undefined || now - open.start >= length ? { start: now, count: 0 } : open;
    windows.set(credentialId, current);
    current.count += 1;
    if (current.count <= limit.requests) return;
    const seconds = Math.max(1, Math.ceil((current.start + length - now) / 1000));
    throw new Refusal(429, "rate_limited", "The request rate limit is reached", {
      "retry-after": String(seconds),
    });
  };
}
