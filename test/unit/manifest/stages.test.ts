import type { LoadedManifest } from "../../../src/declaration/load-request";
import { findStages } from "../../../src/manifest/load-manifest";
import type { StageName } from "../../../src/model/stage";
import { resourceTypes } from "../../../src/resources";
import { shownTexts } from "../../support/shown-texts";
import { briefs, copyOf, folderWith, load, mistakesIn } from "./load";

/** Code and place of each finding. */
const places = (found: LoadedManifest): string[] =>
  briefs(found).map((brief) => brief.split(" ").slice(0, 2).join(" "));

const base = "services: { docs: { kind: static, configuration: { publishDirectory: build } } }\n";

const read = (
  files: Readonly<Record<string, string>>,
  stage?: StageName | "any",
  environment: Readonly<Record<string, string>> = {},
): Promise<LoadedManifest> => load(folderWith(files), { environment, ...(stage !== undefined && { stage }) });

describe("a mistake in stages", () => {
  const production = { name: "production" };
  it.each(mistakesIn("stages.txt"))("is an error at its place: %s", async (_, stages, expected) => {
    const [brief, asked = "production"] = expected.split(" | --stage ");
    const [, name = "", id] = /^([^/]*)(?:\/(.*))?$/.exec(asked) ?? [];
    const files = { "rnv.yaml": stages + base, "again.yaml": "stages: { x: {} }\n" };
    const found = await read(files, { name, ...(id !== undefined && { id }) }, { API_TOKEN: "hunter2" });
    expect(places(found)).toEqual([brief]);
    expect(found.desired).toBeUndefined();
    expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain("hunter2");
  });

  it("a password of a state is not shown where the file is broken either", async () => {
    const broken =
      "stages:\n  production:\n    state: https://u:hunter2@example.com/s?token=hunter2\n    x: [\n";
    const found = await read({ "rnv.yaml": broken }, production);
    expect(JSON.stringify([found.diagnostics, shownTexts(found)])).not.toContain("hunter2");
  });

  it("a stage that was misspelt is named, and all are listed without a stage", async () => {
    const files = { "rnv.yaml": `stages: { production: {}, preview: { each: true } }\n${base}` };
    expect((await read(files, { name: "prodution" })).diagnostics[0]?.hint).toBe(
      'did you mean "production"?',
    );
    expect((await read(files)).diagnostics).toMatchObject([
      { code: "manifest.stage_missing", hint: expect.stringContaining("production, preview/ID") },
    ]);
  });
});

describe("the stage that is read", () => {
  it("stands wherever it is written, in overlays and paths too, and nothing is deleted in a protected stage", async () => {
    const { desired, diagnostics } = await load(copyOf("stages"), { stage: { name: "production" } });
    expect(diagnostics).toEqual([]);
    const api = desired?.resources.get("service.shop.api" as never);
    expect(api?.attributes.get("configuration.branch")?.value).toBe("r-production");
    expect(api?.attributes.get("configuration.repository")?.value).toBe("https://git.example.com/production");
    expect(desired?.resources.has("variable.shop.api.FROM_FILE" as never)).toBe(true);
    expect(
      [...(desired?.resources.values() ?? [])].filter(({ lifecycle }) => lifecycle.preventDestroy),
    ).toHaveLength(2);
    expect(desired?.stage).toEqual({ name: "production", protect: true, disposable: false });
  });

  it("fills in where a state is, and says nothing of stages that were not asked for", async () => {
    const place = async (environment: Readonly<Record<string, string>>) => {
      const sources = { files: [], cwd: copyOf("stages"), types: resourceTypes, environment };
      return (await findStages(sources)).settingsOf({ name: "preview", id: "12" });
    };
    const workspace = "00000000-0000-4000-8000-0000000000E1";
    expect((await place({ W: workspace })).settings).toEqual({
      workspace: workspace.toLowerCase(),
      state: "s3://b/preview-12.json",
    });
    expect((await place({})).diagnostics.map(({ code }) => code)).toEqual(["manifest.env_missing"]);
  });

  // DESIGN section 10: "an `each` stage whose project and service names lack the id" is refused.
  it.each([
    ['"shop-pr-${stage.id}"', true],
    ['"${ stage.id }"', true],
    ["shop-v12", false],
    ["shop", false],
  ])("the name %s is one of its own for each instance: %s", async (name, holds) => {
    const found = await read(
      { "rnv.yaml": `stages: { p: { each: true } }\nprojects: { shop: { name: ${name} } }\n` },
      { name: "p", id: "12" },
    );
    expect(places(found)).toEqual(holds ? [] : ["guard.stage rnv.yaml:2:27"]);
  });

  it.each([
    ["12", true],
    ["2", false],
  ])("a program gives its names an id by itself: %s is in shop-12: %s", async (id, holds) => {
    const json = '{"stages": {"p": {"each": true}}, "projects": {"shop": {"name": "shop-12"}}}';
    const { diagnostics } = await load(folderWith({}), { manifest: { json }, stage: { name: "p", id } });
    expect(diagnostics.map(({ code }) => code)).toEqual(holds ? [] : ["guard.stage"]);
  });

  it.each([
    ["each instance of a stage", { name: "preview", id: "1" }, ["guard.stage rnv.yaml:2:29"]],
    ["stages that are not alone", { name: "staging" }, ["guard.stage rnv.yaml:2:29"]],
    ["a stage with an overlay that has its own", { name: "production" }, []],
  ])(
    "an import in the manifest of %s is refused: it would take over what another has",
    async (_, stage, expected) => {
      const id = "6f1c0000-0000-4000-8000-000000000001";
      const found = await read(
        {
          "rnv.yaml": `stages: { production: { overlay: p.yaml }, staging: {}, preview: { each: true, overlay: q.yaml } }\nprojects: { shop: { import: ${id} } }\n`,
          "p.yaml": `projects: { shop: { import: ${id} } }\n`,
          "q.yaml": 'projects: { shop: { name: "shop-${stage.id}" } }\n',
        },
        stage,
      );
      expect(places(found)).toEqual(expected);
    },
  );
});
