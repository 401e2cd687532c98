import { join } from "node:path";
import type { Address } from "../../../src/model/address";
import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, type Template } from "../../../src/model/value";
import { expectText } from "../../support/expected-text";
import { textIn } from "../../support/rows";
import { shownTexts } from "../../support/shown-texts";
import { briefs, loadText } from "./load";

const shop = textIn(join(__dirname, "shop.yaml"));

async function loadShop() {
  const found = await loadText(shop, { environment: { SHOP_DATABASE_URL: "postgres://x" } });
  expect(briefs(found)).toEqual([]);
  if (found.desired === undefined) throw new Error("no desired state");
  const { desired } = found;
  const attribute = (address: string, path: string) =>
    desired.resources.get(address as Address)?.attributes.get(path)?.value;
  const pointed = (address: string, path: string) => {
    const range = desired.resources.get(address as Address)?.attributes.get(path)?.range;
    return range && shop.slice(range.start, range.end);
  };
  return { desired, attribute, pointed };
}

describe("loadManifest", () => {
  it("gives each block the address of its place, implicit deployments included", async () => {
    const { desired } = await loadShop();
    const addresses = [...desired.resources.keys()].sort();
    expectText(join(__dirname, "expected/addresses-of-the-shop.txt"), `${addresses.join("\n")}\n`);
  });

  it("closes values of variables over as secrets, from text, environment, generator or template", async () => {
    const { attribute, desired } = await loadShop();
    const key = Buffer.from("k");
    const same = (address: string, text: string) => {
      const value = attribute(address, "value") as Secret;
      expect(value.fingerprint(key, "a")).toBe(new Secret(text).fingerprint(key, "a"));
    };
    same("variable.shop.api.LOG_LEVEL", "info");
    same("variable.shop.api.DATABASE_URL", "postgres://x");
    expect(attribute("variable.shop.api.TOKEN", "value")).toEqual(new GeneratedSecret(32));
    expect(attribute("variable.shop.api.STRIPE_KEY", "value")).toBeUndefined();
    expect(attribute("variable.shop.api.STRIPE_KEY", "preserve")).toBe(true);
    const template = attribute("variable.shop.api.WORKER_HOST", "value") as Template;
    expect(template.secret).toBe(true);
    expect(template.parts.map((part) => part instanceof Secret)).toEqual([true, false, true]);
    expect(template.references.map(({ address, attribute: path }) => [address, path])).toEqual([
      ["service.shop.worker", "internalHost"],
    ]);
    expect(desired.resources.get("variable.shop.api.WORKER_HOST" as Address)?.dependsOn).toEqual([
      "service.shop.worker",
      "service.shop.api",
    ]);
  });

  it("stars literal secrets out of the texts for code frames, offsets unchanged", async () => {
    const { desired } = await loadShop();
    const [shown] = shownTexts({ desired, diagnostics: [] });
    expect(shown).toHaveLength(shop.length);
    expect(shown).toContain("LOG_LEVEL: ****\n");
    expect(shown).toContain("WORKER_HOST: ********");
    expect(shown).toContain("branch: main");
  });
});
