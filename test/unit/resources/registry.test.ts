import type * as z from "zod";
import type { Resource } from "../../../src/api/reads";
import { documentedDefaults } from "../../../src/api/wire/shapes";
import type { Catalog } from "../../../src/model/catalog";
import { resourceTypes, typeNamed } from "../../../src/resources/index";

const catalog: Catalog = {
  plans: [],
  databasePlans: [],
  defaults: { ...documentedDefaults },
  regions: [],
  runtimes: [],
  serviceTypes: [],
  capabilities: {},
  pricesAreEstimates: true,
};

const optionless = (field: z.ZodType): z.ZodType => {
  const { type, innerType } = field.def as { type: string; innerType?: z.ZodType };
  return (type === "optional" || type === "nullable") && innerType ? optionless(innerType) : field;
};

/** Every attribute path of a schema with its doc, groups flattened. */
function leaves(resource: Resource): Map<string, string | undefined> {
  const paths = new Map<string, string | undefined>();
  for (const [key, field] of Object.entries(resource.schema.shape) as [string, z.ZodType][]) {
    if (!resource.groups.includes(key)) {
      paths.set(key, field.description);
      continue;
    }
    const inner = (optionless(field) as unknown as z.ZodObject).shape as Record<string, z.ZodType>;
    for (const [name, one] of Object.entries(inner)) paths.set(`${key}.${name}`, one.description);
  }
  return paths;
}

const parentAttributes = (resource: Resource): string[] => resource.parents.map(({ attribute }) => attribute);

describe.each(resourceTypes.map((resource) => [resource.type, resource] as const))(
  "%s",
  (_type, resource) => {
    it("has one rule for every attribute path and parent attribute, and no other", () => {
      expect(Object.keys(resource.rules).sort()).toEqual(
        [...leaves(resource).keys(), ...parentAttributes(resource)].sort(),
      );
    });

    it("refuses unknown keys", () => {
      const issues = resource.schema.safeParse({ noSuchKey: 1 }).error?.issues ?? [];
      expect(issues.map(({ code }) => code)).toContain("unrecognized_keys");
    });

    it("lies in types that exist, and follows types that share its parents", () => {
      for (const parent of resource.parents) expect(typeNamed(parent.type)).toBeDefined();
      for (const place of resource.manifest.within)
        if (place !== "root") expect(typeNamed(place)).toBeDefined();
      for (const followed of resource.follows)
        expect(typeNamed(followed)?.parents.map(({ type }) => type)).toEqual(
          expect.arrayContaining(resource.parents.map(({ type }) => type)),
        );
    });

    it("has defaults only for fields that are sent", () => {
      for (const path of resource.defaults(catalog).keys()) {
        expect(resource.rules[path]).toBeDefined();
        expect(resource.rules[path]?.change).not.toBe("local");
      }
    });

    it("can be looked for when it is created", () => {
      expect(resource.candidates !== undefined).toBe(resource.type !== "layout");
    });
  },
);

describe("the list of resource types", () => {
  it("names every type once, in an order that puts parents first", () => {
    const names = resourceTypes.map(({ type }) => type);
    expect(new Set(names).size).toBe(names.length);
    for (const resource of resourceTypes)
      for (const { type } of resource.parents)
        expect(names.indexOf(type)).toBeLessThan(names.indexOf(resource.type));
    expect(typeNamed("no-such-type")).toBeUndefined();
  });
});
