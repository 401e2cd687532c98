import { join } from "node:path";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic";
import { diagnosticsText } from "../../../src/report/diagnostics";
import { plainStyle } from "../../../src/report/style";
import { casesIn } from "../../support/rows";
import { pointedAt } from "../../support/shown-texts";
import { file, loadFiles, loadStackJson, resource, values, withService } from "./load-stack";

const id = "3b1f8f0e-0000-4000-8000-000000000001";

async function codes(stack: object): Promise<string[]> {
  const found = await loadStackJson(stack);
  return found.diagnostics.map(({ code, summary }) => `${code} ${summary}`);
}

describe("the resources of a stack", () => {
  it("are named after their Terraform names, where two underscores are a dot", async () => {
    const named = (...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, { name, kind: "web" }]));
    const found = await loadStackJson({
      resource: { rnv_service: named("api", "shop__api", "a____b", "__c", "a_b", "x___y") },
    });
    expect([...(found.desired?.resources.keys() ?? [])]).toEqual([
      "service.api",
      "service.shop.api",
      "service.a____b",
      "service.__c",
      "service.a_b",
      "service.x._y",
    ]);
  });

  it("are one where the service has one: a key of a service, its deployment, the layout of a project", async () => {
    const path = (text: string) => ({ "//": { metadata: { path: text } } });
    const service = { service_id: "${rnv_service.api.id}" };
    const project = { project_id: "${rnv_project.shop.id}", positions: "auto" };
    expect(
      await codes({
        resource: {
          rnv_project: { shop: { name: "Shop" } },
          rnv_service: { api: { name: "api", kind: "web" }, other: { name: "other", kind: "web" } },
          rnv_variable: {
            a: { ...service, ...path("s/a"), key: "K", value: "1" },
            b: { ...service, ...path("s/b"), key: "K", value: "1" },
            c: { ...service, key: "L", value: "1" },
            d: { service_id: "${rnv_service.other.id}", key: "K", value: "1" },
            e: { service_id: id, key: "K", value: "1" },
            f: { service_id: id, key: "K", value: "1" },
          },
          rnv_deployment: { a: { ...service }, b: { ...service, ...path("s/deploy") } },
          rnv_canvas_layout: { a: project, b: project },
        },
      }),
    ).toEqual([
      'stack.duplicate s/b declares the variable "K" of service.api, as does s/a',
      `stack.duplicate rnv_variable.f declares the variable "K" of ${id}, as does rnv_variable.e`,
      "stack.duplicate s/deploy declares the deployment of service.api, as does rnv_deployment.a",
      "stack.duplicate rnv_canvas_layout.b declares the layout of project.shop, as does rnv_canvas_layout.a",
    ]);
  });

  it("have a name each in their project or beside it, in one stack", async () => {
    const project = { project_id: "${rnv_project.shop.id}" };
    const web = (more: object = {}) => ({ name: "api", kind: "web", ...more });
    expect(
      await codes({
        resource: {
          rnv_project: { shop: { name: "Shop" }, other: { name: "Shop" } },
          rnv_service: {
            a: web(),
            b: web({ kind: "worker" }),
            c: web(project),
            d: web({ ...project, name: "${rnv_service.a.name}" }),
            e: web({ ...project, name: "other" }),
          },
        },
      }),
    ).toEqual([
      'stack.duplicate rnv_project.other declares the project "Shop", as does rnv_project.shop',
      'stack.duplicate rnv_service.b declares the service "api", as does rnv_service.a',
      'stack.duplicate rnv_service.d declares the service "api" of project.shop, as does rnv_service.c',
    ]);
  });

  it("take a write-only value for the value, whatever tells Terraform to send it", async () => {
    const variable = (fields: object) => ({
      resource: {
        rnv_service: { api: { name: "api", kind: "web" } },
        rnv_variable: { v: { service_id: "${rnv_service.api.id}", key: "K", ...fields } },
      },
    });
    const version = { value_wo_version: '${parseint(sha256("x"), 16)}' };
    expect(await codes(variable({ value_wo: "text", ...version }))).toEqual([]);
    expect(await codes(variable({ value: "a", value_wo: "b" }))).toEqual([
      "stack.unsupported rnv_variable.v: value is written twice: stored, write-only or made up",
    ]);
    expect(await codes(variable({ generate: { length: 32 } }))).toEqual([]);
    expect(await codes(variable({ generate: { length: 8 } }))).toEqual([
      "manifest.secret_source variable.v: value.generate.length must be a whole number from 16 to 256, not a number",
    ]);
    expect(await codes(variable({ generate: { length: 32 }, value_wo: "b" }))).toEqual([
      "stack.unsupported rnv_variable.v: value is written twice: stored, write-only or made up",
    ]);
  });

  it("may lie in a project that is declared nowhere, by its id", async () => {
    const found = await loadStackJson(withService({ project_id: id }));
    expect(resource(found, "service.api").parent).toBeUndefined();
    expect(values(found, "service.api").projectId).toBe(id);
  });

  it("have lifecycle, depends_on, import and comments of rnv", async () => {
    const stack = withService(
      {
        lifecycle: { prevent_destroy: true, ignore_changes: ["configuration.health_check_path", "archived"] },
        depends_on: ["rnv_service.other"],
        "//": {
          rnv: { on_remove: "archive", moved_from: ["service.shop.api"] },
          metadata: { path: "shop/api" },
        },
      },
      {
        import: [{ to: "rnv_service.api", id }],
        moved: [{ from: "rnv_service.old__one", to: "rnv_service.other" }],
        removed: [{ from: "rnv_service.shop__gone" }],
      },
    ) as { resource: { rnv_service: Record<string, object> } };
    stack.resource.rnv_service.other = { name: "other", kind: "web" };
    const found = await loadStackJson(stack);
    expect(found.diagnostics).toEqual([]);
    expect(resource(found, "service.api")).toMatchObject({
      lifecycle: {
        preventDestroy: true,
        ignoreChanges: ["configuration.healthCheckPath", "archived"],
        onRemove: "archive",
      },
      dependsOn: ["service.other"],
      importId: { id },
    });
    expect(found.desired?.moved.map(({ from, to }) => `${from} -> ${to}`)).toEqual([
      "service.old.one -> service.other",
      "service.shop.api -> service.api",
    ]);
    expect(found.desired?.removed.map(({ address }) => address)).toEqual(["service.shop.gone"]);
  });
});

describe("a feature of Terraform alone", () => {
  it.each(casesIn<[string, object, string]>(join(__dirname, "refused-features.json")))(
    "%s is refused under the path of its construct",
    async (_what, body, named) => {
      const found = await loadStackJson(withService(body));
      expect(found.desired).toBeUndefined();
      expect(found.diagnostics[0]).toMatchObject({
        code: "stack.unsupported",
        summary: `shop/api: ${named} is not supported by rnv`,
        hint: expect.stringContaining("Terraform"),
      });
    },
  );

  it.each(casesIn<[string, object, string]>(join(__dirname, "refused-blocks.json")))(
    "%s is refused even where nothing uses it",
    async (_what, stack, named) => {
      expect(await codes(stack)).toEqual([expect.stringContaining(named)]);
    },
  );

  it("a provider block may only repeat the environment of the run", async () => {
    const provider = (body: object) => withService({}, { provider: { rnv: [body] } });
    const environment = { RNV_WORKSPACE_ID: id, RNV_BASE_URL: "https://rnv.example.com/api/v1/" };
    const found = async (body: object) =>
      (await loadStackJson(provider(body), { environment })).diagnostics.map(({ code }) => code);
    expect(await found({ workspace_id: id, base_url: "https://rnv.example.com/api/v1" })).toEqual([]);
    expect(await found({ workspace_id: id.replace("3", "4") })).toEqual(["config.invalid"]);
    expect(await found({ base_url: "https://other.example.com/api/v1" })).toEqual(["config.invalid"]);
    expect(await found({ api_key: "rnv_x" })).toEqual(["stack.unsupported"]);
    expect(await found({ workspace: id })).toEqual(["stack.unknown_key"]);
  });

  it("a remote backend is not used, which is said", async () => {
    const found = await loadStackJson(withService({}, { terraform: { backend: { s3: { bucket: "b" } } } }));
    expect(found.desired).toBeDefined();
    expect(found.diagnostics).toMatchObject([
      { severity: "warning", summary: expect.stringContaining("the backend is not used") },
    ]);
  });
});

describe("mistakes in a stack", () => {
  it.each(casesIn<[string, object, string, string, string | null]>(join(__dirname, "mistakes.json")))(
    "%s is pointed at",
    async (_what, body, code, pointed, hint) => {
      const found = await loadStackJson(withService(body));
      const [first, ...others] = found.diagnostics;
      expect(others).toEqual([]);
      expect(first).toMatchObject({ code, ...(hint === null ? {} : { hint }) });
      expect(pointedAt(first)).toBe(pointed);
      expect(diagnosticsText([first as Diagnostic], plainStyle)).toContain("]: shop/api: ");
    },
  );

  it("a missing kind, name or service is missed", async () => {
    expect(
      await codes({
        resource: {
          rnv_service: { a: { name: "a" } },
          rnv_project: { p: {} },
          rnv_variable: { v: { key: "K", value: "x" } },
        },
      }),
    ).toEqual([
      expect.stringContaining("manifest.missing_key service.a lacks kind"),
      expect.stringContaining("rnv_project.p lacks name"),
      expect.stringContaining("rnv_variable.v lacks service_id"),
    ]);
  });

  it("deep nesting is refused, not recursed into", async () => {
    const deep = `{"locals":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}},"resource":{"rnv_service":{"api":{"name":"api","kind":"web","configuration":{"build_command":"\${local.a}"}}}}}`;
    const found = await loadStackJson(deep);
    expect(found.diagnostics.map(({ code }) => code)).toEqual(["stack.too_large"]);
  });

  it("a stack and a manifest are not read together", async () => {
    const found = await loadFiles({ [file]: "{}", "rnv.yaml": "projects: {}" }, [file, "rnv.yaml"]);
    expect(found.diagnostics).toMatchObject([{ code: "manifest.unsupported" }]);
  });
});
