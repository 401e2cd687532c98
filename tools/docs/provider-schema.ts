import { answerCall } from "../../src/terraform/answer";
import type { Message } from "../../src/terraform/protocol";

export type SchemaMessage = Message<"Schema">;
export type FunctionMessage = Message<"Function">;

/** The schemas of the provider, by kind and name, as it answers Terraform. */
export interface ProviderParts {
  readonly provider: SchemaMessage;
  readonly resources: ReadonlyMap<string, SchemaMessage>;
  readonly dataSources: ReadonlyMap<string, SchemaMessage>;
  readonly ephemeralResources: ReadonlyMap<string, SchemaMessage>;
  readonly listResources: ReadonlyMap<string, SchemaMessage>;
  readonly actions: ReadonlyMap<string, SchemaMessage>;
  readonly functions: ReadonlyMap<string, FunctionMessage>;
  /** By the name of the resource. */
  readonly identities: ReadonlyMap<string, Message<"IdentitySchema">>;
}

/** Asks the provider, in this process, for all of its schemas. */
export async function providerParts(): Promise<ProviderParts> {
  const answer: Readonly<Record<string, object | undefined>> = {
    ...(await answerCall("GetProviderSchema", {})),
    ...(await answerCall("GetResourceIdentitySchemas", {})),
  };
  const all = <Item>(field: string): ReadonlyMap<string, Item> =>
    new Map(Object.entries((answer[field] ?? {}) as Readonly<Record<string, Item>>));
  const actions = [...all<Message<"ActionSchema">>("actionSchemas")];
  return {
    provider: answer.provider as SchemaMessage,
    resources: all("resourceSchemas"),
    dataSources: all("dataSourceSchemas"),
    ephemeralResources: all("ephemeralResourceSchemas"),
    listResources: all("listResourceSchemas"),
    actions: new Map(actions.map(([name, { schema }]) => [name, schema ?? {}])),
    functions: all("functions"),
    identities: all("identitySchemas"),
  };
}
