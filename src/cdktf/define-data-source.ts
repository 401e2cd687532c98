import type { Construct } from "constructs";
import type { ComputedRule } from "../model/resource-type";
import { snakeCase } from "../model/terraform-name";
import { defineTokens, libraryConfig, type ResourceClass } from "./define-resource";
import type { Library } from "./library";
import type { GivenProps } from "./write-attributes";

/** What a data source is: its name in Terraform, what it is looked up by, and what it tells. */
export interface DataSourceShape {
  readonly terraformType: string;
  readonly lookups: readonly string[];
  readonly computed: Readonly<Record<string, Pick<ComputedRule, "valueType">>>;
}

/** A data source of Terraform, which rnv reads as well. */
export function defineDataSource(
  library: Library,
  { terraformType, lookups, computed }: DataSourceShape,
): ResourceClass {
  class RnvDataSource extends library.TerraformDataSource {
    static readonly tfResourceType = terraformType;
    readonly #props: GivenProps;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, libraryConfig(terraformType, props));
      this.#props = props;
    }

    protected synthesizeAttributes(): Record<string, unknown> {
      const given = lookups.filter((name) => this.#props[name] !== undefined);
      return Object.fromEntries(given.map((name) => [snakeCase(name), this.#props[name]]));
    }

    protected synthesizeHclAttributes(): Record<string, unknown> {
      throw new Error("the constructs of rnv synthesize to JSON only: unset SYNTH_HCL_OUTPUT");
    }
  }
  defineTokens(RnvDataSource.prototype, computed);
  return RnvDataSource as unknown as ResourceClass;
}
