import type { Resource } from "../api/reads";
import { type DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { LiveResource } from "../model/live";
import { choicesMeant, isPlacedAs } from "../model/place";
import { compareTexts, entriesNamed, sameName } from "../model/text";
import { typeNamed } from "../resources";
import { requireAllServices } from "../resources/listings";
import { service } from "../resources/service";
import { diagnosticMessages } from "./messages";
import { writePrivate } from "./private-data";
import {
  configured,
  mostAgeMs,
  type RpcAnswer,
  type Session,
  type StreamingAnswer,
  shapes,
} from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { identityOf } from "./resource/identity";
import { readResource } from "./resource/read-resource";
import { importedState, importForm } from "./resource/resource-state";
import { type BlockSchema, optional, type Schema, schemaOf } from "./schema/block";
import { checkConfig, idIn } from "./schema/check-config";
import type { TerraformShape } from "./schema/terraform-shape";
import { type TerraformObject, textIn } from "./values";

/** A list of resources that exist, for `terraform query` (plugin protocol 6.10, Terraform 1.14). */
interface ListResource extends Schema {
  readonly type: TerraformShape;
}

export const listSchemas: readonly ListResource[] = shapes
  .filter(({ resource }) => resource.nameAttribute !== undefined)
  .map((type) => ({ ...schemaOf(type.name, blockOf(type.resource)), type }));

/** Returns the types that a resource lies in, from the inside out. */
function typesAround({ parents: [parent] }: Resource): readonly Resource[] {
  const type = parent && typeNamed(parent.type);
  return type ? [type, ...typesAround(type)] : [];
}

function blockOf(resource: Resource): BlockSchema {
  const around = typesAround(resource);
  const unlisted = resource.archives && ` No list of the service shows ${resource.archives.unlisted}.`;
  const own = (name: string, doc: string) => optional(name, "string", `Only those of the ${doc}`);
  return {
    doc:
      `Every ${resource.type} that exists, sorted by name, \`${importForm(resource)}\`. Each line shows this name, ` +
      `which imports take; the id follows in brackets where the name is not enough.${unlisted ?? ""}`,
    attributes: [
      ...around.flatMap((one) => [
        own(`${one.type}_id`, `${one.type} of this id.`),
        own(one.type, `${one.type} of this name, \`${importForm(one)}\`; not beside \`${one.type}_id\`.`),
      ]),
      ...[resource, ...around].flatMap(({ place }) =>
        place
          ? [own(place.attribute, `${place.attribute} of this name, in any case of letters, or id.`)]
          : [],
      ),
    ],
  };
}

export const validateListResource: RpcAnswer<"ValidateListResourceConfig"> = async (_provider, request) => {
  const [{ block, type }, config] = configured(listSchemas, "list resource", request);
  const doubled = typesAround(type.resource).flatMap(({ type: attribute }) => {
    const both = [attribute, `${attribute}_id`];
    if (both.some((name) => textIn(config, name) === undefined)) return [];
    const summary = `${both.join(" and ")} are both set`;
    return [error("plan.invalid_combination", summary, { attribute, hint: "keep one of the two" })];
  });
  return { diagnostics: diagnosticMessages([...checkConfig(block, config), ...doubled]) };
};

/** ListResource: an event for each resource, with its state where that is asked for. */
export const listResource: StreamingAnswer<"ListResource"> = async (provider, request, events) => {
  const [{ type }, config] = configured(listSchemas, "list resource", request);
  const session = provider.requireSession();
  const kept = writePrivate({ workspace: session.workspaceId });
  session.reads.invalidate(mostAgeMs);
  let left = Number(request.limit);
  for await (const { live, path, isFoundByIt } of linesOf(session, type.resource, config)) {
    if (events.signal.aborted) return;
    const currentState = importedState(type, live);
    const asked = { typeName: type.name, currentState, private: kept, currentIdentity: null };
    const read = request.includeResourceObject ? await readResource(provider, asked) : undefined;
    await events.send({
      identity: identityOf(provider, type.name, currentState),
      displayName: isFoundByIt ? path : `${path} (${live.id})`,
      resourceObject: read?.newState,
      diagnostics: read?.diagnostics,
    });
    left -= 1;
    if (left === 0) return;
  }
};

interface Line {
  readonly live: LiveResource;
  /** What it lies in, where the configuration asks for that. */
  readonly parent: Line | undefined;
  /** Its names as an import takes them: `Shop/api`. */
  readonly path: string;
  readonly isFoundByIt: boolean;
}

/** Yields what a configuration asks for. A list of each parent is read when its turn comes. */
async function* linesOf(session: Session, resource: Resource, config: TerraformObject): AsyncGenerator<Line> {
  const [parent] = typesAround(resource);
  if (!parent || !resource.removedWithParent) return yield* await chosen(session, resource, config);
  for (const around of await chosen(session, parent, config)) {
    const found = await resource.list(session.reads, around.live.id);
    if (found === undefined)
      throw failure("live.unchecked", `the service does not list every ${resource.type}`);
    yield* inOrder(found, [around]);
  }
}

/** Returns every resource of a list in the order of its names, from the outside in. */
function inOrder(found: readonly LiveResource[], around: readonly Line[]): readonly Line[] {
  const parents = new Map(around.map((one) => [one.live.id, one]));
  const lines = found.map((live): Line => {
    const parent = parents.get(live.parentId ?? "");
    const beside = entriesNamed(found, live.name).filter(({ parentId }) => parentId === live.parentId);
    const isFoundByIt = (parent?.isFoundByIt ?? live.parentId === null) && !live.name.includes("/");
    const path = parent ? `${parent.path}/${live.name}` : live.name;
    return { live, parent, path, isFoundByIt: isFoundByIt && beside.length === 1 };
  });
  const sortKey = ({ path, live }: Line): string => `${path.replaceAll("/", "\0")}\0\0${live.id}`;
  return lines.sort((a, b) => compareTexts(sortKey(a), sortKey(b)));
}

/** Returns what a configuration asks for of a type that one list shows. */
async function chosen(
  session: Session,
  resource: Resource,
  config: TerraformObject,
): Promise<readonly Line[]> {
  const { type, place: { attribute: placeName } = { attribute: "" } } = resource;
  const [parent] = typesAround(resource);
  const around = parent ? await chosen(session, parent, config) : [];
  const place = textIn(config, placeName);
  const isAnywhere = [place, ...(parent ? asked(parent, config) : [])].every((given) => given === undefined);
  const [id, name] = asked(resource, config);
  if (resource === service && isAnywhere && id === undefined) await requireAllServices(session.reads);
  const where = isAnywhere || around.length !== 1 ? "" : ` in the ${parent?.type} "${around[0]?.path}"`;
  const missing = (attribute: string, what: string, hint?: string): DiagnosticsError =>
    failure("live.data_missing", `there is no ${what}${where}`, { attribute, hint });
  const everything = inOrder((await resource.list(session.reads)) ?? [], around);
  const offered = around.flatMap(({ live }) => live.offers?.[placeName] ?? []);
  if (place !== undefined && choicesMeant(offered, place).length === 0) {
    const names = offered.map((one) => one.name);
    throw missing(placeName, `${placeName} "${place}"`, didYouMean(place, names));
  }
  const declared = new Map(place === undefined ? [] : [[placeName, place]]);
  const found = everything.filter(
    (one) => isAnywhere || (one.parent && (place === undefined || isPlacedAs(resource, one.live, declared))),
  );
  const named = found.filter(({ live, path }) =>
    id === undefined ? name === undefined || sameName(path, name) : live.id === id,
  );
  if (named.length > 0 || (id ?? name) === undefined) return named;
  if (id === undefined) {
    const paths = found.map(({ path }) => path);
    throw missing(type, `${type} "${name}"`, didYouMean(name ?? "", paths));
  }
  // No list shows what is archived.
  const isShown = everything.some(({ live }) => live.id === id);
  const unlisted = isShown ? undefined : await requireThere(session, resource, id, `${type}_id`);
  const [line] = unlisted ? inOrder([unlisted], around) : [];
  if (!line || !(isAnywhere || line.parent)) throw missing(`${type}_id`, `${type} of the id ${id}`);
  return [{ ...line, isFoundByIt: false }];
}

/** Returns the id and the names by which a configuration asks for a resource around what it lists. */
const asked = ({ type }: Resource, config: TerraformObject) =>
  [idIn(config, `${type}_id`), textIn(config, type)] as const;
