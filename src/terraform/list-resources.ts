import type { Resource } from "../api/reads";
import { error, failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { compareTexts } from "../model/collections";
import { isPlacedAs, matchingChoices } from "../model/declared-choice";
import type { LiveResource } from "../model/live";
import { entriesNamed } from "../model/names";
import { typeNamed } from "../resources";
import { requireAllServices } from "../resources/read-listing";
import { service } from "../resources/service";
import { type TerraformObject, textIn } from "./codec";
import { diagnosticMessages } from "./messages";
import { writePrivate } from "./private-data";
import {
  configured,
  type RpcAnswer,
  recentSession,
  type Session,
  type StreamingAnswer,
  shapes,
} from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { identityOf } from "./resource/identity";
import { readResource } from "./resource/read-resource";
import { importedState, importForm } from "./resource/resource-state";
import { type BlockSchema, optional, schemaOf } from "./schema/block";
import { checkConfig, idIn } from "./schema/check-config";

/** The lists of resources that exist, for `terraform query` (plugin protocol 6.10, Terraform 1.14). */
export const listSchemas = shapes
  .filter(({ resource }) => resource.nameAttribute !== undefined)
  .map((type) => ({ ...schemaOf(type.name, blockOf(type.resource)), type }));

/** Returns the types that a resource lies in, from the inside out. */
function typesAround({ parents: [parent] }: Resource): readonly Resource[] {
  const type = parent && typeNamed(parent.type);
  return type ? [type, ...typesAround(type)] : [];
}

function blockOf(resource: Resource): BlockSchema {
  const around = typesAround(resource);
  const unlisted = resource.archives && ` The platform lists no ${resource.archives.unlisted}.`;
  const own = (name: string, doc: string) => optional(name, "string", `Only those of the ${doc}`);
  return {
    doc:
      `Every ${resource.type} that exists, in the order of the names that imports take, \`${importForm(resource)}\`. ` +
      `Each line shows them; the id follows in brackets where they are not enough.${unlisted ?? ""}`,
    attributes: [
      ...around.flatMap((one) => [
        own(`${one.type}_id`, `${one.type} of this id.`),
        own(one.type, `${one.type} of these names, \`${importForm(one)}\`; not beside \`${one.type}_id\`.`),
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
    const summary = `both ${both.join(" and ")} are set`;
    return [error("plan.invalid_combination", summary, { attribute, hint: "keep one of the two" })];
  });
  return { diagnostics: diagnosticMessages([...checkConfig(block, config), ...doubled]) };
};

/** ListResource: an event for each resource, with its state where that is asked for. */
export const listResource: StreamingAnswer<"ListResource"> = async (provider, request, events) => {
  const [{ type }, config] = configured(listSchemas, "list resource", request);
  const session = recentSession(provider.requireSession());
  const kept = writePrivate({ workspace: session.workspaceId });
  let left = Number(request.limit);
  for await (const { live, name, isFoundByName } of linesOf(session, type.resource, config)) {
    if (events.signal.aborted) return;
    const currentState = importedState(type, live);
    const asked = { typeName: type.name, currentState, private: kept, currentIdentity: null };
    const read = request.includeResourceObject ? await readResource(provider, asked) : undefined;
    await events.send({
      identity: identityOf(provider, type.name, currentState),
      displayName: isFoundByName ? name : `${name} (${live.id})`,
      resourceObject: read?.newState,
      diagnostics: read?.diagnostics,
    });
    left -= 1;
    if (left === 0) return;
  }
};

interface Line {
  readonly live: LiveResource;
  /** Undefined outside of all that the configuration asks for. */
  readonly parent: Line | undefined;
  /** Its names as an import takes them: `Shop/api`. */
  readonly name: string;
  readonly isFoundByName: boolean;
}

/** Yields the lines of a configuration. The list of each parent is read when its turn comes. */
async function* linesOf(session: Session, resource: Resource, config: TerraformObject): AsyncGenerator<Line> {
  const [parent] = typesAround(resource);
  if (!parent || !resource.removedWithParent) return yield* await chosen(session, resource, config);
  for (const around of await chosen(session, parent, config)) {
    const found = await resource.list(session.reads, around.live.id);
    if (found === undefined)
      throw failure("live.unchecked", `the platform does not list every ${resource.type}`);
    yield* inOrder(found, [around]);
  }
}

function inOrder(found: readonly LiveResource[], around: readonly Line[]): readonly Line[] {
  const parents = new Map(around.map((one) => [one.live.id, one]));
  const lines = found.map((live): Line => {
    const parent = parents.get(live.parentId ?? "");
    const beside = entriesNamed(found, live.name).filter(({ parentId }) => parentId === live.parentId);
    const isFoundByName = (parent?.isFoundByName ?? live.parentId === null) && !live.name.includes("/");
    const name = parent ? `${parent.name}/${live.name}` : live.name;
    return { live, parent, name, isFoundByName: isFoundByName && beside.length === 1 };
  });
  const sortKey = ({ name, live }: Line): string => `${name.replaceAll("/", "\0")}\0\0${live.id}`;
  return lines.sort((a, b) => compareTexts(sortKey(a), sortKey(b)));
}

async function chosen(session: Session, resource: Resource, config: TerraformObject) {
  const { type, place: { attribute: placeName } = { attribute: "" } } = resource;
  const [parent] = typesAround(resource);
  const around: readonly Line[] = parent ? await chosen(session, parent, config) : [];
  const place = textIn(config, placeName);
  const isAnywhere = [place, ...(parent ? asked(parent, config) : [])].every((given) => given === undefined);
  const [id, name] = asked(resource, config);
  if (resource === service && isAnywhere && id === undefined) await requireAllServices(session.reads);
  const where = isAnywhere || around.length !== 1 ? "" : ` in the ${parent?.type} "${around[0]?.name}"`;
  const missing = (what: string, given: string, among: readonly { readonly name: string }[]) => {
    const names = among.map((one) => one.name);
    const whole = names.find((one) => one.endsWith(`/${given}`));
    const details = { attribute: what, hint: didYouMean(whole ?? given, names) };
    return failure("live.data_missing", `there is no ${what} "${given}"${where}`, details);
  };
  const offered = around.flatMap(({ live }) => live.offers?.[placeName] ?? []);
  if (place !== undefined && matchingChoices(offered, place).length === 0)
    throw missing(placeName, place, offered);
  const declared = new Map([[placeName, place]]);
  const isAsked = ({ live, parent: outer }: Line): boolean =>
    isAnywhere || (!!outer && (place === undefined || isPlacedAs(resource, live, declared)));
  const found = inOrder((await resource.list(session.reads)) ?? [], around).filter(isAsked);
  if (id === undefined) {
    const named = name === undefined ? found : entriesNamed(found, name);
    if (named.length === 0 && name !== undefined) throw missing(type, name, found);
    return named;
  }
  const shown = found.filter(({ live }) => live.id === id);
  if (shown.length > 0) return shown;
  // Archived resources are in no list.
  const unlisted = await requireThere(session, resource, id, `${type}_id`);
  const lines = inOrder(unlisted ? [unlisted] : [], around).filter(isAsked);
  if (lines.length === 0)
    throw failure("live.data_missing", `there is no ${type} of the id ${id}${where}`, {
      attribute: `${type}_id`,
    });
  return lines.map((line) => ({ ...line, isFoundByName: false }));
}

const asked = ({ type }: Resource, config: TerraformObject) =>
  [idIn(config, `${type}_id`), textIn(config, type)] as const;
