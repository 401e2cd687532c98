import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { type Schema, typeOfBlock } from "./schema/block";
import type { Session } from "./session";
import { textIn } from "./values/attributes";
import type { ObjectType } from "./values/terraform-type";
import type { TerraformObject } from "./values/terraform-value";

/** A value that lives only as long as a run: never in a plan, never in a state. */
export interface EphemeralResource {
  readonly name: string;
  readonly schema: Schema;
  readonly valueType: ObjectType;
  readonly open: (session: Session, config: TerraformObject) => Promise<TerraformObject>;
}

const block = {
  doc: "The value of a variable, revealed for this run and stored nowhere. The service records every reveal for audit.",
  attributes: [
    { name: "service_id", type: "string", doc: "Id of the service.", required: true },
    { name: "key", type: "string", doc: "Name of the variable.", required: true },
    { name: "value", type: "string", doc: "Its value.", computed: true, sensitive: true },
  ],
  groups: [],
} as const;

const variableValue: EphemeralResource = {
  name: "rnv_variable_value",
  schema: { version: 0, block },
  valueType: typeOfBlock(block),
  open: async ({ reads }, config) => {
    const serviceId = textIn(config, "service_id") ?? "";
    const key = textIn(config, "key") ?? "";
    const variables = await reads.variables(serviceId);
    const found = variables?.find((one) => one.key === key);
    if (found === undefined)
      throw new DiagnosticsError([
        error(
          "live.import_missing",
          variables === undefined
            ? "the service does not list variables, so none can be found by its name"
            : `the service has no variable "${key}"`,
          { attribute: "key" },
        ),
      ]);
    return { ...config, value: await reads.live.revealVariableText(serviceId, found.id) };
  },
};

/** Every ephemeral resource: the only list of them. */
export const ephemeralResources: readonly EphemeralResource[] = [variableValue];
