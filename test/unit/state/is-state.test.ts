import { emptyState } from "../../../src/state/fold";
import { isState } from "../../../src/state/is-state";
import { stateSchema } from "../../../src/state/state-schema";
import { fc } from "../../support/fixed-seed";
import { address, origin, resource } from "./fixtures";

const whole = {
  ...emptyState({ lineage: "line", ...origin }),
  keyId: "0123456789abcdef",
  outputs: { url: "https://a.example" },
  resources: {
    [address("project.p")]: resource("p", { type: "project" }),
    [address("service.p.a")]: {
      ...resource("a", { parent: address("project.p"), dependsOn: [address("project.p")] }),
      updatedAt: "2026-01-01T00:00:00.000Z",
      applied: { "configuration.port": 80, secret: { fingerprint: "f" } },
      computed: { url: null },
      inputs: { a: 1 },
      pending: { kind: "deployment" },
      future: ["kept"],
    },
  },
};

type Path = readonly string[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

/** The state with the value at one path replaced; undefined removes it. */
function changed(path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(whole) as Record<string, unknown>;
  let holder = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  const last = path.at(-1) as string;
  if (value === undefined && !Array.isArray(holder)) delete holder[last];
  else holder[last] = value;
  return copy;
}

const paths = pathsIn(whole).filter((path) => path.length > 0);
const values = [
  ...[undefined, null, true, 0, -1, 1.5, Number.NaN, 2 ** 53, "", "delete", "retain", [], [""], [1], ["a"]],
  ...[{}, { a: 1 }, { a: -1 }, { a: null }],
];

describe("isState", () => {
  it("takes a whole state", () => {
    expect(isState(whole)).toBe(true);
    expect(isState({ ...whole, resources: {}, keyId: null })).toBe(true);
  });

  it("never takes what the schema refuses, whatever stands at any one place", () => {
    let taken = 0;
    let refused = 0;
    for (const path of paths)
      for (const value of values) {
        const document = changed(path, value);
        const isWhole = stateSchema.safeParse(document).success;
        if (!isWhole) refused += 1;
        if (!isState(document)) continue;
        taken += 1;
        expect({ path, value, isWhole }).toEqual({ path, value, isWhole: true });
      }
    expect(taken).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(300);
  });

  it("never takes what the schema refuses, with any two places changed", () => {
    const change = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...values));
    fc.assert(
      fc.property(change, change, ([one, a], [other, b]) => {
        const first = changed(one, a);
        const holder = other
          .slice(0, -1)
          .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], first);
        if (holder !== null && typeof holder === "object")
          (holder as Record<string, unknown>)[other.at(-1) as string] = b;
        return !isState(first) || stateSchema.safeParse(first).success;
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves a run that was cut short to the schema", () => {
    const run = { id: "r", planDigest: "", credential: "", startedAt: "", fences: {} };
    expect(isState({ ...whole, run })).toBe(false);
    expect(stateSchema.safeParse({ ...whole, run }).success).toBe(true);
  });
});
