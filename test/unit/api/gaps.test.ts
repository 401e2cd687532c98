import {
  awaitsCheckout,
  environmentOf,
  errorBodyOf,
  fillBody,
  operationIn,
  pathUnder,
  replayedOf,
  variablesIn,
  withEnvironmentFields,
  wrappedAs,
} from "../../../src/api/gap-rules";
import { defaultGaps, gapSettingList, gapSettings, gapVariable } from "../../../src/api/gap-settings";
import { type Gap, gaps } from "../../../src/api/gaps";

describe("the table of gaps", () => {
  it("names each setting once, and says of each gap what is assumed, how that is checked, and what else happens", () => {
    const named = Object.values<Gap>(gaps).flatMap(({ settings = [] }) => settings);
    expect([...named].sort()).toEqual(gapSettingList.map(({ key }) => key).sort());
    for (const { assumption, verifiedBy, fallback } of Object.values(gaps))
      for (const text of [assumption, verifiedBy, fallback]) expect(text).toMatch(/\S{2}/);
  });

  it.each(gapSettingList.map((one) => [gapVariable(one.key), one] as const))(
    "%s takes its default and its example",
    (name, { key, default: initial, example }) => {
      for (const value of [initial, example]) {
        const { settings, diagnostics } = gapSettings({ [name]: value });
        expect(diagnostics).toEqual([]);
        expect(settings[key]).toBe(value);
        expect(value).toMatch(/\S/);
      }
    },
  );

  it("gives the defaults where nothing is set, or is set to nothing", () => {
    expect(gapSettings({ RNV_GAP_READ_SERVICE: "", PATH: "/bin" })).toEqual({
      settings: defaultGaps,
      diagnostics: [],
    });
  });
});

describe("gapSettings", () => {
  it("warns of a variable that is none of them", () => {
    expect(gapSettings({ RNV_GAP_READ_SERVICES: "off" })).toMatchObject({
      settings: defaultGaps,
      diagnostics: [
        { severity: "warning", code: "config.invalid", hint: 'did you mean "RNV_GAP_READ_SERVICE"?' },
      ],
    });
  });

  it("reads RNV_GAP_ variables", () => {
    const { settings, diagnostics } = gapSettings({
      RNV_GAP_READ_SERVICE: "off",
      RNV_GAP_LIST_VARIABLES: "route",
      RNV_GAP_PATCH_SERVICE: "flat",
      RNV_GAP_ROLL_BACK: "/releases/{deploymentId}/restore",
      RNV_GAP_ENVIRONMENT_RECORD: "uuid,title",
    });
    expect(diagnostics).toEqual([]);
    expect(settings).toMatchObject({
      ...{ readService: "off", patchService: "flat", listVariables: defaultGaps.listVariables },
      ...{ rollBack: "/releases/{deploymentId}/restore", environmentRecord: "uuid,title" },
    });
  });

  it.each([
    ["RNV_GAP_READ_SERVICE", "of"],
    ["RNV_GAP_READ_SERVICE", "/apps/{id}"],
    ["RNV_GAP_READ_SERVICE", "/apps//{serviceId}"],
    ["RNV_GAP_READ_SERVICE", "/{serviceId}/{serviceId}"],
    ["RNV_GAP_PATCH_SERVICE", '{"configuration": "{configuration}"}'],
    ["RNV_GAP_PATCH_SERVICE", "[1]"],
    ["RNV_GAP_PATCH_VARIABLE", "key"],
    ["RNV_GAP_PATCH_VARIABLE", '{"name": "{key}"}'],
    ["RNV_GAP_PATCH_VARIABLE", '{"text": "{value}"}'],
    ["RNV_GAP_VARIABLE_ITEMS", "data..items"],
    ["RNV_GAP_ROLL_BACK", "rollback"],
    ["RNV_GAP_ROLL_BACK", "/../{deploymentId}"],
    ["RNV_GAP_ROLL_BACK", "/{deploymentId"],
    ["RNV_GAP_ROLL_BACK", "/{deploymentId}x"],
    ["RNV_GAP_ROLL_BACK", "/releases/{deploymentIds}"],
    ["RNV_GAP_ROLL_BACK", "https://evil.example/{deploymentId}"],
    ["RNV_GAP_KIND_DEFAULTS", '{"static": 80}'],
    ["RNV_GAP_ENVIRONMENT_RECORD", "id"],
    ["RNV_GAP_REPLAY_HEADER", "x y"],
  ])("refuses %s=%s with an example, and keeps the default", (name, value) => {
    const { settings, diagnostics } = gapSettings({ [name]: value });
    expect(settings).toEqual(defaultGaps);
    expect(diagnostics).toMatchObject([
      {
        severity: "error",
        code: "config.invalid",
        hint: expect.stringMatching(new RegExp(`^expected .*; for example ${name}=`)),
      },
    ]);
  });

  it("refuses a body to roll back that names no deployment where the path names none either", () => {
    const body = '{"confirm": "{confirm}"}';
    expect(gapSettings({ RNV_GAP_ROLL_BACK_BODY: body }).diagnostics).toEqual([]);
    expect(
      gapSettings({ RNV_GAP_ROLL_BACK: "/rollback", RNV_GAP_ROLL_BACK_BODY: body }).diagnostics,
    ).toMatchObject([{ severity: "error", hint: expect.stringContaining("{deploymentId}") }]);
  });

  it("shows an example that a shell takes as it stands: what it would read otherwise is quoted", () => {
    const hintOf = (name: string) => gapSettings({ [name]: "?" }).diagnostics[0]?.hint ?? "";
    expect(hintOf("RNV_GAP_PATCH_VARIABLE")).toMatch(/RNV_GAP_PATCH_VARIABLE=name,value$/);
    expect(hintOf("RNV_GAP_ROLL_BACK_BODY")).toMatch(/RNV_GAP_ROLL_BACK_BODY='\{.*\}'$/);
  });

  it("warns about a name that is none, and suggests", () => {
    const { diagnostics } = gapSettings({ RNV_GAP_READ_SERVICES: "off" });
    expect(diagnostics).toMatchObject([
      { severity: "warning", hint: 'did you mean "RNV_GAP_READ_SERVICE"?' },
    ]);
  });
});

describe("asking under a gap", () => {
  const path = (...segments: readonly string[]) => ["/workspaces/w", ...segments].join("/");

  it("puts a path with the service's id below the workspace, and any other below the service", () => {
    const ids = { serviceId: "s1", deploymentId: "d/1" };
    expect(pathUnder(path, "/apps/{serviceId}", ids)).toBe("/workspaces/w/apps/s1");
    expect(pathUnder(path, "/detail", ids)).toBe("/workspaces/w/services/s1/detail");
    expect(pathUnder(path, "/deploys/{deploymentId}/rollback", ids)).toBe(
      "/workspaces/w/services/s1/deploys/d%2F1/rollback",
    );
  });

  it("fills a body, and leaves out what has no value, with the objects that held nothing else", () => {
    const template = '{"service": {"name": "{name}", "more": {"set": "{configuration}"}}, "by": "rnv"}';
    expect(fillBody(template, { name: "api", configuration: { port: 1 } })).toEqual({
      service: { name: "api", more: { set: { port: 1 } } },
      by: "rnv",
    });
    expect(fillBody(template, { name: undefined, configuration: undefined })).toEqual({ by: "rnv" });
  });
});

describe("reading under a gap", () => {
  it("finds code and message at the top, under error, and where error is text", () => {
    expect(errorBodyOf({ requestId: "r", code: "c", message: "m" })).toEqual({
      requestId: "r",
      code: "c",
      message: "m",
    });
    expect(errorBodyOf({ error: { requestId: "r", code: "c", message: "m" } })).toEqual({
      requestId: "r",
      code: "c",
      message: "m",
    });
    expect(errorBodyOf({ error: "some_code", requestId: "r" })).toMatchObject({ code: "some_code" });
    expect(errorBodyOf({ error: "Some sentence." })).toMatchObject({
      code: undefined,
      message: "Some sentence.",
    });
    for (const body of [undefined, null, [], "x", { code: 5, message: {} }])
      expect(errorBodyOf(body)).toEqual({ code: undefined, message: undefined, requestId: undefined });
  });

  it("looks only where a setting says", () => {
    const body = { code: "top", error: { code: "nested" } };
    expect(errorBodyOf(body, "top-level").code).toBe("top");
    expect(errorBodyOf(body, "nested").code).toBe("nested");
  });

  it("knows the replay header by its pattern or its set name", () => {
    expect(replayedOf({ "x-idempotency-replayed": "true" })).toBe(true);
    expect(replayedOf({ "idempotent-replayed": "true" })).toBeUndefined();
    expect(replayedOf({ "idempotency-replayed": "False " })).toBe(false);
    expect(replayedOf({ "idempotency-replayed": "perhaps" })).toBeUndefined();
    expect(replayedOf({ "x-again": "true", "idempotency-replayed": "false" }, "X-Again")).toBe(true);
  });

  it("takes the operation bare or wrapped", () => {
    const bare = { id: "o", kind: "restart", status: "queued" };
    expect(operationIn(bare)).toBe(bare);
    expect(operationIn({ operation: bare })).toBe(bare);
    expect(operationIn({ operation: bare }, "bare")).toEqual({ operation: bare });
    expect(operationIn(bare, "wrapped")).toBeUndefined();
  });

  it("reads an environment, and shows the keys of one that it cannot read", () => {
    expect(environmentOf({ id: "e", name: "Production", more: 1 })).toEqual({
      ...{ id: "e", name: "Production", isProduction: true },
    });
    expect(() => environmentOf({ uuid: "e", title: "Production" })).toThrow(
      /has no "id".*title, uuid.*RNV_GAP_ENVIRONMENT_RECORD/,
    );
    expect(() => environmentOf({ id: "e", name: "" })).toThrow(
      expect.objectContaining({ kind: "malformed" }),
    );
  });

  it("renames the fields of environments as set", () => {
    const project = {
      id: "p",
      name: "Shop",
      description: "",
      environments: [{ uuid: "e", title: "Production" }],
    };
    const settings = { ...defaultGaps, environmentRecord: "uuid,title" };
    const [environment] = withEnvironmentFields(project, settings).environments;
    expect(environmentOf(environment ?? {})).toEqual({ id: "e", name: "Production", isProduction: true });
    expect(withEnvironmentFields(project, defaultGaps)).toBe(project);
  });

  it("takes the environment for Production that a setting names, and no other", () => {
    const environments = ["Production", "live"].map((name) => ({ id: name, name }));
    const project = { id: "p", name: "Shop", description: "", environments };
    const named = withEnvironmentFields(project, { ...defaultGaps, productionEnvironment: "live" });
    expect(named.environments.map((one) => environmentOf(one).isProduction)).toEqual([false, true]);
  });

  it("finds a thing in an answer that wraps it and in one that is it", () => {
    expect(wrappedAs("service", { service: { id: "s" } })).toEqual({ service: { id: "s" } });
    expect(wrappedAs("service", { id: "s" })).toEqual({ service: { id: "s" } });
    expect(wrappedAs("service", { ok: true })).toEqual({ ok: true });
  });

  it("finds the list of variables where it is set to be, with its page, and takes nothing else for one", () => {
    const page = { hasMore: false };
    expect(variablesIn({ variables: [1], page }, "auto")).toEqual({ variables: [1], page });
    expect(variablesIn({ items: [1], page }, "auto")).toMatchObject({ variables: [1], page });
    expect(variablesIn({ data: { list: [1], page } }, "data.list")).toEqual({ variables: [1], page });
    expect(variablesIn([1], ".")).toEqual({ variables: [1], page: undefined });
    expect(variablesIn({ other: [1] }, "auto")).toEqual({ other: [1] });
    expect(variablesIn({ variables: [1] }, "items")).toEqual({ variables: undefined, page: undefined });
  });

  it("tells a checkout from other reasons to wait", () => {
    expect(awaitsCheckout("Complete checkout in the dashboard")).toBe(true);
    expect(awaitsCheckout("No build worker is free")).toBe(false);
  });
});
