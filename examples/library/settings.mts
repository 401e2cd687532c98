/** The settings of this service, which its operator gives it. */
export function settings() {
  const { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY: apiKey } = process.env;
  if (!baseUrl || !workspaceId || !apiKey)
    throw new Error("RNV_BASE_URL, RNV_WORKSPACE_ID or RNV_API_KEY is not set");
  return { baseUrl, workspaceId, apiKey };
}
