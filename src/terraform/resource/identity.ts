import { failure } from "../../diagnostics/diagnostic";
import { canonicalId } from "../../model/address";
import { snakeCase } from "../../model/terraform-names";
import { service } from "../../resources/service";
import { decodeObject, decodeState, encodeMessage, type TerraformObject, textIn } from "../codec";
import type { Message, RequestOf, ResponseOf } from "../protocol";
import { type Provider, type RpcAnswer, requireNamed, type Session, shapes } from "../provider";
import { optional, required, type Schema, schemaOf, typeBytes } from "../schema/block";
import { idIn } from "../schema/check-config";
import type { TerraformShape } from "../schema/terraform-shape";
import { variablesSchema } from "../schema/variables-schema";

const workspace = optional(
  "workspace_id",
  "string",
  "UUID of the workspace; that of the provider unless given.",
);

/**
 * Returns the values that tell one resource of a type from all others and never change (plugin protocol 6.9). `parts`:
 * attributes of the state that it is made of, as an import names them from the outside in.
 */
function identityShape({ name }: Schema, parts: readonly string[]) {
  const own = parts.map((part) =>
    required(part, "string", part === "id" ? "Its id." : `ID of its ${part.replace(/_id$/, "")}.`),
  );
  return { ...schemaOf(name, { doc: "", attributes: [workspace, ...own] }), parts };
}

/** The identity of a part holds its parent; a resource that runs again has no lasting ID of its own. */
function partsOf({ resource }: TerraformShape): readonly string[] {
  const [parent] = resource.parents;
  const outer = parent && resource.removedWithParent ? [snakeCase(parent.attribute)] : [];
  return resource.reacts === undefined ? [...outer, "id"] : outer;
}

const identities = [
  ...shapes.map((shape) => identityShape(shape, partsOf(shape))),
  identityShape(variablesSchema, [`${service.type}_id`]),
];

const identityNamed = (name: string) => requireNamed(identities, name, "resource type with an identity");

/** GetResourceIdentitySchemas: the identity of each resource type. The only version is 0. */
export const getResourceIdentitySchemas: RpcAnswer<"GetResourceIdentitySchemas"> = async () => ({
  identitySchemas: Object.fromEntries(
    identities.map(({ name: typeName, block }) => {
      const attributes = block.attributes.map(({ name, type, doc, ...flags }) => ({
        name,
        type: typeBytes(type),
        requiredForImport: flags.required,
        optionalForImport: flags.optional,
        description: doc,
      }));
      return [typeName, { attributes }];
    }),
  ),
});

/** UpgradeResourceIdentity: a stored identity is one of now. */
export const upgradeResourceIdentity: RpcAnswer<"UpgradeResourceIdentity"> = async (_provider, request) => {
  const { valueType } = identityNamed(request.typeName);
  const identity = decodeState(valueType, request.rawState?.json);
  return { upgradedIdentity: { value: encodeMessage(valueType, identity) } };
};

/** Returns the identity of a state in the form of the protocol; undefined where the state does not tell it. */
export function identityOf(
  { session }: Pick<Provider, "session">,
  typeName: string,
  state: Message<"Value"> | null | undefined,
): Message<"Identity"> | undefined {
  if (session === undefined || !state) return undefined;
  const { parts, valueType } = identityNamed(typeName);
  const found = decodeObject(valueType, state) ?? {};
  const ids = parts.map((name) => [name, idIn(found, name)] as const);
  if (ids.some(([, id]) => id === undefined)) return undefined;
  const identity = { ...Object.fromEntries(ids), [workspace.name]: session.workspaceId };
  return { value: encodeMessage(valueType, identity as TerraformObject) };
}

/** Returns the import id of a request, or of its identity: `SERVICE/ID`. Throws `DiagnosticsError` for a wrong identity. */
export function importIdOf(session: Session, request: RequestOf<"ImportResourceState">): string {
  const { typeName, id, identity: given } = request;
  if (!given) return id;
  const { valueType, parts } = identityNamed(typeName);
  const identity = decodeObject(valueType, given.value) ?? {};
  const workspaceId = textIn(identity, workspace.name);
  if (workspaceId !== undefined && canonicalId(workspaceId) !== session.workspaceId)
    throw failure("live.import_missing", `this identity is of the workspace ${workspaceId}`, {
      detail: `The provider is configured for the workspace ${session.workspaceId}.`,
      hint: "import it with a provider of its own workspace",
    });
  const missing = parts.filter((name) => (textIn(identity, name) ?? "") === "");
  if (missing.length > 0)
    throw failure("live.import_missing", `the identity has no ${missing.join(" and no ")}`);
  return parts.map((name) => textIn(identity, name)).join("/");
}

/** Adds identities to an answer; a known identity never changes. Fields that the answer to a call lacks are not sent. */
export function withIdentity(
  provider: Provider,
  request: Partial<RequestOf<"PlanResourceChange"> & RequestOf<"ReadResource">>,
  answered: ResponseOf<"ImportResourceState"> & ResponseOf<"ReadResource">,
): object {
  const { importedResources: imported, newState } = answered;
  const identityIn = (state: typeof newState) => identityOf(provider, request.typeName ?? "", state);
  return {
    ...answered,
    newIdentity: request.currentIdentity ?? identityIn(newState),
    plannedIdentity: request.priorIdentity,
    importedResources: imported?.map((one) => ({ ...one, identity: identityIn(one.state) })),
  };
}
