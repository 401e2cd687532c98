import type { Catalog } from "../model/catalog";
import type { RecordedResource } from "../model/state";
import type { Attributes } from "../model/value";
import type { PrivateData } from "./messages";
import { liveOf, nameIn, textIn } from "./schema/attributes";
import type { TerraformShape } from "./schema/terraform-shape";
import type { TerraformObject } from "./values/terraform-value";

/** Returns a record of a resource's identity alone. */
export const bareRecord = (
  known: Pick<RecordedResource, "type" | "id" | "name" | "updatedAt">,
): RecordedResource => ({
  ...known,
  ...{ dependsOn: [], applied: {}, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete", writes: 0 },
});

/** Returns the service's defaults for a type; none while the catalog is not known. */
export const defaultsOf = ({ resource }: TerraformShape, catalog: Catalog | undefined): Attributes =>
  catalog === undefined ? new Map() : resource.defaults(catalog);

/** Returns the record that the engine would have of a resource that Terraform keeps. */
export function recordedOf(
  type: TerraformShape,
  prior: TerraformObject,
  { applied, writtenAt, updatedAt: writtenAs }: PrivateData,
): RecordedResource {
  const { updatedAt = writtenAs, computed } = liveOf(type, prior);
  const named = { type: type.resource.type, id: textIn(prior, "id") ?? "", name: nameIn(type, prior) };
  return {
    ...bareRecord({ ...named, updatedAt }),
    ...{ applied, computed: Object.fromEntries(computed), writtenAt },
  };
}
