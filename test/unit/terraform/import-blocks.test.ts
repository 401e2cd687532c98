import type { LiveResource } from "../../../src/model/live";
import { typeNamed } from "../../../src/resources";
import { nameTaken } from "../../../src/terraform/apply/twins";

const blockFor = (name: string): string => {
  const type = typeNamed("project");
  if (type === undefined) throw new Error("there is no type project");
  const twin: LiveResource = {
    ...{ type: "project", id: "an-id", name, parentId: null },
    ...{ attributes: new Map(), computed: new Map() },
  };
  const { detail = "" } = nameTaken({ type, input: { name }, parentId: undefined }, [twin]);
  return /to = (.*)/.exec(detail)?.[1] ?? "";
};

describe("the import block of a conflict", () => {
  it("has the name of the resource as its label where that is one", () => {
    expect(blockFor("shop")).toBe("rnv_project.shop");
    expect(blockFor("shop-2_b")).toBe("rnv_project.shop-2_b");
  });

  it.each([
    ["Shop", "shop"],
    ["Über Läden & Co.", "uber_laden_co"],
    ["2nd shop", "nd_shop"],
    ["-_-", "project"],
    ["店", "project"],
    ['a" { }', "a"],
  ])("has a label that Terraform reads, and says what it stands for: %s", (name, label) => {
    expect(blockFor(name)).toBe(`rnv_project.${label} # in place of it, the address that this error names`);
  });
});
