import { existsSync } from "node:fs";
import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";

/** DESIGN section 15 and the README: commands run on `plan` and `apply` only where a value is needed. */
describe("the command of a variable", () => {
  const at = eachScenario();
  beforeEach(async () => {
    at.write("rnv.yaml", manifest());
  });

  const touch = (name: string, value: string) =>
    `{ fromCommand: [node, -e, "require('fs').writeFileSync('${name}-ran','');console.log('${value}')"] }`;
  const manifest = (value = "first-value") => `projects:
  shop:
    services:
      api:
        kind: worker
        deploy: { when: never }
        variables: { KEY: ${touch("api", value)} }
      web:
        kind: worker
        deploy: { when: never }
        variables: { KEY: ${touch("web", value)}, API: "\${service.shop.api.id}" }
`;
  const ran = () => ["api", "web"].filter((name) => existsSync(join(at.folder, `${name}-ran`)));
  const storedValue = (name: string) => {
    const service = at.emulator.store.services().find((one) => one.name === name);
    const key = at.emulator.store.variables(service?.id ?? "").find((one) => one.key === "KEY");
    return key && at.emulator.store.variableValue(key.id);
  };

  it.each(["plan", "apply"])("does not run on %s of another service", async (verb) => {
    const { code, stdout, stderr } = await at.run(
      verb,
      "-target=service.shop.api",
      ...(verb === "apply" ? approve : []),
    );
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(ran()).toEqual(["api"]);
    expect(storedValue("web")).toBeUndefined();
  });

  it("runs where what is targeted refers to its service", async () => {
    await at.applies("-target=service.shop.web");
    expect(ran()).toContain("web");
    expect(storedValue("web")).toBe("first-value");
  });

  it("does not run where its service is excluded, and is not said to be unchecked there", async () => {
    await at.applies();
    await at.isQuiet();
    at.write("rnv.yaml", manifest("second-value").replaceAll("-ran", "-ran-again"));
    const { code, stdout } = await at.run("apply", "-exclude=service.shop.web", ...approve);
    expect(code).toBe(0);
    expect(stdout).not.toContain("variable.shop.web.KEY");
    expect([storedValue("api"), storedValue("web")]).toEqual(["second-value", "first-value"]);
    expect(existsSync(join(at.folder, "web-ran-again"))).toBe(false);
    // It was left out, not taken for equal.
    expect((await at.run("plan")).stdout).toContain("variable.shop.web.KEY");
  });
});
