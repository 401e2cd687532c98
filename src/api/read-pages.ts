import { malformed } from "./parse-answer";
import type { ApiRequest, ApiResponse, Send } from "./send";
import type { Page } from "./wire/common";

const MAX_PAGES = 1000;

export interface ListedPage<T> {
  readonly items: readonly T[];
  readonly page?: Page;
}

/**
 * The complete list: asked for without `limit` and `cursor`, then page after page while the service says that there
 * is more (interface, "Header and parameter rules"). A listing that cannot be finished throws `ApiError` (malformed),
 * because a short list must never look like a complete one.
 */
export async function readPages<T extends { readonly id: string }>(
  send: Send,
  request: ApiRequest,
  parse: (response: ApiResponse) => ListedPage<T>,
): Promise<readonly T[]> {
  const found = new Map<string, T>();
  const cursors = new Set<string>();
  let next = request;
  for (let count = 1; ; count += 1) {
    const response = await send(next);
    const { items, page } = parse(response);
    // A thing that moved to a later page while we read is one thing.
    for (const item of items) found.set(item.id, item);
    if (page?.hasMore !== true) return [...found.values()];
    const cursor = page.nextCursor;
    if (cursor === null || cursor === "")
      throw malformed(request, response, "page.hasMore is true and page.nextCursor is missing");
    if (cursors.has(cursor)) throw malformed(request, response, "page.nextCursor repeats an earlier cursor");
    if (count >= MAX_PAGES) throw malformed(request, response, `more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    next = { ...request, query: { ...request.query, cursor } };
  }
}
