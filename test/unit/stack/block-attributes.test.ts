import { shownTexts } from "../../support/shown-texts";
import { loadStackJson, resource, values } from "./load-stack";

const serviceId = "${rnv_service.shop__api.id}";

/** What bindings write that `cdktf get` generates from the schema of the Terraform provider. */
const stack = (more: Readonly<Record<string, object>> = {}, service: object = {}) => ({
  resource: {
    rnv_project: { shop: { name: "Shop", deletion_protection: false } },
    rnv_service: {
      shop__api: { name: "api", kind: "web", project_id: "${rnv_project.shop.id}", ...service },
    },
    ...more,
  },
});

async function problems(written: object): Promise<string[]> {
  const { diagnostics } = await loadStackJson(written);
  return diagnostics.map(({ code, summary }) => `${code} ${summary}`);
}

describe("a text of generated bindings", () => {
  it("deletion_protection keeps what it stands on, where the type has it", async () => {
    const found = await loadStackJson(stack({}, { deletion_protection: true }));
    expect(found.diagnostics).toEqual([]);
    expect(resource(found, "service.shop.api").lifecycle.preventDestroy).toBe(true);
    expect(resource(found, "project.shop").lifecycle.preventDestroy).toBe(false);
    const variables = { variable: { x: { type: "bool", default: true } } };
    const named = await loadStackJson({ ...stack({}, { deletion_protection: "${var.x}" }), ...variables });
    expect(resource(named, "service.shop.api").lifecycle.preventDestroy).toBe(true);
    expect(await problems(stack({}, { deletion_protection: "perhaps" }))).toEqual([
      "stack.invalid_value rnv_service.shop__api: deletion_protection is true or false",
    ]);
    const variable = { key: "K", service_id: serviceId, value: "1", deletion_protection: true };
    expect(await problems(stack({ rnv_variable: { v: variable } }))).toEqual([
      "stack.invalid_value rnv_variable.v: nothing of this type has deletion_protection",
    ]);
  });

  it("triggers for what rnv sees by itself are read, and others refused", async () => {
    const level = { service_id: serviceId, key: "LEVEL", value: "info" };
    const deployment = (triggers: unknown, service = serviceId) =>
      problems(
        stack({
          rnv_variable: { l: level, other: { ...level, service_id: "${rnv_service.other.id}" } },
          rnv_deployment: { d: { service_id: service, triggers } },
          rnv_service: {
            shop__api: { name: "api", kind: "web", project_id: "${rnv_project.shop.id}" },
            other: { name: "other", kind: "web" },
          },
        }),
      );
    const seen = {
      a: "${rnv_variable.l.updated_at}",
      b: "${jsonencode(rnv_service.shop__api.configuration)}",
    };
    expect(await deployment(seen)).toEqual([]);
    const refused = ["stack.unsupported rnv_deployment.d: triggers is not supported by rnv"];
    for (const reason of [
      { a: "42" },
      { a: "${rnv_variable.other.updated_at}" },
      { a: "${rnv_service.other.url}" },
      { ...seen, c: "${var.release}" },
      { a: "${rnv_variable.l.updated_at}${var.release}" },
      "${rnv_variable.l}-${timestamp()}${local.x}",
    ])
      expect([reason, await deployment(reason)]).toEqual([reason, refused]);
    // The layout of a project follows the services in it.
    const layout = (service: string) =>
      problems(
        stack({
          rnv_canvas_layout: {
            c: {
              project_id: "${rnv_project.shop.id}",
              positions: "auto",
              triggers: { a: `\${${service}.id}` },
            },
          },
        }),
      );
    expect(await layout("rnv_service.shop__api")).toEqual([]);
    expect(await layout("rnv_service.unknown")).toHaveLength(1);
  });

  it("a map of variables is those variables, at their places in the file and in front of what follows them", async () => {
    const many = {
      service_id: serviceId,
      values: { LEVEL: "info", URL: "${rnv_service.shop__api.url}" },
      values_wo: { TOKEN: "${var.token}" },
      values_wo_version: 1,
    };
    const written = {
      ...stack({
        rnv_variables: { many },
        rnv_deployment: {
          shop__api: {
            service_id: serviceId,
            depends_on: ["rnv_variables.many"],
            triggers: { a: "${jsonencode(rnv_variables.many.updated_at)}" },
          },
        },
      }),
      variable: { token: { type: "string", sensitive: true, default: "text-of-the-token" } },
    };
    const found = await loadStackJson(written);
    expect(found.diagnostics).toEqual([]);
    const addresses = [...(found.desired?.resources.keys() ?? [])].filter((one) =>
      one.startsWith("variable."),
    );
    expect(addresses).toEqual([
      "variable.shop.api.LEVEL",
      "variable.shop.api.URL",
      "variable.shop.api.TOKEN",
    ]);
    expect(values(found, "variable.shop.api.TOKEN").value).not.toBe("text-of-the-token");
    expect(shownTexts(found).join()).not.toContain("text-of-the-token");
    const wrong = await loadStackJson(
      stack({ rnv_variables: { many: { ...many, values_wo: null, values: { A: ["x"] } } } }),
    );
    expect(wrong.diagnostics[0]?.range?.start).toBeGreaterThan(0);
    expect(
      await problems(stack({ rnv_variables: { many: { service_id: serviceId, values: "${var.all}" } } })),
    ).toEqual([
      "stack.unsupported rnv_variables.many: a map of variables whose names are in an expression is not supported by rnv",
    ]);
    const twice = {
      rnv_variable: { a: { service_id: serviceId, key: "LEVEL", value: "x" } },
      rnv_variables: { many },
    };
    expect(await problems({ ...stack(twice), variable: written.variable })).toEqual([
      expect.stringContaining('declares the variable "LEVEL" of service.shop.api'),
    ]);
  });
});
