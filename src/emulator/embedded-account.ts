/** Workspace of the embedded service. */
export const embeddedWorkspaceId = "00000000-0000-4000-8000-0000000000e1";
/** Owner's key of the embedded service; it opens nothing else. */
export const embeddedApiKey = "rnv_embedded";
