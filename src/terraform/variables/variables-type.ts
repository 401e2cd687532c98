import { variable } from "../../resources/variable";
import { type BlockSchema, type Schema, typeOfBlock } from "../schema/block";
import { managedType } from "../schema/managed-type";
import { mapOf } from "../values/terraform-type";
import { asObject, isUnknown, type TerraformObject, type TerraformValue } from "../values/terraform-value";

/** The type that each entry of the map is: all it does, this does. */
export const entryType = managedType(variable);

export const variablesName = "rnv_variables";

const block: BlockSchema = {
  doc: "Several variables of one service in one map. Variables that are not in it are left alone.",
  attributes: [
    { name: "service_id", type: "string", doc: "Id of the service they belong to.", required: true },
    {
      name: "values",
      type: mapOf("string"),
      doc: "Values by name. Terraform keeps them in its state; `values_wo` are kept nowhere.",
      optional: true,
      sensitive: true,
    },
    {
      name: "values_wo",
      type: mapOf("string"),
      doc: "As `values`, but never stored. Sent when `values_wo_version` changes or a name is new.",
      optional: true,
      sensitive: true,
      writeOnly: true,
    },
    { name: "values_wo_version", type: "number", doc: "Raise it to send `values_wo` again.", optional: true },
    { name: "id", type: "string", doc: "Id of the service.", computed: true },
    { name: "ids", type: mapOf("string"), doc: "Ids of the variables by name.", computed: true },
    {
      name: "updated_at",
      type: mapOf("string"),
      doc: "When each of them last changed, ISO 8601.",
      computed: true,
    },
  ],
  groups: [],
};

export const variablesSchema: Schema = { version: 0, block };
export const variablesType = typeOfBlock(block);

/** Text by name; undefined where the whole map is null or not known. */
export function textsIn(value: TerraformValue | undefined): Readonly<Record<string, string>> | undefined {
  if (value === undefined || isUnknown(value)) return undefined;
  const map = asObject(value);
  if (map === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** The declared values: `values`, or `values_wo`. */
export const declaredMap = (config: TerraformObject): TerraformValue =>
  (config.values ?? null) === null ? (config.values_wo ?? null) : (config.values ?? null);

/** Names that a map declares; undefined while the map is not known. */
export const declaredNames = (config: TerraformObject): readonly string[] | undefined => {
  const map = declaredMap(config);
  if (isUnknown(map)) return undefined;
  return Object.keys(asObject(map) ?? {});
};
