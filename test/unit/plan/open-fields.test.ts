import { type Diagnostic, error } from "../../../src/diagnostics/diagnostic";
import { type DesiredValue, type Plain, Template } from "../../../src/model/value";
import { isOpenFieldFinding, settleOpenFields } from "../../../src/plan/data";
import { resourceTypes } from "../../../src/resources";
import { at, catalog, declare, desiredOf, range } from "../../support/plan-world";

const path = "configuration.newSwitch";
const finding = error("manifest.unknown_field", '"newSwitch" is no field that this version knows', {
  ...{ address: at("service.api"), attribute: path, range },
  hint: "did you mean another? (rnv plan asks the service's catalog)",
});

/** What becomes of a field that only the catalog knows, with this default there. */
function settledAs(initial: Plain | undefined, value: DesiredValue) {
  const defaults = { ...catalog.defaults, ...(initial !== undefined && { newSwitch: initial }) };
  const declared = desiredOf([declare("service.api", { kind: "web", [path]: value })]);
  const { desired, diagnostics } = settleOpenFields(declared, [finding], resourceTypes, {
    ...catalog,
    defaults,
  });
  const found = desired.resources.get(at("service.api"))?.attributes.get(path)?.value;
  return diagnostics.length === 0 ? found : diagnostics.map(({ code, hint }) => [code, hint]);
}

/** What is said about a field that is declared and known to the catalog as these defaults have it. */
function findingsOf(about: Diagnostic, defaults: object, value: DesiredValue) {
  const declared = desiredOf([declare("service.api", { kind: "web", [path]: value })]);
  const known = { ...catalog, defaults: { ...catalog.defaults, ...defaults } };
  return settleOpenFields(declared, [about], resourceTypes, known).diagnostics;
}

describe("a field that only the service's catalog knows", () => {
  it.each<[Plain, DesiredValue, Plain]>([
    [false, true, true],
    [3, 5, 5],
    ["a", "b", "b"],
    [["a"], [], []],
    // What came from the environment, or through a stack, is text.
    [false, "true", true],
    [true, "false", false],
    [3, "-1.5", -1.5],
    ["a", "true", "true"],
    // Nothing is known of what it may hold.
    [null, 7, 7],
    [3, null, null],
  ])("whose default is %j takes %j as %j", (initial, value, expected) => {
    expect(settledAs(initial, value)).toEqual(expected);
  });

  it.each<[Plain, DesiredValue]>([
    [false, "yes"],
    [false, "1"],
    [false, 1],
    [3, "true"],
    [3, "05"],
    [3, "1e3"],
    [3, "3 "],
    [3, true],
    ["a", 3],
    [["a"], "a"],
    [false, new Template([{ address: at("service.b"), attribute: "id" }], false)],
  ])("whose default is %j does not take %j", (initial, value) => {
    expect(settledAs(initial, value)).toEqual([
      ["manifest.invalid_type", `its default is ${JSON.stringify(initial)}`],
    ]);
  });

  it("is an unknown key where the catalog does not know it either", () => {
    expect(settledAs(undefined, true)).toEqual([["manifest.unknown_key", "did you mean another?"]]);
  });

  it.each<[Plain, DesiredValue, string]>([
    ["a", 3, "text, found a number"],
    [3, "x", "a number, found text"],
    [false, 3, "true or false, found a number"],
    [["a"], true, "a list, found true or false"],
    [3, ["a"], "a number, found a list"],
    [{ a: 1 }, "a", "a mapping, found text"],
    ["a", { a: 1 }, "text, found a mapping"],
  ])("whose default is %j, says what %j should be", (initial, value, said) => {
    expect(findingsOf(finding, { newSwitch: initial }, value)).toMatchObject([
      { summary: `${path} of service.api is ${said}`, attribute: path, address: "service.api", range },
    ]);
  });

  it("that is misspelt gets the catalog's word, else what was said before, else that it is unknown", () => {
    const said = (hint?: string) =>
      findingsOf({ ...finding, hint }, {}, true).map((one) => [one.summary, one.hint, one.range]);
    const summary = '"newSwitch" is no field';
    expect(findingsOf(finding, { newSwitsh: 1 }, true)).toMatchObject([
      { summary, hint: 'did you mean "newSwitsh"?', address: "service.api" },
    ]);
    expect(said("did you mean another? (rnv plan asks the service's catalog)")).toEqual([
      [summary, "did you mean another?", range],
    ]);
    for (const hint of [undefined, "rnv plan asks the service's catalog"])
      expect(said(hint)).toEqual([
        [summary, "neither this version nor the service's catalog knows it", range],
      ]);
  });

  it("may be referred to where the catalog knows it, as a single value", () => {
    const referred = { ...finding, code: "manifest.reference_unknown", severity: "warning" } as const;
    const codes = (defaults: object) =>
      findingsOf(referred, defaults, "x").map(({ code, summary, range }) => [code, summary, range]);
    expect(codes({ newSwitch: 3 })).toEqual([]);
    expect(codes({ newSwitch: null })).toEqual([]);
    expect(codes({ newSwitch: ["a"] })).toEqual([
      ["manifest.unsupported", `${path} of service.api is not a single value`, range],
    ]);
    expect(codes({})).toEqual([["manifest.reference_unknown", '"newSwitch" is no field', range]]);
  });

  it("is told from other findings about references by their severity", () => {
    const referred = { ...finding, code: "manifest.reference_unknown" } as const;
    expect(isOpenFieldFinding({ ...referred, severity: "warning" })).toBe(true);
    expect(isOpenFieldFinding({ ...referred, severity: "error" })).toBe(false);
    expect(isOpenFieldFinding({ ...finding, code: "manifest.unknown_key", severity: "warning" })).toBe(false);
  });

  it("is told from other findings by its code", () => {
    expect(isOpenFieldFinding(finding)).toBe(true);
    expect(isOpenFieldFinding({ ...finding, code: "manifest.unknown_key" })).toBe(false);
  });
});
