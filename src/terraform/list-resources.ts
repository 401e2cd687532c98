import { failure } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import { compareTexts, snakeCase } from "../model/text";
import { typeNamed } from "../resources";
import { requireAllServices } from "../resources/listings";
import { service } from "../resources/service";
import { writePrivate } from "./private-data";
import { configured, type Session, type StreamingAnswer, shapes } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { identityOf } from "./resource/identity";
import { readResource } from "./resource/read-resource";
import { importedState } from "./resource/resource-state";
import { type BlockSchema, optional, type Schema, schemaOf } from "./schema/block";
import { idIn } from "./schema/check-config";
import type { TerraformShape } from "./schema/terraform-shape";
import type { TerraformObject } from "./values";

/** A list of resources that exist, for `terraform query` (plugin protocol 6.10, Terraform 1.14). */
interface ListResource extends Schema {
  readonly type: TerraformShape;
}

export const listSchemas: readonly ListResource[] = shapes
  .filter(({ resource }) => resource.nameAttribute !== undefined)
  .map((type) => ({ ...schemaOf(type.name, blockOf(type)), type }));

function blockOf({ resource }: TerraformShape): BlockSchema {
  const { archives, parents, type } = resource;
  const left = archives === undefined ? "" : ` No list of the service shows ${archives.unlisted}.`;
  return {
    doc: `Every ${type} that exists, sorted by name.${left}`,
    attributes: parents.map((parent) =>
      optional(snakeCase(parent.attribute), "string", `Only those of the ${parent.type} of this id.`),
    ),
  };
}

/** ListResource: an event for each resource, with its state where that is asked for. */
export const listResource: StreamingAnswer<"ListResource"> = async (provider, request, events) => {
  const [{ type }, config] = configured(listSchemas, "list resource", request);
  const session = provider.requireSession();
  const limit = Number(request.limit);
  const found = await listLive(session, type, config);
  const kept = writePrivate({ workspace: session.workspaceId });
  for (const live of limit > 0 ? found.slice(0, limit) : found) {
    if (events.signal.aborted) return;
    const currentState = importedState(type, live);
    const asked = { typeName: type.name, currentState, private: kept, currentIdentity: null };
    const read = request.includeResourceObject ? await readResource(provider, asked) : undefined;
    await events.send({
      identity: identityOf(provider, type.name, currentState),
      displayName: live.name,
      resourceObject: read?.newState,
      diagnostics: read?.diagnostics,
    });
  }
};

async function listLive(
  session: Session,
  { resource, name }: TerraformShape,
  config: TerraformObject,
): Promise<readonly LiveResource[]> {
  const [parent] = resource.parents;
  const attribute = snakeCase(parent?.attribute ?? "");
  const parentType = typeNamed(parent?.type ?? "");
  const parentId = idIn(config, attribute);
  const listed = (await resource.list(session.reads, parentId))?.filter(
    (live) => parentId === undefined || live.parentId === parentId,
  );
  // An empty list of what lies nowhere would look as if there were none.
  if (parentType && parentId !== undefined && (listed === undefined || listed.length === 0))
    await requireThere(session, parentType, parentId, attribute);
  if (resource === service && parentId === undefined) await requireAllServices(session.reads);
  if (listed !== undefined)
    return listed.sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));
  throw failure("live.unchecked", `the service does not list every ${name}`);
}
