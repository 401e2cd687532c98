import { join } from "node:path";
import { expectText } from "../../support/expected-text";
import { briefs, copyOf, load, loadText } from "./load";

describe("a merged manifest as text", () => {
  it("says what all files say together, and reads back as the same", async () => {
    const found = await load(copyOf("printed/overlaid"), { files: ["a.yaml", "b.yaml"], secrets: "skip" });
    expect(briefs(found)).toEqual([]);
    const text = found.merged?.() ?? "";
    expectText(join(__dirname, "expected/merged.yaml"), text);
    const values = (one: typeof found) =>
      [...(one.desired?.resources.values() ?? [])].map(({ address, attributes }) => [
        address,
        [...attributes].map(([path, { value }]) => [path, value]).sort(),
      ]);
    expect(values(await loadText(text))).toEqual(values(found));
  });

  it("shows secrets as their sources, never as values, and is no manifest where it leaves some out", async () => {
    const request = { environment: { B: "canary-6", X: "canary-7" }, secrets: "skip" } as const;
    const found = await load(copyOf("printed/secrets"), request);
    expect(briefs(found)).toEqual([]);
    const text = found.merged?.() ?? "";
    expect(text).not.toContain("canary");
    expect(text).toContain("      A: # (sensitive) text at rnv.yaml:6:10\n      B: { fromEnv: B }\n");
    expect(text).toContain("          - vault\n          -  # (sensitive) text at rnv.yaml:9:33\n");
    expect(text).toContain("        fromCommand:\n          - vault\n");
    expect(text).toContain("      G: ${service.web.url}\n");
    const again = await loadText(text, { environment: { B: "x" }, secrets: "skip" });
    expect(again.desired).toBeUndefined();
    expect(again.diagnostics.map(({ address }) => address)).toEqual(
      ["A", "C", "D", "F", "H", "K"].map((key) => `variable.api.${key}`),
    );
  });
});
