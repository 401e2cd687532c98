import type { Page } from "../api/wire/common";
import type { Call } from "./call";
import { invalid } from "./refusal";

const defaultLimit = 100;
const maxLimit = 200;

interface Listed {
  readonly id: string;
  readonly createdAt: string;
}

/**
 * One page of a list, from a cursor bound to this endpoint and query (interface, "Header and parameter rules").
 * `unboundedByDefault`: without `limit` and `cursor` the complete list is returned.
 */
export function paginate<Item extends Listed>(
  call: Call,
  items: readonly Item[],
  options: { readonly unboundedByDefault: boolean },
): { readonly items: readonly Item[]; readonly page: Page } {
  const limits = call.query.getAll("limit");
  const cursors = call.query.getAll("cursor");
  if (limits.length > 1 || cursors.length > 1) throw invalid("limit and cursor may be given once");
  const [rawLimit] = limits;
  const [cursor] = cursors;
  if (rawLimit === undefined && cursor === undefined && options.unboundedByDefault) {
    return { items, page: { hasMore: false, limit: Math.max(items.length, defaultLimit), nextCursor: null } };
  }
  const limit = readLimit(rawLimit);
  const start = cursor === undefined ? 0 : startAfter(call, items, cursor, limit);
  const slice = items.slice(start, start + limit);
  const last = slice.at(-1);
  const hasMore = start + limit < items.length;
  const nextCursor = hasMore && last !== undefined ? makeCursor(call, last, limit) : null;
  return { items: slice, page: { hasMore, limit, nextCursor } };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) throw invalid(`limit must be an integer from 1 to ${maxLimit}`);
  return limit;
}

const signature = (call: Call, place: string, limit: number): string =>
  call.world.seal.digest(`${call.credential.workspaceId} ${call.path} ${limit} ${place}`).slice(0, 16);

function makeCursor(call: Call, item: Listed, limit: number): string {
  const place = `${item.createdAt}/${item.id}`;
  return Buffer.from(`${place}/${signature(call, place, limit)}`).toString("base64url");
}

/** The cursor names its item and the item's time, so that it survives the item's deletion. */
function startAfter(call: Call, items: readonly Listed[], cursor: string, limit: number): number {
  const [createdAt = "", id = "", proof] = Buffer.from(cursor, "base64url").toString("latin1").split("/");
  if (proof !== signature(call, `${createdAt}/${id}`, limit)) {
    throw invalid("The cursor is invalid for this endpoint and query", "invalid_cursor");
  }
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index + 1;
  const isAscending = (items[0]?.createdAt ?? "") <= (items.at(-1)?.createdAt ?? "");
  const next = items.findIndex((item) =>
    isAscending ? item.createdAt > createdAt : item.createdAt < createdAt,
  );
  return next === -1 ? items.length : next;
}
