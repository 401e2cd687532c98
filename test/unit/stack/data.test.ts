import { join } from "node:path";
import { casesIn } from "../../support/rows";
import { loadStackJson, resource, shownValue, values, withService } from "./load-stack";

const project = (body: object) => ({ data: { rnv_project: { shop: body } } });

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

  it.each(casesIn<[string, object, string]>(join(__dirname, "refused-data.json")))(
    "%s is an error",
    async (_what, stack, expected) => {
      expect(await summaries(stack)).toEqual([expect.stringContaining(expected)]);
    },
  );

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
});
