import { randomBytes } from "node:crypto";
import { schema } from "../../../src/commands/schema";
import { stateFileSchema } from "../../../src/model/state";
import { planDocument } from "../../../src/plan/document";
import { planDocumentSchema, planFromDocument, planJson } from "../../../src/render/plan-json";
import { planText } from "../../../src/render/plan-text";
import { plainStyle } from "../../../src/render/style";
import { StateCipher } from "../../../src/state/cipher";
import { emptyState } from "../../../src/state/recorded";
import { address, change, field, plan, shopPlan, value } from "../../support/plan-fixture";

const published = (name: Parameters<typeof schema>[0]) => schema(name) as Readonly<Record<string, unknown>>;

it.each(["plan", "drift", "state", "events"] as const)(
  "the %s schema is draft 07 and can be written as JSON",
  (name) => {
    const found = published(name);
    expect(found.$schema).toBe("http://json-schema.org/draft-07/schema#");
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  },
);

it("the state schema describes a state in the clear and an encrypted one", async () => {
  const empty = emptyState({ lineage: "line", workspaceId: "w", baseUrl: "https://api.test/api/v1" });
  const gone = {
    type: "service",
    name: "old",
    address: address("service.old"),
    at: "2026-01-01T00:00:00.000Z",
  };
  const state = { ...empty, deleted: { "id-1": gone } };
  const cipher = new StateCipher({ RNV_STATE_KEY: "0123456789abcdef".repeat(4) }, randomBytes);
  const forms = (published("state").oneOf ?? published("state").anyOf) as {
    properties: object;
    required: string[];
  }[];
  for (const [i, encrypted] of [false, true].entries()) {
    const document = JSON.parse(await cipher.encode(state, undefined, encrypted));
    expect(stateFileSchema.safeParse(document).error).toBeUndefined();
    const { properties, required } = forms[i] as (typeof forms)[number];
    expect(Object.keys(document).sort()).toEqual(Object.keys(properties).sort());
    const always = Object.keys(document).filter((key) => key !== "deleted");
    expect([...required].sort()).toEqual(always.sort());
    const { serial: _serial, ...without } = document;
    expect(stateFileSchema.safeParse(without).success).toBe(false);
  }
});

it("the plan schema accepts what planDocument writes", () => {
  expect(planDocumentSchema.safeParse(JSON.parse(planJson(shopPlan))).error).toBeUndefined();
});

it("the plan schema refuses a document of another shape", () => {
  const document = planDocument(shopPlan);
  expect(planDocumentSchema.safeParse({ ...document, extra: 1 }).success).toBe(false);
  expect(planDocumentSchema.safeParse({ ...document, format_version: "2.0" }).success).toBe(false);
});

it("a plan read back from its document is shown as it was", () => {
  const replaced = change("replace", "service.x", {
    id: "1",
    missing: true,
    previousAddress: address("service.y"),
    attributes: [field("kind", value("web"), value("static"), { forcesReplacement: true })],
    deletesAfter: [address("service.z")],
  });
  const standing = [
    {
      address: address("service.b"),
      code: "suspended",
      class: "running",
      summary: "suspended",
      since: "2026-11-22T05:40:00Z",
    } as const,
  ];
  for (const given of [shopPlan, plan([replaced, change("adopt", "service.b", { id: "2" })], { standing })]) {
    const shown = planFromDocument(JSON.parse(planJson(given)));
    expect(shown && planText(shown, plainStyle)).toBe(planText(given, plainStyle));
  }
});

it("what is not a plan document is not shown", () => {
  expect(planFromDocument({ format_version: "1.2" })).toBeUndefined();
});
