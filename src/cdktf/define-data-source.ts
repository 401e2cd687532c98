import type { Construct } from "constructs";
import { libraryConfig, type ResourceClass, refuseHcl } from "./define-resource";
import {
  type ComputedTypes,
  defineFields,
  defineTokens,
  type FieldNames,
  type GivenProps,
  type Written,
  writeAttributes,
} from "./fields";
import type { Library } from "./library";
import { claimName } from "./names";

/** A data source: the fields that a query is made of, and those that it shows besides. */
export interface DataSourceFields {
  readonly terraformType: string;
  readonly query: FieldNames;
  readonly shown?: FieldNames;
  readonly computed: ComputedTypes;
}

/** Props that every data source has. */
const metaProps = ["dependsOn", "provider", "lifecycle", "count", "forEach"];

/** A construct class of a data source. */
export function defineDataSource(library: Library, fields: DataSourceFields): ResourceClass {
  const { terraformType, query, shown = new Map(), computed } = fields;
  const asked = new Set([...query.values()].map(({ name }) => name));

  class RnvDataSource extends library.TerraformDataSource {
    static readonly tfResourceType = terraformType;
    readonly #query: Written;

    constructor(scope: Construct, id: string, props: GivenProps = {}) {
      super(scope, id, libraryConfig(terraformType, props));
      this.#query = writeAttributes(
        library,
        props,
        query,
        `data.${terraformType} ${this.node.path}`,
        metaProps,
      );
    }

    givenField(name: string): unknown {
      return this.#query[name];
    }

    giveField(name: string, value: unknown): void {
      if (!asked.has(name))
        throw new Error(`data.${terraformType} ${this.node.path} shows ${name}: nothing sets it`);
      if (value === undefined) delete this.#query[name];
      else this.#query[name] = value;
    }

    override toTerraform(): object {
      claimName(library, this, "data.");
      return super.toTerraform();
    }

    protected synthesizeAttributes(): Written {
      return { ...this.#query };
    }

    protected synthesizeHclAttributes(): Written {
      return refuseHcl();
    }
  }
  defineTokens(RnvDataSource.prototype, computed, () => {});
  defineFields(library, RnvDataSource.prototype, new Map([...shown, ...query]));
  return RnvDataSource as unknown as ResourceClass;
}
