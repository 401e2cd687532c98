interface ProviderSetting {
  /** Its name in a program; in Terraform it is in snake_case. */
  readonly name: string;
  readonly type: "string" | "number" | "boolean";
  readonly doc: string;
  readonly isSensitive?: true;
}

/** Every setting of the provider. Defaults of address, workspace and key come from the environment. */
export const providerSettings: readonly ProviderSetting[] = [
  {
    name: "baseUrl",
    type: "string",
    doc: "Address of the platform's API, ending in `/api/v1`; `embedded` runs it in the provider. Default: `RNV_BASE_URL`.",
  },
  { name: "workspaceId", type: "string", doc: "UUID of the workspace. Default: `RNV_WORKSPACE_ID`." },
  {
    name: "apiKey",
    type: "string",
    doc: "API key of the workspace. Default: `RNV_API_KEY`, or the file that `RNV_API_KEY_FILE` names.",
    isSensitive: true,
  },
  { name: "maxConcurrency", type: "number", doc: "Most requests in flight at once. Default: 64." },
  {
    name: "deletionProtection",
    type: "boolean",
    doc: "True: no plan may delete or replace a project or a service. Default: false.",
  },
  {
    name: "acceptMissing",
    type: "boolean",
    doc: "True: resources that the platform no longer shows are gone, however many. For one apply after they were deleted elsewhere. Default: false.",
  },
];
