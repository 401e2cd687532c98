import type { Release } from "../model/live";
import { inertText, shorten } from "./inert";

const shownCommit = 12;
const longestText = 60;

/** `3f2a91c0b7de`; the branch where no commit is known. */
export const commitText = ({ commit, branch }: Pick<Release, "commit" | "branch">): string =>
  inertText(commit?.slice(0, shownCommit) ?? (branch === undefined ? "-" : shorten(branch, longestText)));

/** What is worth a line of its own: why it waits, why it failed, what it brought back. */
export const releaseNote = ({
  status,
  blockedReason,
  error,
  sourceId,
  cancelRequested,
}: Release): string | undefined => {
  if (error !== undefined) return error;
  if (blockedReason !== undefined && status === "queued") return `waits: ${blockedReason}`;
  if (cancelRequested && status !== "cancelled") return "its cancellation was requested";
  return sourceId === undefined ? undefined : `rolled back to the release of ${sourceId}`;
};
