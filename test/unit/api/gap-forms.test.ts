import { gapSettings } from "../../../src/api/gap-rules";
import { defaultGaps, type GapSettings, gapVariable } from "../../../src/api/gaps";

type Key = keyof GapSettings;

const servicePath = {
  takes: ["/apps/{serviceId}", "/{serviceId}", "/detail", "/a.b_c~d-E/9"],
  refuses: [
    "apps/{serviceId}",
    "/apps/{projectId}",
    "/a/{serviceId}/b/{serviceId}",
    "/apps/",
    "/a b",
    "/./x",
    "/apps/{serviceIdx",
  ],
};
const field = {
  takes: ["auto", ".", "data", "data.items", "a.b.c"],
  refuses: ["a.", ".a", "a b", "-", ".."],
};

/** What each setting takes besides its default and its example, and what it does not. */
const forms: Readonly<
  Record<Key, { readonly takes: readonly string[]; readonly refuses: readonly string[] }>
> = {
  readService: { ...servicePath, takes: [...servicePath.takes, "off"] },
  serviceAnswer: field,
  patchService: {
    takes: ["auto", "nested", "flat", '{"n": "{name}", "deep": {"c": "{configuration}"}}'],
    refuses: [
      "off",
      "{}",
      '{"n": "{name}"}',
      '{"c": "{configuration}"}',
      '["{name}", "{configuration}"]',
      "null",
    ],
  },
  patchServicePath: { ...servicePath, refuses: [...servicePath.refuses, "off", "route"] },
  patchServiceMethod: { takes: ["PATCH", "PUT", "POST"], refuses: ["GET", "patch", "DELETE"] },
  listVariables: { ...servicePath, takes: [...servicePath.takes, "off"] },
  variableItems: field,
  patchVariable: {
    takes: ["off", "auto", "key,value", '{"a": "{key}", "b": {"c": "{value}"}}'],
    refuses: ["key", "a,b,c", "a, b", ",", '{"a": "{key}"}', '{"a": "{value}"}', '{"a": "{key} {value}"}'],
  },
  variableAnswer: field,
  rollBack: {
    takes: ["off", "/rollback", "/{deploymentId}", "/{serviceId}/{deploymentId}"],
    refuses: ["route", "on", "/{deploymentId}/{deploymentId}", "/{serviceId}/{serviceId}", "/{name}", "/"],
  },
  rollBackBody: {
    takes: ["auto", '{"a": {"b": "{confirm}"}}'],
    refuses: ["off", "{}", '{"a": "{deploymentId}"}', '{"a": "confirm"}', '"{confirm}"'],
  },
  rollBackAnswer: field,
  routeKeys: { takes: ["auto", "on", "off"], refuses: ["yes", "On"] },
  operationBody: { takes: ["auto", "bare", "wrapped"], refuses: ["on", "off"] },
  projectOperation: {
    takes: ["off", "/jobs/{operationId}", "/p/{projectId}/jobs/{operationId}"],
    refuses: [
      "/jobs",
      "/{operationId}/{operationId}",
      "/{projectId}/{projectId}/{operationId}",
      "/{serviceId}/{operationId}",
    ],
  },
  environmentRecord: {
    takes: ["uuid,title", "a_1,B2"],
    refuses: ["id", "id,", "id,name,more", "id, name", "a-b,c"],
  },
  productionEnvironment: { takes: ["production", "The live one"], refuses: [] },
  projectColor: { takes: ["slate", "x", "rgb(1, 2, 3)"], refuses: [] },
  renameProject: { takes: ["on", "off"], refuses: ["auto", "true"] },
  kindDefaults: {
    takes: ["{}", '{"web": {}, "static": {"port": 80}}'],
    refuses: ["[]", "{", '{"web": []}', '{"a": {}, "b": 1}', '{"a": null}'],
  },
  errorBody: { takes: ["auto", "top-level", "nested"], refuses: ["bare", "top"] },
  replayHeader: { takes: ["auto", "X-Again", "a1"], refuses: ["x y", "x:", "é"] },
};

describe("the form of a setting", () => {
  const read = (key: Key, text: string) => gapSettings({ [gapVariable(key)]: text });

  it.each(Object.entries(forms) as [Key, (typeof forms)[Key]][])("%s", (key, { takes, refuses }) => {
    for (const text of takes)
      expect([text, read(key, text)]).toEqual([
        text,
        { settings: { ...defaultGaps, [key]: text }, diagnostics: [] },
      ]);
    for (const text of refuses) {
      const { settings, diagnostics } = read(key, text);
      expect([text, settings, diagnostics.length]).toEqual([text, defaultGaps, 1]);
      expect(diagnostics[0]).toMatchObject({ severity: "error", code: "config.invalid" });
    }
  });

  it.each(["readService", "listVariables", "projectOperation"] as const)(
    "takes the route that is assumed by its name: %s",
    (key) => {
      expect(read(key, "route")).toEqual({ settings: defaultGaps, diagnostics: [] });
    },
  );

  it("is wrong apart from the others: each is said", () => {
    const { settings, diagnostics } = gapSettings({
      ...{ RNV_GAP_ROUTE_KEYS: "yes", RNV_GAP_RENAME_PROJECT: "off", RNV_GAP_ERROR_BODY: "top" },
      ...{ RNV_GAP_NONE_SUCH_AT_ALL: "x", RNV_OTHER: "x", OTHER: undefined },
    });
    expect(settings).toEqual({ ...defaultGaps, renameProject: "off" });
    expect(diagnostics.map(({ severity }) => severity)).toEqual(["error", "error", "warning"]);
    expect(diagnostics[2]?.hint).toContain("rnv schema gaps");
  });

  it.each<[Partial<Record<"ROLL_BACK" | "ROLL_BACK_BODY", string>>, boolean]>([
    [{ ROLL_BACK: "/rollback" }, true],
    [{ ROLL_BACK: "/rollback", ROLL_BACK_BODY: '{"c": "{confirm}", "d": "{deploymentId}"}' }, true],
    [{ ROLL_BACK: "off", ROLL_BACK_BODY: '{"c": "{confirm}"}' }, true],
    [{ ROLL_BACK: "/{deploymentId}", ROLL_BACK_BODY: '{"c": "{confirm}"}' }, true],
    [{ ROLL_BACK: "/rollback", ROLL_BACK_BODY: '{"c": "{confirm}"}' }, false],
    [{ ROLL_BACK: "/rollback", ROLL_BACK_BODY: '{"c": "{confirm}", "d": "x{deploymentId}"}' }, false],
  ])("of a roll back names its deployment in one place: %j", (given, isTaken) => {
    const environment = Object.entries(given).map(([name, text]) => [`RNV_GAP_${name}`, text]);
    expect(gapSettings(Object.fromEntries(environment)).diagnostics).toHaveLength(isTaken ? 0 : 1);
  });
});
