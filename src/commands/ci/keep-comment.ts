import type { CodeHost, Discussion, HostComment } from "../../api/code-host/code-host";

/** A comment as it should stand. */
interface WantedComment {
  readonly marker: string;
  readonly body: string;
  /** It is worth no comment of its own: only one that stands already is rewritten. */
  readonly isQuiet: boolean;
}

/**
 * Brings the one comment of a marker to its text: the one that stands is rewritten, and a new one is written only where
 * there is none. Others of the same marker, such as of two jobs at once, are no longer found by it. Undefined where
 * none stands.
 */
export async function keepComment(
  host: CodeHost,
  at: Discussion,
  { marker, body, isQuiet }: WantedComment,
): Promise<HostComment | undefined> {
  const [first, ...others] = await host.findComments(at, marker);
  for (const { id } of others)
    await host.rewriteComment(at, id, "*This comment is out of date: a newer run keeps the first one.*\n");
  if (first === undefined) return isQuiet ? undefined : host.writeComment(at, marker, body);
  return first.body === body ? first : host.rewriteComment(at, first.id, body);
}
