import type { RecordedResource, State } from "../../../src/model/state";
import { emptyState } from "../../../src/state/recorded";
import { encodeState, parseState } from "../../../src/state/state-text";
import { fc } from "../../support/fixed-seed";
import { address, origin, resource } from "./fixtures";

const state: State = {
  ...emptyState({ lineage: "line", ...origin }),
  resources: {
    [address("service.a")]: resource("a"),
    [address("project.p")]: resource("p", { type: "project" }),
  },
};
const text = encodeState(state);

const first = (input: string) => parseState(input, "x.json").diagnostics[0];

describe("the text of a state", () => {
  it("reads back as it was written", () => {
    expect(parseState(text, "x.json").state).toEqual(state);
  });

  it("does not depend on the order of keys", () => {
    const resources = Object.fromEntries(Object.entries(state.resources).reverse()) as State["resources"];
    expect(encodeState({ ...state, resources })).toBe(text);
  });

  it("says what is wrong with a file that is not a state", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["", "it is empty"],
      ["\n \n", "it is empty"],
      ["\0\0\0", "it is not JSON"],
      [text.slice(0, -20), "it is not JSON"],
      ["[]", "it is not a JSON object"],
      ["null", "it is not a JSON object"],
      ['{"version":4,"terraform_version":"1.9.0"}', "it is a state of Terraform"],
      ['{"format":"x"}', 'its "format" is not "rnv-state"'],
      [text.replace('"lineage": "line"', '"lineage": 7'), "at lineage:"],
      [text.replace('"serial": 0', '"serial": -1'), "at serial:"],
      [text.replace('"onRemove": "delete"', '"onRemove": "destroy"'), "at resources.project.p.onRemove:"],
      [text.replace('"project.p"', '"nowhere"'), '"nowhere" is not an address'],
      [text.replace('"outputs": {}', '"outputs": {"__proto__": {"a": 1}}'), 'it has a key "__proto__"'],
      [
        text.replace('"outputs": {}', `"outputs": {"a": ${"[".repeat(5000)}${"]".repeat(5000)}}`),
        "it nests deeper",
      ],
    ];
    for (const [input, why] of cases) {
      const found = first(input);
      expect(found?.code).toBe("state.unreadable");
      expect(found?.summary).toContain("x.json cannot be read: ");
      expect(found?.summary).toContain(why);
    }
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it("of a newer version asks for an upgrade", () => {
    expect(first(text.replace('"version": 1', '"version": 2'))).toMatchObject({
      code: "state.newer",
      hint: expect.stringContaining("upgrade rnv"),
    });
  });

  it("never does more than return diagnostics, whatever bytes were changed in it", () => {
    const change = fc.tuple(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), fc.nat(3));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const mutated = changes.reduce(
          (from, [at, put, drop]) => from.slice(0, at) + put + from.slice(at + drop),
          text,
        );
        const parsed = parseState(mutated, "x.json");
        expect(parsed.state === undefined).toBe(parsed.diagnostics.length > 0);
      }),
      { numRuns: 1000 },
    );
  });

  it("may hold 5,000 resources", () => {
    const many: Record<string, RecordedResource> = {};
    for (let n = 0; n < 5000; n += 1) many[`service.p${n % 50}.s${n}`] = resource(`${n}`);
    const large = encodeState({ ...state, resources: many });
    expect(Object.keys(parseState(large, "x.json").state?.resources ?? {})).toHaveLength(5000);
  });
});
