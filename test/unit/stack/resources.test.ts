import { join } from "node:path";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic";
import { diagnosticsText } from "../../../src/report/diagnostics";
import { plainStyle } from "../../../src/report/style";
import { casesIn, textIn } from "../../support/rows";
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

  it.each(casesIn<[string, object, readonly string[]]>(join(__dirname, "found-in-stacks.json")))(
    "%s",
    async (_, stack, expected) => {
      expect(await codes(stack)).toEqual(expected);
    },
  );

  it("may lie in a project that is declared nowhere, by its id", async () => {
    const found = await loadStackJson(withService({ project_id: id }));
    expect(resource(found, "service.api").parent).toBeUndefined();
    expect(values(found, "service.api").projectId).toBe(id);
  });

  it("have lifecycle, depends_on, import and comments of rnv", async () => {
    const found = await loadStackJson(textIn(join(__dirname, "lifecycle.json")));
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

  it("a stack and a manifest are not read together", async () => {
    const found = await loadFiles({ [file]: "{}", "rnv.yaml": "projects: {}" }, [file, "rnv.yaml"]);
    expect(found.diagnostics).toMatchObject([{ code: "manifest.unsupported" }]);
  });
});
