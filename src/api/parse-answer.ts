import type { core } from "zod";
import type { DocumentSchema } from "../model/large-document";
import { ApiError } from "./api-error";
import type { About, ApiRequest, ApiResponse, Send } from "./request";
import { newestById, type ResourceVersion } from "./resource-version";
import type { Deletion, Page } from "./wire/shapes";

/**
 * Checks the body of an answer by its wire schema; unknown fields stay. Throws `ApiError` (malformed) that names the
 * path in the body and the form expected there, never the value.
 */
export function parseAnswer<T>(
  schema: DocumentSchema<T>,
  request: ApiRequest,
  response: ApiResponse,
  body: unknown = response.body,
): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [first, ...more] = parsed.error.issues;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  throw malformed(request, response, `${describeIssue(first, body)}${others}`);
}

export interface AnswerReading<T> {
  /** Finds the part of the body that the schema describes. */
  readonly inner?: (body: unknown) => unknown;
  /** Reads the subject of the answer; default: none. */
  readonly about?: (answer: T) => About;
}

/** Sends a request whose answer is read through `schema`. Every `Send` on the way can read the subject of the answer. */
export async function ask<T>(
  send: Send,
  schema: DocumentSchema<T>,
  request: ApiRequest,
  { inner = (body) => body, about }: AnswerReading<T>,
): Promise<T> {
  const aboutBody = (body: unknown): About => {
    const parsed = schema.safeParse(inner(body));
    return parsed.success && about ? about(parsed.data) : {};
  };
  const response = await send(about ? { ...request, about: aboutBody } : request);
  const answer = parseAnswer(schema, request, response, inner(response.body));
  const { mismatch } = about?.(answer) ?? {};
  if (mismatch !== undefined) throw malformed(request, response, mismatch);
  return answer;
}

export type ShownFields = { readonly id: string; readonly name?: string } & Readonly<Record<string, unknown>>;
export type AskedFor = Readonly<Record<string, string | null | undefined>>;

/**
 * Returns a reader of answers that show a resource in `member`, if anything. With another id than that of `asked`, or
 * another field, it is about another resource.
 */
export const shows =
  <Member extends string>(member: Member, asked: AskedFor) =>
  (answer: { readonly [Key in Member]?: ShownFields | undefined }): About => {
    const shown: ShownFields | undefined = answer[member];
    if (shown === undefined) return {};
    const { id } = shown;
    for (const [field, wanted] of Object.entries(asked)) {
      const value = shown[field];
      // A field that was not asked for, or is not shown, tells nothing.
      if (wanted === undefined || value === undefined || isSame(field, value, wanted)) continue;
      return { id, mismatch: `${member}.${field} is not ${JSON.stringify(wanted)}` };
    }
    return { id, name: shown.name };
  };

export const deletionSubject = ({ operation }: Deletion): About => (operation ? { id: operation.id } : {});

/** Compares a field with the value asked for. Ids and keys of variables are the same in any case of letters. */
const isSame = (field: string, shown: unknown, wanted: string | null): boolean =>
  shown === wanted ||
  (typeof shown === "string" && /id$|^key$/i.test(field) && shown.toLowerCase() === wanted?.toLowerCase());

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * Returns the complaint of a schema about a part of a body, never with the value. It names the path, the id of the
 * innermost resource on it, which the dashboard shows, and the form that is expected.
 */
function describeIssue(issue: core.$ZodIssue | undefined, body: unknown): string {
  const { path = [] } = issue ?? {};
  let owner = "";
  let found = body;
  for (const key of path) {
    found = (found as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key];
    const { id } = (found ?? {}) as { readonly id?: unknown };
    if (typeof id === "string" && /^[0-9a-f-]{36}$/i.test(id)) owner = ` of ${id}`;
  }
  const expected = issue?.code === "invalid_type" ? typeWords[issue.expected] : undefined;
  const reason = issue?.code === "custom" ? issue.message : "it has another form";
  const form = expected === undefined ? reason : `it is not ${expected}`;
  return `${path.map(String).join(".") || "the body"}${owner}: ${found === undefined ? "it is missing" : form}`;
}

/** An answer that contradicts the interface although its parts have the right types. */
function malformed(request: ApiRequest, response: ApiResponse, message: string): ApiError {
  const { status, requestId, attempts } = response;
  const text = `the answer is not as documented: ${message}`;
  return new ApiError(request, { kind: "malformed", status, requestId, attempts, message: text });
}

const MAX_PAGES = 1000;

/**
 * Reads a complete list, page after page while the service says that there is more (interface, "Header and parameter
 * rules"). Throws `ApiError` (malformed) if the listing cannot be finished: a short list must never look complete. If an
 * item is on two pages, the newer copy counts.
 */
export async function readPages<T extends ResourceVersion>(
  send: Send,
  request: ApiRequest,
  parse: (response: ApiResponse) => { readonly items: readonly T[]; readonly page?: Page },
): Promise<readonly T[]> {
  const found: T[] = [];
  const cursors = new Set<string>();
  let next = request;
  for (let count = 1; ; count += 1) {
    const response = await send(next);
    const { items, page } = parse(response);
    found.push(...items);
    if (page?.hasMore !== true) return newestById(found);
    const cursor = page.nextCursor;
    if (cursor === null || cursor === "")
      throw malformed(request, response, "page.hasMore is true and page.nextCursor is missing");
    if (cursors.has(cursor)) throw malformed(request, response, "page.nextCursor repeats an earlier cursor");
    if (count >= MAX_PAGES) throw malformed(request, response, `more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    next = { ...request, query: { ...request.query, cursor } };
  }
}
