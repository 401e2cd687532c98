import { LazyMap } from "../../../src/model/lazy-map";
import { fc } from "../../support/fixed-seed";

const key = fc.constantFrom("a", "b", "c", "d", "constructor", "__proto__");

describe("LazyMap", () => {
  it("answers as a Map of the same entries", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, fc.integer()), { selector: ([name]) => name }), (entries) => {
        const map = new Map<string, number>(entries);
        const lazy = new LazyMap(
          (name) => map.get(name),
          (visit) => map.forEach(visit),
        );
        for (const name of ["a", "b", "c", "d", "constructor", "__proto__", "other"]) {
          expect(lazy.get(name)).toBe(map.get(name));
          expect(lazy.has(name)).toBe(map.has(name));
        }
        expect(lazy.size).toBe(map.size);
        expect(new Map(lazy)).toEqual(map);
        expect(new Set(lazy.keys())).toEqual(new Set(map.keys()));
        expect([...lazy.values()].sort()).toEqual([...map.values()].sort());
        const seen: (readonly [string, number])[] = [];
        lazy.forEach((value, name) => {
          seen.push([name, value]);
        });
        expect(new Map(seen)).toEqual(map);
      }),
    );
  });

  it("looks at nothing but what it is asked for", () => {
    const asked: string[] = [];
    const lazy = new LazyMap(
      (name) => {
        asked.push(name);
        return 1;
      },
      (visit) => {
        for (const name of ["a", "b", "c"]) visit(1, name);
      },
    );
    lazy.get("b");
    expect(asked).toEqual(["b"]);
    expect([...lazy.keys()]).toEqual(["a", "b", "c"]);
  });
});
