import type { Construct } from "constructs";
import * as z from "zod";
import type { ResourceType } from "../model/resource-type";
import { generatedName, variablesResource, writeOnlyNameOf, writeOnlyVersionOf } from "../model/text";
import { variable } from "../resources/variable";
import { defineResource, type ResourceClass } from "./define-resource";
import { type GivenProps, knownMap, type Written } from "./fields";
import type { Library } from "./library";
import { SecretVariables } from "./secret-variable";
import { generatedLength } from "./secrets";

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

/** The class of several variables. A value that is given by its source makes all of them write-only. */
export function defineVariables(library: Library): ResourceClass {
  const Declared = defineResource(library, variablesType);
  return class Variables extends Declared {
    readonly #secrets = new SecretVariables(library, this);

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, props);
      this.#placeSources();
    }

    override giveField(name: string, value: unknown): void {
      super.giveField(name, value);
      if (name === "values") this.#placeSources();
    }

    #placeSources(): void {
      const text = `values of ${variablesResource} ${this.node.path}`;
      const values = knownMap(library, this.givenField("values") ?? {}, text);
      const names = new Set([...this.#secrets.names(), ...Object.keys(values).map((key) => `values.${key}`)]);
      for (const name of names) {
        const value = values[name.slice("values.".length)];
        // What the provider makes up is no variable of Terraform.
        this.#secrets.place(name, generatedLength(value) === undefined ? value : undefined);
      }
    }

    override synthesizeAttributes(): Written {
      const { values: given = {}, ...others } = super.synthesizeAttributes() as { values?: Written };
      const values: Written = {};
      const made: Written = {};
      for (const [key, value] of Object.entries(given)) {
        const length = generatedLength(value);
        if (length !== undefined) made[key] = { length };
        else values[key] = this.#secrets.valueOf(`values.${key}`) ?? value;
      }
      const version = this.#secrets.version(this.saltOf(others));
      const hasMade = Object.keys(made).length > 0;
      return {
        ...others,
        ...(version === undefined
          ? { values }
          : { [writeOnlyNameOf("values")]: values, [writeOnlyVersionOf("values")]: version }),
        ...(hasMade && { [generatedName]: made }),
      };
    }
  };
}
