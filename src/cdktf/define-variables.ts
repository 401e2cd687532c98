import type { Construct } from "constructs";
import * as z from "zod";
import type { ResourceType } from "../model/resource-type";
import {
  generatedName,
  variablesResource,
  writeOnlyNameOf,
  writeOnlyVersionOf,
} from "../model/terraform-names";
import { variable } from "../resources/variable";
import { type GivenProps, knownMap, type Written } from "./construct-fields";
import { defineResource, type ResourceClass } from "./define-resource";
import type { Library } from "./host-library";
import { generatedLength, isSecretSource } from "./secret-source";
import { secretReference, versionOf } from "./secret-variable";

/** Several variables of one service in one map, as a construct: `rnv_variables`. */
const variablesType: ResourceType = {
  ...variable,
  terraformName: variablesResource,
  schema: z.strictObject({ values: z.record(z.string(), z.unknown()).optional() }),
  rules: { values: { change: "update" } },
  computed: {
    id: { valueType: "string", doc: "Id of the service.", stable: true },
    ids: { valueType: "json", doc: "Ids of the variables by name.", stable: false },
    updatedAt: { valueType: "json", doc: "When each of them last changed.", stable: false },
  },
  nameAttribute: undefined,
  manifest: { ...variable.manifest, shape: "single" },
};

/** The class of several variables. Values that are given by their sources are write-only. */
export function defineVariables(library: Library): ResourceClass {
  return class Variables extends defineResource(library, variablesType) {
    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, props);
      this.#check(props.values);
    }

    override giveField(name: string, value: unknown): void {
      if (name === "values") this.#check(value);
      super.giveField(name, value);
    }

    override ownNames(): readonly string[] {
      const values = (this.givenField("values") ?? {}) as Written;
      return Object.keys(values).filter((key) => values[key] !== undefined);
    }

    #check(values: unknown): void {
      knownMap(library, values, `values of ${variablesResource} ${this.node.path}`);
    }

    override synthesizeAttributes(): Written {
      const { values: given = {}, ...others } = super.synthesizeAttributes() as { values?: Written };
      const values: Written = {};
      const secrets: Record<string, string> = {};
      const made: Written = {};
      for (const [key, value] of Object.entries(given)) {
        const length = generatedLength(value);
        if (length !== undefined) made[key] = { length };
        else if (isSecretSource(value)) secrets[key] = secretReference(library, this, value);
        else values[key] = value;
      }
      const references = Object.values(secrets);
      const version = versionOf(references, this.saltOf(others));
      const [hasSecrets, hasTexts] = [references.length > 0, Object.keys(values).length > 0];
      return {
        ...others,
        values: hasTexts || !hasSecrets ? values : undefined,
        [writeOnlyNameOf("values")]: hasSecrets ? secrets : undefined,
        [writeOnlyVersionOf("values")]: hasSecrets ? version : undefined,
        [generatedName]: Object.keys(made).length > 0 ? made : undefined,
      };
    }
  };
}
