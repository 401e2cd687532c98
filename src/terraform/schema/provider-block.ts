import { type Schema, typeOfBlock } from "./block";

/** The provider block. What it leaves out comes from the environment. */
export const providerSchema: Schema = {
  version: 0,
  block: {
    doc: "The workspace that resources live in. Every setting may come from the environment instead.",
    attributes: [
      {
        name: "base_url",
        type: "string",
        doc: "Address of the service, ending in `/api/v1`; `embedded` runs it in the provider. Default: `RNV_BASE_URL`.",
        optional: true,
      },
      {
        name: "workspace_id",
        type: "string",
        doc: "UUID of the workspace. Default: `RNV_WORKSPACE_ID`.",
        optional: true,
      },
      {
        name: "api_key",
        type: "string",
        doc: "API key of the workspace. Default: `RNV_API_KEY`, or the file that `RNV_API_KEY_FILE` names.",
        optional: true,
        sensitive: true,
      },
      {
        name: "max_concurrency",
        type: "number",
        doc: "Most requests in flight at once. Default: 32.",
        optional: true,
      },
      {
        name: "deletion_protection",
        type: "bool",
        doc: "True: no plan may delete or replace a project or a service. Default: false.",
        optional: true,
      },
    ],
    groups: [],
  },
};

export const providerType = typeOfBlock(providerSchema.block);
