import { createEndpoints } from "../../../src/api/create-endpoints";
import type { DetectedPatchFormat } from "../../../src/api/endpoints";
import { defaultGaps, type GapSettings } from "../../../src/api/gap-settings";
import { Secret } from "../../../src/model/secret";
import { fakeSend, workspace } from "./fake-send";

const shown = { id: "v1", key: "A", value: null, updatedAt: "2026-01-01T00:00:00Z" };
const change = { key: "A", value: new Secret("a-token") };

/** Changes a variable of a service whose answers to PATCH are these, in turn; a list shows `listed`. */
async function changed(
  answers: readonly unknown[],
  more: {
    readonly gaps?: Partial<GapSettings>;
    readonly detected?: DetectedPatchFormat;
    readonly listed?: readonly object[];
  } = {},
) {
  let patches = 0;
  const fake = fakeSend(({ method }) =>
    method === "PATCH" ? answers[Math.min(patches++, answers.length - 1)] : { variables: more.listed ?? [] },
  );
  const detected: DetectedPatchFormat = more.detected ?? {};
  const endpoints = createEndpoints(fake.send, workspace, { ...defaultGaps, ...more.gaps }, detected);
  const end = await endpoints.updateVariable("s1", "v1", change).catch((failure: unknown) => failure);
  const bodies = fake.requests.flatMap(({ method, body }) =>
    method === "PATCH" ? [Object.keys(body as object)] : [],
  );
  return { end, bodies, detected, lines: fake.lines() };
}

// Gap "change a variable".
describe("the change of a variable", () => {
  it("is sent under the assumed names, and a form that was taken is kept to", async () => {
    const { end, bodies, detected } = await changed([{ variable: shown }]);
    expect(end).toMatchObject({ id: "v1" });
    expect({ bodies, detected }).toEqual({
      bodies: [["key", "value"]],
      detected: { patchVariable: "key,value" },
    });
    const again = await changed([{ variable: shown }], { detected: { patchVariable: "name,value" } });
    expect(again.bodies).toEqual([["name", "value"]]);
  });

  it("is tried once under other names after a refusal of its body, and only while nothing is known", async () => {
    const { bodies, detected } = await changed([400, { variable: shown }]);
    expect({ bodies, detected }).toEqual({
      bodies: [
        ["key", "value"],
        ["name", "value"],
      ],
      detected: { patchVariable: "name,value" },
    });
    for (const more of [
      { detected: { patchVariable: "key,value" } },
      { gaps: { patchVariable: "key,value" } },
    ]) {
      const once = await changed([400, { variable: shown }], more);
      expect(once.bodies).toHaveLength(1);
      expect(once.end).toMatchObject({ kind: "refused", status: 400 });
    }
    const other = await changed([409, { variable: shown }]);
    expect(other).toMatchObject({ bodies: [["key", "value"]], end: { status: 409 } });
  });

  it("that no form gets through names its setting, and one of a form that was taken before does not", async () => {
    const hint = async (...args: Parameters<typeof changed>) =>
      ((await changed(...args)).end as { hint?: string }).hint ?? "";
    expect(await hint([400])).toContain("RNV_GAP_PATCH_VARIABLE");
    expect(await hint([400], { gaps: { patchVariable: "key,value" } })).toContain("RNV_GAP_PATCH_VARIABLE");
    expect(await hint([400], { detected: { patchVariable: "key,value" } })).not.toContain(
      "RNV_GAP_PATCH_VARIABLE",
    );
    expect(await hint([400, 409])).not.toContain("RNV_GAP_PATCH_VARIABLE");
  });

  it("has the form that a setting gives it", async () => {
    const form = (patchVariable: string) => changed([{ variable: shown }], { gaps: { patchVariable } });
    expect((await form("variable,text")).bodies).toEqual([["variable", "text"]]);
    expect((await form("name")).bodies).toEqual([["name", "value"]]);
    expect((await form('{"variable":{"key":"$key","value":"$value"}}')).bodies).toEqual([["variable"]]);
  });

  it("that its answer does not show is looked up in the list, and is unreadable where that does not show it", async () => {
    const { end, lines } = await changed([{}], { listed: [{ ...shown, id: "v0" }, shown] });
    expect(end).toMatchObject({ id: "v1" });
    expect(lines.at(-1)).toBe("GET /services/s1/variables");
    expect((await changed([{}])).end).toMatchObject({
      ...{ kind: "malformed", operation: "updateVariable", method: "PATCH" },
      path: `/workspaces/${workspace}/services/s1/variables/v1`,
    });
  });
});
