import { diagnosticOf } from "../../api/api-error";
import { type HostComment, type HostIssue, markerIn } from "../../api/code-host/code-host";
import type { CodeHost } from "../../api/code-host/create-host";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { groupBy } from "../../model/collections";

export const discussionOf = (number: number) => ({ kind: "pull request", number }) as const;

interface WantedComment {
  /** It begins with its marker. */
  readonly body: string;
  /** An existing comment is rewritten, and no new comment written. */
  readonly isQuiet: boolean;
  /** True if the existing comment stays as it is. */
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
 * Rewrites the first comment of each marker, or writes a comment if there is none. Further comments of that marker, as of two
 * jobs at once, lose the marker. Our other comments get the text that `textOf` returns for theirs. Reads the list once: it
 * may be long.
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

/** Keeps all, and throws the failure of a stale comment at the end, else the first failure. */
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
 * Opens or rewrites the issue of each marker, and closes an issue without a body with a comment. Other issues of ours are
 * closed with the comment that `farewellTo` returns for their marker. Reads the list once. A failure stops no other
 * issue, and is thrown at the end.
 */
export async function keepIssues(
  host: CodeHost,
  wanted: readonly WantedIssue[],
  farewellTo: (marker: string) => string | undefined,
): Promise<void> {
  if (wanted.length === 0) return;
  const own = await host.findIssues();
  const shown = wanted.map((one) => [one, own.find(({ body }) => markerIn(body) === one.marker)] as const);
  const others = own.flatMap((issue) => {
    const marker = markerIn(issue.body) ?? "";
    const farewell = farewellTo(marker);
    return farewell === undefined ? [] : [[{ marker, title: "", farewell }, issue] as const];
  });
  await keepEach([...shown, ...others], ([one, standing]) => keepIssue(host, one, standing));
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
