import type { CodeHost, HostIssue } from "../../api/code-host/code-host";
import { isMarked } from "../../api/code-host/code-host";

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
