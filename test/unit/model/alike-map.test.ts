import { AlikeMap, type KeyList } from "../../../src/model/alike-map";
import { fc } from "../../support/fixed-seed";

class Numbers extends AlikeMap<number> {
  private readonly held: number[] = [];

  set(key: string, value: number): void {
    this.held[this.add(key)] = value;
  }

  protected valueAt(place: number): number {
    return this.held[place] as number;
  }
}

const keys = ["a", "b", "c", "d", "constructor", "__proto__"];
const writes = fc.array(fc.tuple(fc.constantFrom(...keys), fc.integer()), { maxLength: 8 });

function filled(before: KeyList | undefined, pairs: readonly (readonly [string, number])[]): Numbers {
  const map = new Numbers(before);
  for (const [key, value] of pairs) map.set(key, value);
  return map;
}

describe("AlikeMap", () => {
  it("answers as a Map that was written to in the same way, whatever map came before", () => {
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const alike = filled(filled(undefined, first).list, second);
        const map = new Map(second);
        for (const key of [...keys, "other"]) {
          expect(alike.get(key)).toBe(map.get(key));
          expect(alike.has(key)).toBe(map.has(key));
        }
        expect(alike.size).toBe(map.size);
        expect([...alike]).toEqual([...map]);
        expect([...alike.keys()]).toEqual([...map.keys()]);
        expect([...alike.values()]).toEqual([...map.values()]);
        const seen: [string, number][] = [];
        alike.forEach((value, key) => {
          seen.push([key, value]);
        });
        expect(seen).toEqual([...map]);
        expect(alike.list.keys).toEqual([...map.keys()]);
      }),
    );
  });

  it("shares its keys with the map before while they are the same, and says which is expected", () => {
    const { list } = filled(undefined, [
      ["a", 1],
      ["b", 2],
    ]);
    const same = filled(list, [["a", 3]]);
    expect(same.expected).toBe("b");
    same.set("b", 4);
    expect(same.list).toBe(list);
    const other = filled(list, [
      ["a", 5],
      ["c", 6],
    ]);
    expect(other.expected).toBeUndefined();
    expect(other.list.keys).toEqual(["a", "c"]);
    expect(list.keys).toEqual(["a", "b"]);
  });
});
