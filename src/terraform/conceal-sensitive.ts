import type { Provider } from "./provider";
import type { BlockSchema } from "./schema/block";
import { decodeValue } from "./values/codec";
import type { ObjectType } from "./values/terraform-type";
import { asObject, type TerraformValue } from "./values/terraform-value";
import { variablesName, variablesSchema, variablesType } from "./variables/variables-type";

interface Encoded {
  readonly msgpack?: Uint8Array;
}

/** Parts of a request that hold a whole value of its resource type. */
interface Request {
  readonly typeName?: string;
  readonly config?: Encoded;
  readonly currentState?: Encoded;
  readonly priorState?: Encoded;
  readonly plannedState?: Encoded;
  readonly rawState?: { readonly json?: Uint8Array };
}

/** Masks the sensitive values that a call brings along in all text of the service, from this call on. */
export function concealSensitive(provider: Provider, request: Request): void {
  const type = typeOf(provider, request.typeName);
  const names = type?.block.attributes.filter(({ sensitive }) => sensitive).map(({ name }) => name) ?? [];
  if (type === undefined || names.length === 0) return;
  const { config, currentState, priorState, plannedState, rawState } = request;
  const wholes: TerraformValue[] = [config, currentState, priorState, plannedState]
    .filter((part) => part !== undefined)
    .map(({ msgpack }) => decodeValue(type.valueType, msgpack));
  if (rawState?.json !== undefined) wholes.push(JSON.parse(Buffer.from(rawState.json).toString("utf8")));
  provider.redact(wholes.flatMap((whole) => names.flatMap((name) => textsOf(asObject(whole)?.[name]))));
}

function typeOf(
  provider: Provider,
  name: string | undefined,
): { readonly block: BlockSchema; readonly valueType: ObjectType } | undefined {
  if (name === variablesName) return { block: variablesSchema.block, valueType: variablesType };
  const managed = provider.managedTypes.find((one) => one.name === name);
  return managed && { block: managed.schema.block, valueType: managed.valueType };
}

/** A text, or the texts of a map. */
function textsOf(value: TerraformValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return Object.values(asObject(value ?? null) ?? {}).filter((one) => typeof one === "string");
}
