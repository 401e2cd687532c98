import { Secret } from "../../../src/model/secret";
import { Template } from "../../../src/model/value";
import { changeOf, declare, desiredOf, reference, World } from "../../support/plan-world";

const field = "configuration.buildCommand";
const pair = (attribute: string, branch: string) =>
  desiredOf([
    declare("service.a", { kind: "web", "configuration.branch": branch }),
    declare("service.b", { kind: "web", [field]: reference("service.a", attribute) }),
  ]);

/** What service.b gets of service.a once that was applied with branch "main", and "dev" is declared. */
function referred(attribute: string, branch = "dev") {
  const world = new World();
  world.settle(pair("url", "main"));
  const { attributes } = changeOf(world.plan(pair(attribute, branch)), "service.b");
  return { after: attributes.find(({ path }) => path === field)?.after, world };
}

describe("a reference", () => {
  it("to what may move with an update is unknown while its target is updated, else known", () => {
    expect(referred("updatedAt").after).toEqual({ kind: "unknown" });
    expect(referred("updatedAt", "main").after).toMatchObject({ kind: "value" });
  });

  it("to a secret makes a text that holds it a secret", () => {
    const parts = ["https://", { address: declare("variable.a.KEY").address, attribute: "value" }];
    const plan = new World().plan(
      desiredOf([
        declare("service.a", { kind: "web" }),
        declare("variable.a.KEY", { value: new Secret("text") }),
        declare("service.b", { kind: "web", [field]: new Template(parts, false) }),
      ]),
    );
    const change = changeOf(plan, "service.b");
    expect(change.attributes.find(({ path }) => path === field)?.after).toEqual({ kind: "secret" });
    expect(JSON.stringify(change)).not.toContain("https://text");
  });

  it("inside a text is the text of what it refers to", () => {
    const text = (attribute: string) =>
      new Template(["<", { address: declare("service.a").address, attribute }, ">"], false);
    const world = new World();
    const declared = (attribute: string) =>
      desiredOf([
        declare("service.a", { kind: "web", "configuration.startCommand": null, "configuration.port": 81 }),
        declare("service.b", { kind: "web", [field]: text(attribute) }),
      ]);
    world.settle(declared("id"));
    const seen = (attribute: string) =>
      changeOf(world.plan(declared(attribute)), "service.b").attributes.find(({ path }) => path === field)
        ?.after;
    expect(seen("url")).toEqual({ kind: "value", value: `<https://${world.id("service.a")}>` });
    expect(seen("configuration.port")).toEqual({ kind: "value", value: "<81>" });
    expect(seen("configuration.ignorePaths")).toEqual({ kind: "value", value: "<[]>" });
    // What has no value leaves nothing in a text.
    expect(seen("configuration.startCommand")).toEqual({ kind: "value", value: "<>" });
  });
});
