import { type Listing, listings } from "../model/listing-schemas";
import type { ResourceType } from "../model/resource-type";
import { snakeCase, terraformNameOf, terraformPrefix } from "../model/terraform-names";
import { capitalized } from "../model/wording";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { claimName } from "./claim-name";
import {
  type ComputedTypes,
  defineFields,
  defineTokens,
  type FieldNames,
  fieldsOf,
} from "./construct-fields";
import { defineGiven } from "./define-resource";
import type { Library } from "./host-library";

export const dataSources = (library: Library) => ({
  ...Object.fromEntries(
    Object.entries(listings).map(([name, listing]) => [
      `DataRnv${capitalized(name.slice(terraformPrefix.length + 1))}`,
      defineDataSource(library, listingOf(name, listing)),
    ]),
  ),
  DataRnvProject: defineDataSource(library, lookupOf(project)),
  DataRnvService: defineDataSource(library, lookupOf(service)),
});

function lookupOf(type: ResourceType) {
  const fields = fieldsOf(type);
  const keys = [type.nameAttribute, ...type.parents.map(({ attribute }) => attribute)];
  const query: FieldNames = new Map([
    ["id", { name: "id", token: "string" }],
    ...[...fields].filter(([key]) => keys.includes(key)),
  ]);
  const shown: FieldNames = new Map([...fields].filter(([key]) => key !== "timeouts"));
  return { terraformType: terraformNameOf(type), query, shown, computed: type.computed };
}

function listingOf(terraformType: string, { query, shows, texts = [] }: Listing) {
  const asked = ([key, { type }]: [string, Listing["query"][string]]) =>
    [key, { name: snakeCase(key), token: type }] as const;
  const shown = (name: string) => [name, { valueType: texts.includes(name) ? "string" : "json" }] as const;
  return {
    terraformType,
    query: new Map(Object.entries(query).map(asked)),
    computed: Object.fromEntries(Object.keys(shows).map(shown)),
  };
}

/** A data source: the fields that a query is made of, and those that it shows besides. */
interface DataSourceFields {
  readonly terraformType: string;
  readonly query: FieldNames;
  readonly shown?: FieldNames;
  readonly computed: ComputedTypes;
}

function defineDataSource(library: Library, fields: DataSourceFields): object {
  const { terraformType, query, shown = new Map(), computed } = fields;
  const asked = new Set([...query.values()].map(({ name }) => name));
  const owner = `data.${terraformType}`;

  class RnvDataSource extends defineGiven(library, library.TerraformDataSource, query, {
    terraformType,
    owner,
  }) {
    override giveField(name: string, value: unknown): void {
      if (!asked.has(name)) throw new Error(`${owner} ${this.node.path} shows ${name}: nothing sets it`);
      super.giveField(name, value);
    }

    override toTerraform(): object {
      claimName(library, this, "data.");
      return super.toTerraform();
    }
  }
  defineTokens(RnvDataSource.prototype, computed, () => {});
  defineFields(library, RnvDataSource.prototype, new Map([...shown, ...query]));
  return RnvDataSource;
}
