import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";

/** Returns the environment by which rnv reaches an emulator at an address. */
export const settingsOf = (url: string) => ({
  RNV_BASE_URL: url,
  RNV_WORKSPACE_ID: embeddedWorkspaceId,
  RNV_API_KEY: embeddedApiKey,
});
