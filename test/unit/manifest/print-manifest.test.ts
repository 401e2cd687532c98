import { briefs, folderWith, load, loadText } from "./load";

const open = "$" + "{";

describe("a merged manifest as text", () => {
  it("says what all files say together, and reads back as the same", async () => {
    const cwd = folderWith({
      "a.yaml":
        `services:\n  api:\n    kind: web\n    configuration: { branch: "1.10", ipAllowList: [a, b], startCommand: x }\n  worker: { kind: worker }\n`.replace(
          ", startCommand: x",
          "",
        ),
      "b.yaml": `services:\n  api:\n    environment: "x-${open}env.STAGE:-y}"\n    configuration: { ipAllowList: [c], plan: "$${open}a}" }\n  worker: null\n`,
    });
    const found = await load(cwd, { files: ["a.yaml", "b.yaml"], secrets: "skip" });
    expect(briefs(found)).toEqual([]);
    const text = found.merged?.() ?? "";
    expect(text).toBe(`services:
  api:
    kind: web
    configuration:
      branch: "1.10"
      ipAllowList:
        - c
      plan: $${open}a}
    environment: x-${open}env.STAGE:-y}
`);
    const values = (one: typeof found) =>
      [...(one.desired?.resources.values() ?? [])].map(({ address, attributes }) => [
        address,
        [...attributes].map(([path, { value }]) => [path, value]).sort(),
      ]);
    expect(values(await loadText(text))).toEqual(values(found));
  });

  it("shows secrets as their sources, never as values, and is no manifest where it leaves some out", async () => {
    const found = await loadText(
      `services:
  web: { kind: web }
  api:
    kind: web
    variables:
      A: canary-1
      B: { fromEnv: B }
      C: { value: canary-2 }
      D: { fromCommand: [vault, canary-3] }
      E: { fromCommand: [vault] }
      F: "canary-4 ${open}service.web.url}"
      G: ${open}service.web.url}
      H: "${open}env.X:-canary-5}"
      I: { preserve: true }
      J: { generate: { length: 32 } }
      K: ""
`,
      { environment: { B: "canary-6", X: "canary-7" }, secrets: "skip" },
    );
    expect(briefs(found)).toEqual([]);
    const text = found.merged?.() ?? "";
    expect(text).not.toContain("canary");
    expect(text).toContain("      A: # (sensitive) text at rnv.yaml:6:10\n      B: { fromEnv: B }\n");
    expect(text).toContain("          - vault\n          -  # (sensitive) text at rnv.yaml:9:33\n");
    expect(text).toContain("        fromCommand:\n          - vault\n");
    expect(text).toContain(`      G: ${open}service.web.url}\n`);
    const again = await loadText(text, { environment: { B: "x" }, secrets: "skip" });
    expect(again.desired).toBeUndefined();
    expect(again.diagnostics.map(({ address }) => address)).toEqual(
      ["A", "C", "D", "F", "H", "K"].map((key) => `variable.api.${key}`),
    );
  });
});
