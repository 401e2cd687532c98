import { join } from "node:path";
import { oneScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = (service: string, replicas = 1) =>
  textIn(join(__dirname, "other-forms.yaml"), { service, replicas });

/** What the interface leaves open of names, texts, lists, colors, ids and URLs. */
describe.each([
  { name: "trimmed", color: "lower", configurationValue: "trimmed", ids: "upper", renamedUrl: "stays" },
  { name: "nfc", configurationValue: "sorted" },
] as const)("a service that shows what it was sent in another form: %j", (readings) => {
  const scenario = oneScenario({ readings });
  const { decomposed, composed } = { decomposed: "Cafe\u0301", composed: "Caf\u00e9" };

  it("has an empty plan after an apply, an update and a rename, and no drift", async () => {
    await scenario.applied(manifest(decomposed));
    await scenario.isQuiet();
    expect((await scenario.run("drift")).code).toBe(0);
    await scenario.applied(manifest(composed, 2));
    await scenario.isQuiet();
    await scenario.applied(manifest("Bar", 2));
    await scenario.isQuiet();
    expect(scenario.emulator.store.services()).toHaveLength(2);
    expect(scenario.service("Bar")?.configuration.replicas).toBe(2);
    const { code, stdout } = await scenario.run("destroy", "-auto-approve", "-input=false");
    expect({ code, stdout }).toEqual(printing(0, "Destroy complete!"));
    expect(scenario.emulator.store.projects()).toEqual([]);
  });
});
