import { diagnosticOf } from "../../api/api-error";
import { type HostComment, type HostIssue, markerIn } from "../../api/code-host/code-host";
import type { CodeHost } from "../../api/code-host/create-host";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { groupBy } from "../../report/order";

export const discussionOf = (number: number) => ({ kind: "pull request", number }) as const;

interface WantedComment {
  /** It begins with its marker. */
  readonly body: string;
  /** It is worth no comment of its own: only one that stands already is rewritten. */
  readonly isQuiet: boolean;
  /** Says of the one that stands that it stays. */
  readonly unless?: (body: string) => boolean;
}

export class StaleCommentError extends DiagnosticsError {
  constructor(pull: string, cause: unknown) {
    const { code, summary, hint } = diagnosticOf(cause);
    super([
      error(code, `${pull} still shows the comment of an older run: ${summary}`, {
        hint: hint ?? "Run the job again.",
      }),
    ]);
  }
}

/**
 * Brings the one comment of each marker to its text: the one that stands is rewritten, and a new one is written only where
 * there is none. Others of the same marker, such as of two jobs at once, are no longer found by it. All else of ours gets what
 * `textOf` returns for its marker. The list is asked for once: it may be long.
 */
export async function keepComments(
  host: CodeHost,
  pullRequest: number,
  wanted: readonly WantedComment[],
  textOf: (marker: string) => string | undefined = () => undefined,
): Promise<void> {
  const own = await host.findComments(discussionOf(pullRequest));
  const marked = groupBy(own, ({ body }) => markerIn(body));
  const all = wanted.map((one) => ({ ...one, standing: marked.get(markerIn(one.body)) ?? [] }));
  const markers = new Set(wanted.map(({ body }) => markerIn(body)));
  const others = own.flatMap((one): typeof all => {
    const marker = markerIn(one.body);
    const body = markers.has(marker) ? undefined : textOf(marker ?? "");
    return body === undefined ? [] : [{ body, isQuiet: true, standing: [one] }];
  });
  await keepEach([...all, ...others], (one) => keepComment(host, pullRequest, one));
}

/** Keeps each of `all`: one that fails stops no other. The failure that is thrown at the end is that of a stale comment first. */
async function keepEach<T>(all: readonly T[], keep: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await keep(one).catch((cause: unknown) => failures.push(cause));
  if (failures.length > 0) throw failures.find((cause) => cause instanceof StaleCommentError) ?? failures[0];
}

async function keepComment(
  host: CodeHost,
  pullRequest: number,
  { body, isQuiet, unless, standing }: WantedComment & { readonly standing: readonly HostComment[] },
): Promise<void> {
  const at = discussionOf(pullRequest);
  const [first, ...others] = standing;
  try {
    for (const { id } of others)
      await host.rewriteComment(at, id, "*This comment is out of date: a newer run keeps the first one.*\n");
    if (first === undefined) {
      if (!isQuiet) await host.writeComment(at, body);
    } else if (first.body !== body && unless?.(first.body) !== true)
      await host.rewriteComment(at, first.id, body);
  } catch (cause) {
    throw first === undefined ? cause : new StaleCommentError(`${host.pullWord} ${pullRequest}`, cause);
  }
}

interface WantedIssue {
  /** The hidden line that it is found by. */
  readonly marker: string;
  readonly title: string;
  /** It begins with the marker. Undefined once there is nothing to tell any more: the issue that stands is closed. */
  readonly body?: string | undefined;
  /** The comment with which it is closed. */
  readonly farewell: string;
}

/**
 * Brings the one issue of each marker to its text: it is opened, rewritten while there is something to tell, and closed
 * with a comment once there is not. One of what is no longer declared is closed with what `farewellTo` returns for its marker.
 * The list is asked for once. What fails stops no other, and is thrown at the end.
 */
export async function keepIssues(
  host: CodeHost,
  wanted: readonly WantedIssue[],
  farewellTo: (marker: string) => string | undefined,
): Promise<void> {
  if (wanted.length === 0) return;
  const own = await host.findIssues();
  const shown = wanted.map((one) => [one, own.find(({ body }) => markerIn(body) === one.marker)] as const);
  const left = own.flatMap((issue) => {
    const marker = markerIn(issue.body) ?? "";
    const farewell = farewellTo(marker);
    return farewell === undefined ? [] : [[{ marker, title: "", farewell }, issue] as const];
  });
  await keepEach([...shown, ...left], ([one, standing]) => keepIssue(host, one, standing));
}

async function keepIssue(
  host: CodeHost,
  { marker, title, body, farewell }: WantedIssue,
  standing: HostIssue | undefined,
): Promise<void> {
  if (standing === undefined) {
    if (body !== undefined) await host.openIssue({ title, body, labels: ["rnv-drift"] });
    return;
  }
  const { number } = standing;
  if (body !== undefined) {
    await host.updateIssue(number, { title, body });
    return;
  }
  // Before it is closed: a duplicated comment says the same, an issue that is closed without a word does not.
  await host.writeComment({ kind: "issue", number }, `${marker}\n${farewell}`);
  await host.closeIssue(number);
}
