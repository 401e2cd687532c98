import { planDocument } from "../../../src/plan/plan-document";
import { planFromDocument } from "../../../src/render/plan-from-document";
import { planJson } from "../../../src/render/plan-json";
import { planDocumentSchema } from "../../../src/render/plan-schema";
import { planText } from "../../../src/render/plan-text";
import { eventsSchema, planSchema, stateSchema } from "../../../src/render/schemas";
import { plainStyle } from "../../../src/render/style";
import { address, change, field, plan, shopPlan, value } from "./plan-fixture";

it.each([
  ["plan", planSchema()],
  ["state", stateSchema()],
  ["events", eventsSchema()],
])("the %s schema is draft 07 and can be written as JSON", (_, schema) => {
  expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#");
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
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
  for (const given of [shopPlan, plan([replaced, change("adopt", "service.b", { id: "2" })])]) {
    const shown = planFromDocument(JSON.parse(planJson(given)));
    expect(shown && planText(shown, plainStyle)).toBe(planText(given, plainStyle));
  }
});

it("what is not a plan document is not shown", () => {
  expect(planFromDocument({ format_version: "1.2" })).toBeUndefined();
});
