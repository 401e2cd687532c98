import type { ResourceType } from "./resource-type";

/** The word that the types of this provider begin with in Terraform. */
export const terraformPrefix = "rnv";

/** The data source of the service's catalog. */
export const catalogDataSource = `${terraformPrefix}_catalog`;

/** The name of a resource type in Terraform and in stacks: `rnv_service`. */
export const terraformNameOf = (type: Pick<ResourceType, "type" | "terraformName">): string =>
  type.terraformName ?? `${terraformPrefix}_${type.type}`;

/** `healthCheckPath` to `health_check_path`: how attributes are written in Terraform. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `health_check_path` to `healthCheckPath`: how attributes are written in a manifest. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
