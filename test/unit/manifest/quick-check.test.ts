import * as z from "zod";
import { quickCheck } from "../../../src/manifest/quick-check";
import { indexTypes } from "../../../src/manifest/type-index";
import { resourceTypes } from "../../../src/resources";

const values: unknown[] = [
  ...[
    null,
    undefined,
    true,
    false,
    0,
    -0,
    1,
    -7,
    1.5,
    2 ** 53,
    2 ** 53 - 1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ],
  ...[
    "",
    "a",
    " ",
    "main",
    "changed",
    "always",
    "never",
    "30m",
    "x".repeat(300),
    "\ud800",
    "0".repeat(40),
    "#6d5dfc",
  ],
  ...[[], ["a"], ["a", ""], [1], [null], [["a"]], {}, { x: 1, y: 2 }, { length: 1 }, new Date(0), 10n],
];

describe("the quick check of a value", () => {
  const shapes = [...indexTypes(resourceTypes).byType.values()].flatMap(({ paths }) => [...paths.values()]);

  it.each(shapes.map((shape) => [shape.path, shape] as const))(
    "takes nothing that the schema of %s refuses or changes",
    (_path, { takes, schema }) => {
      for (const value of values) {
        if (!takes(value)) continue;
        const parsed = schema.safeParse(value);
        expect([value, parsed.success, parsed.data]).toEqual([value, true, value]);
      }
    },
  );

  it("decides for the fields of a configuration", () => {
    const takes = (path: string, value: unknown): boolean | undefined =>
      shapes.find((shape) => shape.path === `configuration.${path}`)?.takes(value);
    expect(takes("branch", "main")).toBe(true);
    expect(takes("port", 8080)).toBe(true);
    expect(takes("port", "8080")).toBe(false);
    expect(takes("maintenance", false)).toBe(true);
    expect(takes("ipAllowList", ["10.0.0.0/8"])).toBe(true);
    expect(takes("ipAllowList", [10])).toBe(false);
    expect(takes("ipAllowList", [{ x: 1 }])).toBe(false);
  });

  it("takes what one of several kinds takes", () => {
    const takes = quickCheck(z.union([z.string(), z.int()]));
    expect(["a", 1, true, null, []].map(takes)).toEqual([true, true, false, false, false]);
  });

  it.each<[string, z.ZodType]>([
    ["a pattern", z.string().regex(/^a/)],
    ["a trimmed text", z.string().trim()],
    ["a text of a format", z.uuid()],
    ["a longest length", z.string().max(3)],
    ["a bound", z.int().min(3)],
    ["a shortest list", z.array(z.string()).min(1)],
    ["a coerced value", z.coerce.boolean()],
    ["a default", z.string().default("x")],
    ["a transformed value", z.string().transform((text) => text.length)],
    ["a refinement", z.string().refine((text) => text !== "a")],
    ["a choice of kinds that need the schema", z.union([z.string().trim(), z.int().min(3)])],
  ])("leaves %s to the schema", (_what, schema) => {
    expect(values.filter(quickCheck(schema))).toEqual([]);
  });
});
