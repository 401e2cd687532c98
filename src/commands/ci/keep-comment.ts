import { ApiError, diagnosticOf } from "../../api/api-error";
import type { CodeHost, Discussion, HostComment } from "../../api/code-host/code-host";
import { isMarked } from "../../api/code-host/code-host";
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
