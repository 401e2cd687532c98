import { diagnosticsText } from "../../../src/report/diagnostics";
import { plainStyle } from "../../../src/report/style";
import { folderWith, load, removeFolders } from "./load";

afterEach(removeFolders);

const loadValue = (manifest: unknown) => load(folderWith({}), { manifest });

const withService = (service: unknown) => ({ projects: { shop: { services: { api: service } } } });

describe("A manifest given as a value", () => {
  it("reads every text as it is", async () => {
    const text = "1.10 \u2028 \u0085\u007f\ufeff \ud83d\ude00 --- ${env.X:-a} # 'no' \"comment\"\n\t<<";
    const service = {
      kind: "web",
      archived: undefined,
      configuration: { branch: text, ignorePaths: ["a", undefined, "b"], replicas: 2 },
    };
    const manifest = { ...withService(service), outputs: { text }, "x-more": [-0.5, 1e21, null, true] };
    const given = await loadValue(manifest);
    expect(given.diagnostics).toEqual([]);
    const plain = given.desired?.resources.get("service.shop.api" as never)?.attributes;
    expect(plain?.get("configuration.branch")?.value).toBe(text.replace("${env.X:-a}", "a"));
    expect(plain?.get("configuration.ignorePaths")?.value).toEqual(["a", "b"]);
  });

  it("names the path of a mistake, and shows that part without secrets", async () => {
    const { diagnostics } = await loadValue(
      withService({ kindd: "web", kind: "web", variables: { TOKEN: { text: "s3cret" }, PORT: 8080 } }),
    );
    const text = diagnosticsText(diagnostics, plainStyle);
    expect(text).toContain('--> <manifest>: projects.shop.services.api.kindd\n  | "kindd": "web"');
    expect(text).toContain("--> <manifest>: projects.shop.services.api.variables.PORT\n");
    expect(text).not.toContain("s3cret");
  });

  it.each([
    [Number.NaN, "is NaN"],
    [Number.NEGATIVE_INFINITY, "is -Infinity"],
    [1n, "is a bigint"],
    [() => 1, "is a function"],
    [new Date(0), "is an object of the class Date"],
    [new Map(), "is an object of the class Map"],
  ])("refuses what JSON cannot hold: %p", async (port, problem) => {
    const { diagnostics } = await loadValue(withService({ configuration: { port } }));
    const path = "projects.shop.services.api.configuration.port";
    expect(diagnostics.map(({ summary }) => summary)).toEqual([`${path} ${problem}`]);
  });

  it("refuses a cycle", async () => {
    const moved: unknown[] = [];
    moved.push({ from: moved });
    const { diagnostics } = await loadValue({ moved });
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      "moved[0].from refers to a value that it is in",
    ]);
  });
});
