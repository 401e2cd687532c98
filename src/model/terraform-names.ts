import type { ResourceType } from "./resource-type";

export const terraformPrefix = "rnv";

/** The resource that is a map of variables, which manifests and constructs of rnv write one by one. */
export const variablesResource = `${terraformPrefix}_variables`;

/** The attribute of a resource that keeps it from being deleted; the service never sees it. */
export const protectionAttribute = "deletion_protection";

/** The attribute of a resource with a secret that has its provider make the value up. */
export const generatedName = "generate";

/** The name of a secret attribute whose value Terraform sends and does not keep. */
export const writeOnlyNameOf = (name: string): string => `${name}_wo`;

/** The name of the attribute whose change makes Terraform send a write-only one again. */
export const writeOnlyVersionOf = (name: string): string => `${writeOnlyNameOf(name)}_version`;

/** The steps of a resource that Terraform lets people bound: `timeouts { create = "45m" }`. */
export const timeoutNames = ["create", "update", "delete"] as const;

/** The name of a resource type in Terraform and in stacks: `rnv_service`. */
export const terraformNameOf = (type: Pick<ResourceType, "type" | "terraformName">): string =>
  type.terraformName ?? `${terraformPrefix}_${type.type}`;

/** `healthCheckPath` to `health_check_path`: how attributes are written in Terraform. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `health_check_path` to `healthCheckPath`: how attributes are written in a manifest. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

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
    doc: "API key of the workspace. Default, also for an empty text: `RNV_API_KEY`, or the file that `RNV_API_KEY_FILE` names.",
    isSensitive: true,
  },
  { name: "maxConcurrency", type: "number", doc: "Most requests in flight at once. Default: 64." },
  {
    name: "deletionProtection",
    type: "boolean",
    doc: "True: no run deletes or replaces a project or a service. Default: false.",
  },
  {
    name: "acceptMissing",
    type: "boolean",
    doc: "True: resources that the platform no longer shows are gone, however many. For one apply after they were deleted elsewhere. Default: false.",
  },
];
