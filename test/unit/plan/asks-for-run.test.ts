import { asksForRun } from "../../../src/plan/decision";
import type { Action } from "../../../src/plan/plan";
import { configurationNames } from "../../../src/resources/service/configuration";
import { types } from "../../support/plan-world";

const typeOf = (type: string) => types.get(type) ?? { rules: {} };
const rulesOf = (type: string) => typeOf(type).rules;
const asks = (type: string, paths: readonly string[], action: Action = "update") =>
  asksForRun({ action, attributes: paths.map((path) => ({ path })) }, typeOf(type));

describe("a change asks for a deployment", () => {
  it("for every field of a service but those that nothing deployed reads", () => {
    const quiet = Object.keys(rulesOf("service")).filter((path) => !asks("service", [path]));
    expect(quiet).toEqual([
      "archived",
      "configuration.autoDeploy",
      "configuration.backupRetentionDays",
      "configuration.description",
      "configuration.notifications",
      "configuration.previewExpiryHours",
      "configuration.previewMode",
    ]);
    expect(configurationNames.length).toBeGreaterThanOrEqual(48);
  });

  it("for nothing of a project", () => {
    expect(asks("project", Object.keys(rulesOf("project")))).toBe(false);
  });

  it("for a key and a value of a variable", () => {
    expect(asks("variable", ["key"])).toBe(true);
    expect(asks("variable", ["value"])).toBe(true);
  });

  it("where one of its fields does", () => {
    expect(asks("service", ["configuration.description", "configuration.branch"])).toBe(true);
    expect(asks("service", ["configuration.description"], "adopt")).toBe(false);
    expect(asks("service", ["configuration.branch"], "adopt")).toBe(true);
  });

  it("where something goes, but not where it is archived: that runs on as it is", () => {
    const goes = { action: "delete", attributes: [] } as const;
    expect(asksForRun(goes, typeOf("service"))).toBe(true);
    expect(asksForRun({ ...goes, retains: true }, typeOf("service"))).toBe(false);
  });

  it("where something appears or goes, and never where nothing changes", () => {
    for (const action of ["create", "replace", "delete"] as const)
      expect(asks("variable", [], action)).toBe(true);
    for (const action of ["no-op", "forget", "adopt"] as const)
      expect(asks("variable", [], action)).toBe(false);
  });
});
