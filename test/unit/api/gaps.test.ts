import { join } from "node:path";
import { fillBody, gapSettings } from "../../../src/api/gap-rules";
import { defaultGaps, gapSettingList, gaps, gapVariable } from "../../../src/api/gaps";
import { rowsIn } from "../../support/rows";

describe("the table of gaps", () => {
  it("names each setting once, and says of each gap what is assumed, how that is checked, and what else happens", () => {
    expect(new Set(gapSettingList.map(({ key }) => key)).size).toBe(gapSettingList.length);
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
});

describe("gapSettings", () => {
  it("warns of an unknown variable", () => {
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

  it.each(rowsIn(join(__dirname, "refused-gap-settings.tsv")))(
    "refuses %s=%s with an example, and keeps the default",
    (name, value) => {
      const { settings, diagnostics } = gapSettings({ [name]: value });
      expect(settings).toEqual(defaultGaps);
      expect(diagnostics).toMatchObject([
        {
          severity: "error",
          code: "config.invalid",
          hint: expect.stringMatching(new RegExp(`^expected .*; for example ${name}=`)),
        },
      ]);
    },
  );

  it("refuses a body to roll back that names no deployment where the path names none either", () => {
    const body = '{"confirm": "{confirm}"}';
    expect(gapSettings({ RNV_GAP_ROLL_BACK_BODY: body }).diagnostics).toEqual([]);
    expect(
      gapSettings({ RNV_GAP_ROLL_BACK: "/rollback", RNV_GAP_ROLL_BACK_BODY: body }).diagnostics,
    ).toMatchObject([{ severity: "error", hint: expect.stringContaining("{deploymentId}") }]);
  });
});

describe("asking under a gap", () => {
  it("fills a body, and leaves out what has no value, with the objects that held nothing else", () => {
    const template = '{"service": {"name": "{name}", "more": {"set": "{configuration}"}}, "by": "rnv"}';
    expect(fillBody(template, { name: "api", configuration: { port: 1 } })).toEqual({
      service: { name: "api", more: { set: { port: 1 } } },
      by: "rnv",
    });
    expect(fillBody(template, { name: undefined, configuration: undefined })).toEqual({ by: "rnv" });
  });
});
