import { join } from "node:path";
import { casesIn, textIn } from "../../support/rows";
import { shownTexts } from "../../support/shown-texts";
import { loadFiles, loadStackJson, resource, values } from "./load-stack";

/** Stacks of one app, as the library writes them. */
const { base, apps, network, shop }: Readonly<Record<"base" | "apps" | "network" | "shop", object>> =
  JSON.parse(textIn(join(__dirname, "stacks.json")));

const listed = (name: string, dependencies: readonly string[] = []) => ({
  name,
  constructPath: name,
  synthesizedStackPath: `stacks/${name}/cdk.tf.json`,
  dependencies,
});

const output = (stacks: Record<string, { text: object; dependencies?: readonly string[] }>) => {
  const entries = Object.entries(stacks);
  return Object.fromEntries([
    [
      "cdktf.out/manifest.json",
      JSON.stringify({
        version: "0.21.0",
        stacks: Object.fromEntries(entries.map(([name, one]) => [name, listed(name, one.dependencies)])),
      }),
    ],
    ...entries.map(([name, one]) => [`cdktf.out/stacks/${name}/cdk.tf.json`, JSON.stringify(one.text)]),
  ]);
};

describe("a stack that is no JSON", () => {
  it.each(casesIn<string>(join(__dirname, "no-json.json")))(
    "%j is one finding with what to do",
    async (text) => {
      const { diagnostics } = await loadStackJson(text);
      const hint = "a stack is JSON as the synthesis writes it: synthesize it again";
      expect(diagnostics).toMatchObject([
        { code: "stack.syntax", summary: "the text is not valid JSON", hint },
      ]);
    },
  );
});

/** A megabyte of values, each in the one before it. */
const deep = (open: string, inner: string, close: string): string => {
  const levels = Math.floor(1_000_000 / (open.length + close.length));
  return open.repeat(levels) + inner + close.repeat(levels);
};

describe("a stack whose values are nested without end", () => {
  it.each([
    ["[", "1", "]"],
    ['{"a":', "1", "}"],
    ["[", "", ""],
    ['{"a":[', "'", "]}"],
  ])("%j around %j is refused, with nothing of it shown", async (open, inner, close) => {
    const text = `{"locals": {"key": "canary"}, "//": ${deep(open, inner, close)}}`;
    const loaded = await loadStackJson(text);
    const { diagnostics } = loaded;
    expect(diagnostics).toMatchObject([
      { code: "stack.too_large", summary: "values are nested more than 100 levels deep" },
    ]);
    expect(diagnostics[0]?.range?.start).toBeLessThan(1_000);
    const [shown] = shownTexts(loaded);
    expect(shown).toHaveLength(text.length);
    expect(shown).not.toContain("canary");
  });
});

describe("the text that is shown of a stack", () => {
  it("holds nothing of blocks that are for Terraform alone, nor a key of the provider", async () => {
    const loaded = await loadStackJson({
      provider: {
        rnv: [{ api_key: "canary-1", base_url: "https://rnv" }],
        aws: [{ secret_key: "canary-2" }],
      },
      terraform: { backend: { s3: { secret_key: "canary-3" } } },
      data: { http: { x: { request_headers: { a: "canary-4" } } }, rnv_project: { shop: { name: "Shop" } } },
      module: { m: { password: "canary-5" } },
      resource: { aws_thing: { t: { "//": { rnv: {} }, name: "canary-6" } } },
    });
    const text = shownTexts(loaded).join();
    expect(text).not.toContain("canary");
    for (const shown of ["api_key", "https://rnv", "Shop", "module", "aws_thing"])
      expect(text).toContain(shown);
  });
});

describe("a key that is duplicated", () => {
  it("is told for each place, in any spelling", async () => {
    const text = '{"a": {"k": 1, "\\u006b": 2, "k": 3}, "b": ["k\\":", {"k": {}, "l": {"l": 1, "l": "x:"}}]}';
    const { diagnostics } = await loadStackJson(text);
    expect(diagnostics.map(({ code, range }) => [code, text.slice(range?.start, range?.end)])).toEqual([
      ["stack.duplicate", '"\\u006b"'],
      ["stack.duplicate", '"k"'],
      ["stack.duplicate", '"l"'],
    ]);
  });
});

describe("an output folder", () => {
  const unit = {
    name: "apps",
    crossValues: new Map(),
    needsValues: false,
    ownedElsewhere: new Set<string>(),
  };

  it("is read stack by stack, with what the others make as references", async () => {
    const files = output({ apps: { text: apps, dependencies: ["base"] }, base: { text: base } });
    for (const names of [
      ["cdktf.out"],
      ["cdktf.out/manifest.json"],
      ["cdktf.out/stacks/apps/cdk.tf.json", "cdktf.out/stacks/base/cdk.tf.json"],
    ]) {
      const found = await loadFiles(files, names, { stack: unit });
      expect(found.diagnostics).toEqual([]);
      expect([...(found.desired?.resources.keys() ?? [])]).toEqual(["service.api"]);
      expect(resource(found, "service.api").parent).toBeUndefined();
      expect(values(found, "service.api").projectId).toMatch(/^<data\.base\..*rnv_projectshopid value>$/);
      expect([...(found.desired?.outputs.keys() ?? [])]).toEqual(["url"]);
    }
    const other = await loadFiles(files, ["cdktf.out"], { stack: { ...unit, name: "base" } });
    expect([...(other.desired?.resources.keys() ?? [])]).toEqual(["project.shop"]);
  });

  it("is read by the name of a stack where it has several", async () => {
    const files = output({ apps: { text: apps, dependencies: ["base"] }, base: { text: base } });
    expect(await loadFiles(files, ["cdktf.out"])).toMatchObject({
      diagnostics: [
        {
          code: "command.usage",
          summary: "2 stacks are read, and this is about one",
          hint: "name it: --stack base, --stack apps",
        },
      ],
    });
  });

  it("a stack that is missing is an error", async () => {
    const files = output({ base: { text: base } });
    delete files["cdktf.out/stacks/base/cdk.tf.json"];
    expect((await loadFiles(files, ["cdktf.out"])).diagnostics).toMatchObject([
      { code: "manifest.unreadable" },
    ]);
  });

  it.each(casesIn<[string, Readonly<Record<string, string>>, object]>(join(__dirname, "no-stacks.json")))(
    "is an error of its own where it is missing, lists nothing or goes round: %s (%#)",
    async (name, files, expected) => {
      expect((await loadFiles(files, [name])).diagnostics).toMatchObject([expected]);
    },
  );

  describe("beside stacks that are left to Terraform", () => {
    const shopUnit = { ...unit, name: "shop", needsValues: true };

    it("says how to leave a stack out, and how a value comes from it", async () => {
      const files = output({ network: { text: network }, shop: { text: shop } });
      const whole = await loadFiles(files, ["cdktf.out"], { stack: { ...unit, name: "network" } });
      expect(whole.diagnostics[0]).toMatchObject({
        summary: 'network: the provider "aws" is not supported by rnv',
        hint: "leave this stack to Terraform, and name those that rnv runs: rnv plan 'shop-*'",
      });
      const value =
        "${data.terraform_remote_state.cross-stack-reference-input-network.outputs.cross-stack-output-vpc}";
      const needy = { ...shop, resource: { rnv_project: { shop: { name: "Shop", description: value } } } };
      const found = await loadFiles(
        output({ network: { text: network }, shop: { text: needy } }),
        ["cdktf.out"],
        { stack: shopUnit },
      );
      expect(found.diagnostics).toMatchObject([
        {
          summary: expect.stringMatching(
            /the stack network makes this value, which rnv cannot read: .*aws_vpc/,
          ),
          hint: expect.stringContaining("RNV_VAR_name"),
        },
      ]);
    });
  });

  it("a secret file is named from the folder of the run", async () => {
    const stack = {
      variable: { key: { sensitive: true, "//": { rnv: { source: { fromFile: "secrets/key" } } } } },
      resource: {
        rnv_service: { api: { name: "api", kind: "web" } },
        rnv_variable: { v: { service_id: "${rnv_service.api.id}", key: "K", value: "${var.key}" } },
      },
    };
    const files = { ...output({ s: { text: stack } }), "secrets/key": "text\n" };
    expect((await loadFiles(files, ["cdktf.out"])).diagnostics).toEqual([]);
    expect((await loadFiles(output({ s: { text: stack } }), ["cdktf.out"])).diagnostics).toMatchObject([
      { code: "manifest.secret_source", summary: 'cannot read the file "secrets/key": it does not exist' },
    ]);
  });
});
