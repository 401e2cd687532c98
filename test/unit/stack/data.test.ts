import { loadStackJson, resource, shownValue, values, withService } from "./load-stack";

const project = (body: object) => ({ data: { rnv_project: { shop: body } } });
const commented = { "//": { metadata: { path: "team/theirs" } } };

const summaries = async (stack: object): Promise<string[]> =>
  (await loadStackJson(stack)).diagnostics.map(({ code, summary }) => `${code} ${summary}`);

describe("the data sources of a stack", () => {
  it("are no resources, and no resource waits for them", async () => {
    const stack = withService(
      {
        configuration: { build_command: "${data.rnv_project.shop.name}" },
        depends_on: ["data.rnv_project.shop"],
      },
      project({ name: "Shop" }),
    );
    const found = await loadStackJson(stack);
    expect(found.diagnostics).toEqual([]);
    expect([...(found.desired?.resources.keys() ?? [])]).toEqual(["service.api"]);
    expect(resource(found, "service.api").dependsOn).toEqual([]);
  });

  it("are referred to by the names of Terraform, from attributes, secrets and outputs", async () => {
    const found = await loadStackJson(
      withService(
        {
          project_id: "${data.rnv_project.shop.id}",
          environment: "${data.rnv_project.shop.production_environment_id}",
          configuration: { build_command: "in ${data.rnv_catalog.c.regions[0].id}" },
        },
        {
          data: { rnv_project: { shop: { name: "Shop" } }, rnv_catalog: { c: {} } },
          output: { runtimes: { value: "${data.rnv_catalog.c.service_types}" } },
        },
      ),
    );
    expect(found.diagnostics).toEqual([]);
    const [shop, catalog] = [...(found.desired?.data.keys() ?? [])];
    expect(values(found, "service.api")).toMatchObject({
      projectId: `<${shop} id>`,
      environment: `<${shop} productionEnvironmentId>`,
      "configuration.buildCommand": `in <${catalog} regions.0.id>`,
    });
    expect(shownValue(found.desired?.outputs.get("runtimes")?.value)).toBe(`<${catalog} service_types>`);
  });

  it.each([
    [
      "no id and no name",
      project({ ...commented }),
      "stack.missing_key team/theirs: it needs an id or a name",
    ],
    [
      "an argument that it does not have",
      project({ name: "a", color: "red" }),
      "stack.unsupported data.rnv_project.shop: color is not",
    ],
    [
      "a protection",
      project({ name: "a", lifecycle: { prevent_destroy: true } }),
      "stack.unsupported data.rnv_project.shop: lifecycle.prevent_destroy is not supported by rnv",
    ],
    ["count", project({ name: "a", count: 2 }), "stack.unsupported data.rnv_project.shop: count is not"],
    [
      "an alias that is not declared",
      project({ name: "a", provider: "rnv.eu" }),
      'stack.reference_unknown data.rnv_project.shop: the provider "rnv.eu" is not declared',
    ],
    ["a number for a name", project({ name: 5 }), "stack.invalid_value data.rnv_project.shop: name is text"],
    ["an empty name", project({ name: "" }), "stack.invalid_value data.rnv_project.shop: name is empty"],
    [
      "a dependency that is not declared",
      project({ name: "a", depends_on: ["rnv_service.x"] }),
      "stack.reference_unknown depends_on names service.x",
    ],
    [
      "a ring of lookups",
      {
        data: {
          rnv_service: { a: { name: "${data.rnv_service.b.url}" }, b: { name: "${data.rnv_service.a.url}" } },
        },
      },
      "manifest.reference_cycle references form a cycle",
    ],
    [
      "a ring through a resource",
      withService({ project_id: "${data.rnv_project.shop.id}" }, project({ name: "${rnv_service.api.url}" })),
      "manifest.reference_cycle references form a cycle",
    ],
  ])("%s is an error", async (_what, stack, expected) => {
    expect(await summaries(stack)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ["${data.rnv_project.shp.id}", "data.rnv_project.shp is not declared"],
    ["${data.rnv_project.shop.uid}", 'the data source rnv_project has no attribute "uid"'],
    ["${data.rnv_project.shop}", "the data source rnv_project.shop as a whole"],
    ["${data.rnv_catalog.c.on_remove}", 'the data source rnv_catalog has no attribute "on_remove"'],
  ])("%s in an attribute is an error under its construct", async (written, expected) => {
    const data = { rnv_project: { shop: { name: "Shop" } }, rnv_catalog: { c: {} } };
    const found = await summaries(withService({ configuration: { build_command: written } }, { data }));
    expect(found).toEqual([expect.stringContaining(`shop/api: `)]);
    expect(found[0]).toContain(expected);
  });

  it("cannot stand for the parent of another type", async () => {
    const stack = withService(
      { project_id: "${data.rnv_service.other.id}" },
      { data: { rnv_service: { other: { name: "o" } } } },
    );
    expect(await summaries(stack)).toEqual([expect.stringContaining("project_id is the id of a project")]);
  });
});
