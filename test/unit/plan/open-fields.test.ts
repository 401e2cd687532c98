import { error } from "../../../src/diagnostics/diagnostic";
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

  it("is told from other findings by its code", () => {
    expect(isOpenFieldFinding(finding)).toBe(true);
    expect(isOpenFieldFinding({ ...finding, code: "manifest.unknown_key" })).toBe(false);
  });
});
