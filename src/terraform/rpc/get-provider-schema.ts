import { dataSources } from "../data-sources";
import { ephemeralResources } from "../ephemeral-resources";
import { functionMessage, functions } from "../functions";
import type { Provider } from "../provider";
import { schemaMessage } from "../schema/block";
import { providerSchema } from "../schema/provider-block";
import { variablesName, variablesSchema } from "../variables/variables-type";

const capabilities = { planDestroy: true, getProviderSchemaOptional: true, moveResourceState: true };

const named = <Item, Message>(
  items: readonly (Item & { readonly name: string })[],
  message: (item: Item) => Message,
): Record<string, Message> => Object.fromEntries(items.map((item) => [item.name, message(item)]));

/** GetProviderSchema: everything this provider has. */
export async function getProviderSchema(provider: Provider): Promise<object> {
  return {
    provider: schemaMessage(providerSchema),
    resourceSchemas: {
      ...named(provider.managedTypes, ({ schema }) => schemaMessage(schema)),
      [variablesName]: schemaMessage(variablesSchema),
    },
    dataSourceSchemas: named(dataSources, ({ schema }) => schemaMessage(schema)),
    ephemeralResourceSchemas: named(ephemeralResources, ({ schema }) => schemaMessage(schema)),
    functions: named(functions, functionMessage),
    serverCapabilities: capabilities,
  };
}

/** GetMetadata: the names alone. */
export async function getMetadata(provider: Provider): Promise<object> {
  const names = (items: readonly { readonly name: string }[]) =>
    items.map(({ name }) => ({ typeName: name }));
  return {
    serverCapabilities: capabilities,
    resources: names([...provider.managedTypes, { name: variablesName }]),
    dataSources: names(dataSources),
    ephemeralResources: names(ephemeralResources),
    functions: functions.map(({ name }) => ({ name })),
  };
}

/** GetFunctions: the functions of the schema once more. */
export async function getFunctions(): Promise<object> {
  return { functions: named(functions, functionMessage) };
}
