import { ApiError, diagnosticOf } from "../../api/api-error";
import {
  type CodeHost,
  type Discussion,
  type HostComment,
  type HostIssue,
  isMarked,
} from "../../api/code-host/code-host";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";

/** A comment as it should stand. */
interface WantedComment {
  readonly marker: string;
  readonly body: string;
  /** It is worth no comment of its own: only one that stands already is rewritten. */
  readonly isQuiet: boolean;
  /** Says of the one that stands that it stays. */
  readonly unless?: (body: string) => boolean;
}

/** A comment of an older run is still there, and could not be rewritten. */
export class StaleCommentError extends DiagnosticsError {
  constructor({ kind, number }: Discussion, cause: unknown) {
    const { code, summary, hint } = diagnosticOf(cause);
    super([
      error(code, `${kind} ${number} still shows the comment of an older run: ${summary}`, {
        hint: hint ?? "Run the job again.",
      }),
    ]);
  }
}

/**
 * Brings the one comment of each marker to its text: the one that stands is rewritten, and a new one is written only where
 * there is none. Others of the same marker, such as of two jobs at once, are no longer found by it. The list is asked for
 * once: it may be long.
 */
export async function keepComments(
  host: CodeHost,
  at: Discussion,
  wanted: readonly WantedComment[],
): Promise<void> {
  const own = await host.findComments(at);
  const failures: unknown[] = [];
  for (const one of wanted) {
    const standing = own.filter(({ body }) => isMarked(body, one.marker));
    await keepComment(host, at, one, standing).catch((cause) =>
      failures.unshift(standing.length > 0 ? new StaleCommentError(at, cause) : cause),
    );
  }
  if (failures.length > 0) throw failures[0];
}

async function keepComment(
  host: CodeHost,
  at: Discussion,
  { marker, body, isQuiet, unless }: WantedComment,
  [first, ...others]: readonly HostComment[],
): Promise<void> {
  for (const { id } of others)
    await host.rewriteComment(at, id, "*This comment is out of date: a newer run keeps the first one.*\n");
  if (first !== undefined && (first.body === body || unless?.(first.body) === true)) return;
  const isRewritten = first !== undefined && (await rewrite(host, at, first.id, body));
  if (!isRewritten && (!isQuiet || first !== undefined)) await host.writeComment(at, marker, body);
}

/** Returns whether the comment is still there: another user may have deleted it since it was listed. */
async function rewrite(host: CodeHost, at: Discussion, id: string, body: string): Promise<boolean> {
  try {
    await host.rewriteComment(at, id, body);
    return true;
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return false;
    throw cause;
  }
}

/** An issue as it should stand. */
interface WantedIssue {
  /** The hidden line that it is found by. */
  readonly marker: string;
  readonly title: string;
  /** Undefined once there is nothing to tell any more: the issue that stands is closed. */
  readonly body?: string | undefined;
  /** The comment with which it is closed. */
  readonly farewell: string;
}

const labels = ["rnv-drift"];

/**
 * Brings the one issue of each marker to its text: it is opened, rewritten while there is something to tell, and closed
 * with a comment once there is not. The list is asked for once. What fails stops no other, and is thrown at the end.
 */
export async function keepIssues(host: CodeHost, wanted: readonly WantedIssue[]): Promise<void> {
  if (wanted.length === 0) return;
  const own = await host.findIssues();
  const failures: unknown[] = [];
  for (const one of wanted) {
    const standing = own.find(({ body }) => isMarked(body, one.marker));
    await keepIssue(host, one, standing).catch((cause) => failures.push(cause));
  }
  if (failures.length > 0) throw failures[0];
}

async function keepIssue(
  host: CodeHost,
  { marker, title, body, farewell }: WantedIssue,
  standing: HostIssue | undefined,
): Promise<void> {
  const whole = body === undefined ? undefined : `${marker}\n${body}`;
  if (standing === undefined) {
    if (whole !== undefined) await host.openIssue(marker, { title, body: whole, labels });
    return;
  }
  const { number } = standing;
  if (whole !== undefined) {
    await host.updateIssue(number, { title, body: whole });
    return;
  }
  // Before it is closed: a duplicated comment says the same, an issue that is closed without a word does not.
  await host.writeComment({ kind: "issue", number }, marker, `${marker}\n${farewell}`);
  await host.closeIssue(number);
}
