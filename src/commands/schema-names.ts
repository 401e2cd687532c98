/** Names of the JSON Schemas that `rnv schema` prints; without what makes them, for the command line. */
export const schemaNames = ["manifest", "overlay", "plan", "drift", "state", "events"] as const;

export type SchemaName = (typeof schemaNames)[number];
