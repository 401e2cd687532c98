import type { CodeHost, HostIssue } from "../../api/code-host/code-host";

/** An issue as it should stand. */
export interface WantedIssue {
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
 * Brings the one issue of a marker to its text: it is opened, rewritten while there is something to tell, and closed with
 * a comment once there is not. Returns the issue that stands; undefined where none does.
 */
export async function keepIssue(
  host: CodeHost,
  { marker, title, body, farewell }: WantedIssue,
): Promise<HostIssue | undefined> {
  const found = await host.findIssue(marker);
  const whole = body === undefined ? undefined : `${marker}\n${body}`;
  if (found === undefined)
    return whole === undefined ? undefined : host.openIssue(marker, { title, body: whole, labels });
  if (whole !== undefined) return host.updateIssue(found.number, { title, body: whole });
  // Before it is closed: a comment that stands twice says the same, an issue that is closed without a word does not.
  await host.writeComment({ kind: "issue", number: found.number }, marker, `${marker}\n${farewell}`);
  await host.closeIssue(found.number);
  return undefined;
}
