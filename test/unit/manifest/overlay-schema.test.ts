import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { manifestJsonSchema, overlayJsonSchema } from "../../../src/manifest/schema";
import { resourceTypes } from "../../../src/resources";
import { casesIn } from "../../support/rows";

const read = (json: unknown) => z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]);
const schema = read(overlayJsonSchema(resourceTypes));
const accepts = (manifest: unknown): boolean => schema.safeParse(manifest).success;

describe("overlayJsonSchema", () => {
  it.each(casesIn<[string, unknown]>(join(__dirname, "accepted-overlays.json")))(
    "accepts %s",
    (_, manifest) => expect(accepts(manifest)).toBe(true),
  );

  it.each(casesIn<[string, unknown]>(join(__dirname, "refused-overlays.json")))("refuses %s", (_, manifest) =>
    expect(accepts(manifest)).toBe(false),
  );

  it("accepts the overlay of the example, which the schema of a manifest refuses", () => {
    const text = readFileSync(join(__dirname, "../../../examples/gitops/stages/production.yaml"), "utf8");
    const manifest = read(manifestJsonSchema(resourceTypes));
    expect([schema, manifest].map((one) => one.safeParse(parse(text)).success)).toEqual([true, false]);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+\/overlay\.schema\.json\n/);
  });

  it("has every key of the manifest's, with its words", () => {
    const keysOf = (json: object): string[] => {
      const keys: string[] = [];
      JSON.stringify(json, (key, value) => {
        if (key === "properties") keys.push(...Object.keys(value));
        // An alternative without a type says only what is needed.
        return key === "required" || (value?.required && !value.type) ? undefined : value;
      });
      return keys;
    };
    expect(keysOf(overlayJsonSchema(resourceTypes))).toEqual(keysOf(manifestJsonSchema(resourceTypes)));
    const text = JSON.stringify(overlayJsonSchema(resourceTypes));
    expect(text).toContain("Branch of the repository that is deployed.");
  });
});
