import {
  awaitsCheckout,
  defaultGaps,
  environmentOf,
  errorBodyOf,
  gapSettings,
  gaps,
  gapVariable,
  instancePrice,
  instancesOf,
  operationIn,
  replayedOf,
  withEnvironmentFields,
} from "../../../src/api/gaps";

describe("the table of gaps", () => {
  it("has one entry for every setting, with its default", () => {
    const settings = gaps.flatMap((gap) => (gap.setting === null ? [] : [gap.setting])).sort();
    expect(settings).toEqual(Object.keys(defaultGaps).sort());
    for (const gap of gaps) expect(gap.default).toBe(gap.setting === null ? null : defaultGaps[gap.setting]);
    expect(new Set(gaps.map((gap) => gap.name)).size).toBe(gaps.length);
  });

  it("accepts each default when it is set by hand", () => {
    const environment = Object.fromEntries(
      Object.entries(defaultGaps).map(([name, value]) => [
        gapVariable(name as keyof typeof defaultGaps),
        value,
      ]),
    );
    expect(gapSettings(environment)).toEqual({ settings: defaultGaps, diagnostics: [] });
  });
});

describe("gapSettings", () => {
  it("takes the defaults where nothing is set", () => {
    expect(gapSettings({ RNV_GAP_READ_SERVICE: "", PATH: "/bin" })).toEqual({
      settings: defaultGaps,
      diagnostics: [],
    });
  });

  it("reads RNV_GAP_ variables", () => {
    const { settings, diagnostics } = gapSettings({
      RNV_GAP_READ_SERVICE: "off",
      RNV_GAP_PATCH_SERVICE: "flat",
      RNV_GAP_ROLL_BACK: "/releases/{deploymentId}/restore",
      RNV_GAP_ENVIRONMENT_RECORD: "uuid,title",
    });
    expect(diagnostics).toEqual([]);
    expect(settings).toMatchObject({
      ...{ readService: "off", patchService: "flat", listVariables: "route" },
      ...{ rollBack: "/releases/{deploymentId}/restore", environmentRecord: "uuid,title" },
    });
  });

  it.each([
    ["RNV_GAP_READ_SERVICE", "of"],
    ["RNV_GAP_ROLL_BACK", "/deploys/rollback"],
    ["RNV_GAP_ROLL_BACK", "/../{deploymentId}"],
    ["RNV_GAP_ROLL_BACK", "https://evil.example/{deploymentId}"],
    ["RNV_GAP_ENVIRONMENT_RECORD", "id"],
    ["RNV_GAP_REPLAY_HEADER", "x y"],
  ])("refuses %s=%s and keeps the default", (name, value) => {
    const { settings, diagnostics } = gapSettings({ [name]: value });
    expect(settings).toEqual(defaultGaps);
    expect(diagnostics).toMatchObject([{ severity: "error", code: "config.invalid" }]);
  });

  it("warns about a name that is none, and suggests", () => {
    const { diagnostics } = gapSettings({ RNV_GAP_READ_SERVICES: "off" });
    expect(diagnostics).toMatchObject([
      { severity: "warning", hint: 'did you mean "RNV_GAP_READ_SERVICE"?' },
    ]);
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
    expect(environmentOf({ id: "e", name: "Production", more: 1 })).toEqual({ id: "e", name: "Production" });
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
    const [environment] = withEnvironmentFields(project, "uuid,title").environments;
    expect(environmentOf(environment ?? {})).toEqual({ id: "e", name: "Production" });
    expect(withEnvironmentFields(project, "id,name")).toBe(project);
  });

  it("prices a service as its plan times its instances", () => {
    expect(instancePrice({ usd: 7, ngn: 9000 }, instancesOf({ replicas: 3, minReplicas: 1 }))).toEqual({
      usd: 21,
      ngn: 27_000,
    });
    expect(instancesOf({ scaling: "auto", replicas: 3, minReplicas: 2 })).toBe(2);
    expect(instancesOf({ scaling: "manual", replicas: 0 })).toBe(0);
    expect(instancesOf({})).toBe(1);
  });

  it("tells a checkout from other reasons to wait", () => {
    expect(awaitsCheckout("Complete checkout in the dashboard")).toBe(true);
    expect(awaitsCheckout("No build worker is free")).toBe(false);
  });
});
