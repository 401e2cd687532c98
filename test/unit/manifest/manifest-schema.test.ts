import { join } from "node:path";
import * as z from "zod";
import { manifestJsonSchema } from "../../../src/manifest/schema";
import { resourceTypes } from "../../../src/resources";
import { casesIn } from "../../support/rows";

const json = manifestJsonSchema(resourceTypes) as Parameters<typeof z.fromJSONSchema>[0] & {
  readonly definitions: { readonly variable: { anyOf?: object } };
};
// To zod, alternatives beside a strict object make it a loose one.
delete json.definitions.variable.anyOf;
const schema = z.fromJSONSchema(json);
const accepts = (manifest: unknown): boolean => schema.safeParse(manifest).success;

describe("manifestJsonSchema", () => {
  it.each(casesIn<[string, unknown]>(join(__dirname, "accepted-manifests.json")))(
    "accepts %s",
    (_, manifest) => expect(accepts(manifest)).toBe(true),
  );

  it.each(casesIn<[string, unknown]>(join(__dirname, "refused-manifests.json")))(
    "refuses %s",
    (_, manifest) => expect(accepts(manifest)).toBe(false),
  );

  it.each(casesIn<[boolean, unknown]>(join(__dirname, "shared-keys.json")))(
    "takes what blocks share: %s for %j",
    (isTaken, manifest) => expect(accepts(manifest)).toBe(isTaken),
  );
});
