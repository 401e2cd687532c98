import { pointedAt } from "../../support/shown-texts";
import { loadStackJson, resource } from "./load-stack";

const path = { "//": { metadata: { path: "shop/api" } } };
const id = "33333333-3333-4333-8333-333333333333";

/** Loads the stack of a service in a project, with one provider block or several. */
const load = (settings: object | readonly object[], body: object = {}, others: object = {}) => {
  const service = { name: "api", kind: "web", project_id: "${rnv_project.shop.id}", ...path, ...body };
  const stack = {
    ...others,
    provider: { rnv: [settings].flat() },
    resource: {
      rnv_project: { shop: { name: "Shop" } },
      rnv_service: { api: service },
      rnv_variable: { KEY: { key: "KEY", value: "1", service_id: "${rnv_service.api.id}" } },
    },
  };
  const base = "https://rnv.example.com/api/v1/";
  const environment = { RNV_WORKSPACE_ID: id, RNV_BASE_URL: base, TF_VAR_key: "rnv_abc" };
  return loadStackJson(stack, { environment });
};

const codes = async (settings: object | readonly object[], body?: object, others?: object) =>
  (await load(settings, body, others)).diagnostics.map(
    ({ code, severity, hint }) => `${severity} ${code} ${hint}`,
  );

describe("the provider block of a stack", () => {
  it("keeps projects and services from being deleted, and nothing else", async () => {
    const found = await load({ deletion_protection: true });
    expect(found.diagnostics).toEqual([]);
    expect(
      ["project.shop", "service.api", "variable.KEY"].map((one) => resource(found, one).lifecycle),
    ).toMatchObject([{ preventDestroy: true }, { preventDestroy: true }, { preventDestroy: false }]);
    const off = await load({ deletion_protection: false }, { lifecycle: { prevent_destroy: true } });
    expect(resource(off, "project.shop").lifecycle.preventDestroy).toBe(false);
    expect(resource(off, "service.api").lifecycle.preventDestroy).toBe(true);
  });

  it("is checked with an alias like the other, and counts for what names it", async () => {
    const blocks = [{}, { alias: "kept", workspace_id: id, deletion_protection: true }];
    const found = await load(blocks, { provider: "rnv.kept" });
    expect(found.diagnostics).toEqual([]);
    expect(resource(found, "service.api").lifecycle.preventDestroy).toBe(true);
    expect(resource(found, "project.shop").lifecycle.preventDestroy).toBe(false);
    const elsewhere = [{}, { alias: "eu", workspace_id: id.replace("3", "4") }];
    expect((await load(elsewhere, { provider: "rnv.eu" })).diagnostics).toMatchObject([
      { code: "config.invalid", summary: expect.stringContaining("RNV_WORKSPACE_ID") },
    ]);
    const gone = await load({}, { provider: "rnv.gone" });
    expect(pointedAt(gone.diagnostics[0])).toBe('"rnv.gone"');
    expect(gone.diagnostics).toMatchObject([
      { code: "stack.reference_unknown", summary: 'shop/api: the provider "rnv.gone" is not declared' },
    ]);
  });

  it("takes a key by a sensitive variable, which is for Terraform, and no text", async () => {
    const variable = { key: { type: "string", sensitive: true } };
    expect(await codes({ api_key: "${var.key}" }, {}, { variable })).toEqual([]);
    const open = { key: { type: "string" } };
    for (const [key, others] of [
      ["${var.key}", { variable: open }],
      ["rnv_secret_text", {}],
    ] as const) {
      const { diagnostics } = await load({ api_key: key }, {}, others);
      expect(diagnostics).toMatchObject([
        { code: "stack.unsupported", hint: expect.stringContaining('fromEnv("RNV_API_KEY")') },
      ]);
      expect(JSON.stringify(diagnostics.map(({ summary, hint }) => [summary, hint]))).not.toContain(
        "rnv_secret",
      );
    }
  });

  it("repeats the environment of the run at most", async () => {
    const repeated = { workspace_id: id, base_url: "https://rnv.example.com/api/v1" };
    expect(await codes(repeated)).toEqual([]);
    const { diagnostics } = await load({ base_url: "https://other.example.com/api/v1" });
    expect(diagnostics).toMatchObject([{ code: "config.invalid" }]);
  });

  it("leaves what only Terraform takes to it", async () => {
    expect(await codes({ max_concurrency: 8, accept_missing: true })).toEqual([]);
    expect(await codes({ deletion_protection: "perhaps" })).toEqual(["error stack.invalid_value undefined"]);
    expect(await codes({ base_ulr: "x" })).toEqual(['error stack.unknown_key did you mean "base_url"?']);
  });
});

describe("timeouts of a resource", () => {
  it("bound how long an apply waits", async () => {
    const found = await load({}, { timeouts: { create: "1h30m", delete: "90s", update: null } });
    expect(resource(found, "service.api").timeouts).toEqual({ create: 5_400_000, delete: 90_000 });
    expect(resource(found, "project.shop").timeouts).toBeUndefined();
  });

  it("are pointed at where they are no durations", async () => {
    const { diagnostics } = await load({}, { timeouts: { create: "soon", read: "5m" } });
    expect(diagnostics).toMatchObject([
      { code: "stack.invalid_value", summary: expect.stringContaining("timeouts.create: expected") },
      { code: "stack.unknown_key", summary: expect.stringContaining('"timeouts.read"') },
    ]);
  });
});

it("count is refused with what to write in its place", async () => {
  const { diagnostics } = await load({}, { count: 3 });
  expect(diagnostics).toMatchObject([
    {
      code: "stack.unsupported",
      summary: "shop/api: count is not supported by rnv",
      hint: expect.stringContaining("write a loop in the program"),
    },
  ]);
});
