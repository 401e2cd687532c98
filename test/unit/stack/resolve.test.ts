import { join } from "node:path";
import type { LoadedManifest } from "../../../src/declaration/load-request";
import { Secret } from "../../../src/model/secret";
import { type Computed, UnreadSecret } from "../../../src/model/value";
import { casesIn, rowsIn } from "../../support/rows";
import { pointedAt, shownTexts } from "../../support/shown-texts";
import { loadStackJson, resource, values, withService } from "./load-stack";

const key = new Uint8Array(32);

/** What one text in a build command becomes. */
async function text(written: unknown, others: object = {}, environment: Record<string, string> = {}) {
  const found = await loadStackJson(withService({ configuration: { build_command: written } }, others), {
    environment,
  });
  expect(found.diagnostics).toEqual([]);
  return values(found, "service.api")["configuration.buildCommand"];
}

async function refusal(written: unknown, others: object = {}): Promise<string[]> {
  const found = await loadStackJson(withService({ configuration: { build_command: written } }, others));
  return found.diagnostics.map(({ code, summary }) => `${code} ${summary}`);
}

/** The part of the file that the first finding is about. */
const placeOf = ({ diagnostics: [first] }: LoadedManifest): string | undefined => pointedAt(first);

describe("the text of a stack", () => {
  it("takes an empty text, and a dollar before a reference, as they are", async () => {
    const others = { variable: { price: { default: "5" } } };
    expect(await text("")).toBe("");
    expect(await text('${join("", ["$", var.price])}', others)).toBe("$5");
    expect(await text('${join("", ["$", "{env.HOME}"])}', others)).toBe("${env.HOME}");
    expect(await text('${join("", ["$", "{service.shop.api.url}"])}', others)).toBe(
      "${service.shop.api.url}",
    );
  });

  it.each(rowsIn(join(__dirname, "refused-expressions.tsv")))(
    "%s is refused under the path of its construct",
    async (written, what) => {
      const found = await loadStackJson(withService({ configuration: { build_command: written } }));
      const [first] = found.diagnostics;
      expect(found.desired).toBeUndefined();
      expect(first?.summary).toContain("shop/api: ");
      expect(first?.summary).toContain(what);
      expect(first?.hint).toContain("run the stack with Terraform");
      expect(placeOf(found)).toBe(JSON.stringify(written));
    },
  );

  it.each(rowsIn(join(__dirname, "wrong-expressions.tsv")))(
    "%s is wrong, with its place in the file",
    async (written, what) => {
      const found = await loadStackJson(withService({ configuration: { build_command: written } }));
      expect(found.diagnostics[0]?.summary).toBe(`shop/api: ${what}`);
      expect(placeOf(found)).toBe(JSON.stringify(written));
    },
  );
});

describe("functions of later values", () => {
  it("wait for the value, and say why they refuse it", async () => {
    const stack = withService({
      configuration: { build_command: "${upper(tonumber(rnv_project.p.id) + 1)}" },
    });
    Object.assign((stack as { resource: object }).resource, { rnv_project: { p: { name: "P" } } });
    const found = await loadStackJson(stack);
    expect(found.diagnostics).toEqual([]);
    const { attributes, dependsOn } = resource(found, "service.api");
    expect(dependsOn).toEqual(["project.p"]);
    const value = attributes.get("configuration.buildCommand")?.value as Computed;
    expect(value.references).toMatchObject([{ address: "project.p", attribute: "id" }]);
    expect(value.compute(["41"])).toBe("42");
    expect(() => value.compute(["x"])).toThrow(
      expect.objectContaining({
        diagnostics: [
          expect.objectContaining({
            code: "stack.invalid_value",
            summary: "shop/api: tonumber: a number is required, found text that is none",
          }),
        ],
      }),
    );
  });
});

describe("a splat of a later value", () => {
  it("waits for it: it may be a list", async () => {
    const written = '${join("-", jsondecode(rnv_project.p.id)[*])}';
    const stack = withService({ configuration: { build_command: written } });
    Object.assign((stack as { resource: object }).resource, { rnv_project: { p: { name: "P" } } });
    const found = await loadStackJson(stack);
    expect(found.diagnostics).toEqual([]);
    const { attributes } = resource(found, "service.api");
    const value = attributes.get("configuration.buildCommand")?.value as Computed;
    expect(value.compute(["[1,2]"])).toBe("1-2");
    expect(value.compute(["7"])).toBe("7");
  });
});

describe("names of a stack", () => {
  const level = { variable: { level: { type: "string", default: "info" } } };

  it("a variable is RNV_VAR_name, else TF_VAR_name, else its default", async () => {
    expect(await text("${var.level}", level)).toBe("info");
    expect(await text("${var.level}", level, { TF_VAR_level: "warn" })).toBe("warn");
    expect(await text("${var.level}", level, { TF_VAR_level: "warn", RNV_VAR_level: "debug" })).toBe("debug");
    expect(await text("${var.level}", level, { RNV_VAR_level: "${var.level} %{x}" })).toBe(
      "${var.level} %{x}",
    );
  });

  it("an empty variable of the environment is none: its default stands, or it lacks a value", async () => {
    expect(await text("${var.level}", level, { RNV_VAR_level: "", TF_VAR_level: "warn" })).toBe("warn");
    expect(await text("${var.level}", level, { RNV_VAR_level: "" })).toBe("info");
    const bare = { variable: { level: { type: "string" } } };
    const found = await loadStackJson(
      withService({ configuration: { build_command: "${var.level}" } }, bare),
      { environment: { TF_VAR_level: "" } },
    );
    expect(found.diagnostics[0]).toMatchObject({
      code: "stack.variable_missing",
      summary: expect.stringContaining("the variable level has no value: TF_VAR_level is empty"),
    });
  });

  it("a variable has the type that it says, or that its default has", async () => {
    const stack = (variable: object) =>
      withService({ configuration: { port: "${var.port}" } }, { variable: { port: variable } });
    const port = async (variable: object, environment: Record<string, string>) => {
      const found = await loadStackJson(stack(variable), { environment });
      return found.desired ? values(found, "service.api")["configuration.port"] : found.diagnostics[0]?.code;
    };
    expect(await port({ type: "number" }, { RNV_VAR_port: "80" })).toBe(80);
    expect(await port({ default: 1 }, { RNV_VAR_port: "80" })).toBe(80);
    expect(await port({ type: "number", default: "90" }, {})).toBe(90);
    expect(await port({ type: "number" }, { RNV_VAR_port: "high" })).toBe("stack.invalid_value");
    expect(await port({ type: "number" }, {})).toBe("stack.variable_missing");
  });

  it("locals refer to each other, and not to themselves", async () => {
    const locals = {
      locals: { a: "x", b: { c: ["${local.a}y"] }, round: "${local.trip}", trip: "${local.round}" },
    };
    expect(await text("${local.b.c[0]}", locals)).toBe("xy");
    expect(await refusal("${local.round}", locals)).toEqual([
      "stack.reference_cycle shop/api: local.round refers to itself",
    ]);
  });

  it.each([
    ["its default", { default: "${var.a}" }],
    ["its source", { sensitive: true, "//": { rnv: { source: { fromEnv: "${var.a}" } } } }],
  ])("a variable that stands in %s is an error and no endless loop", async (_where, variable) => {
    expect(await refusal("${var.a}", { variable: { a: variable } })).toEqual([
      "stack.reference_cycle shop/api: var.a refers to itself",
    ]);
  });
});

describe("secrets of a stack", () => {
  const stack = (value: unknown, others: object = {}) => ({
    resource: {
      rnv_service: { api: { name: "api", kind: "web" } },
      rnv_variable: { v: { service_id: "${rnv_service.api.id}", key: "KEY", value } },
    },
    ...others,
  });
  const secret = async (value: unknown, others: object, environment: Record<string, string>) => {
    const found = await loadStackJson(stack(value, others), { environment });
    expect(found.diagnostics).toEqual([]);
    const declared = resource(found, "variable.v").attributes.get("value")?.value as Secret;
    return declared.fingerprint(key, "");
  };
  const print = (text: string): string => new Secret(text).fingerprint(key, "");
  const token = { variable: { token: { type: "string", sensitive: true } } };
  const count = { variable: { token: { type: "number", sensitive: true } } };
  const marked = {
    variable: { token: { sensitive: true, "//": { rnv: { source: { fromEnv: "TOKEN" } } } } },
  };

  it("a source in the comment of a variable is read where it says", async () => {
    expect(await secret("${var.token}", marked, { TOKEN: "one", TF_VAR_token: "other" })).toBe(print("one"));
    expect(await secret("a:${var.token}", marked, { TOKEN: "one" })).toBe(print("a:one"));
  });

  it.each(casesIn<[string, unknown, string]>(join(__dirname, "types-of-variables.json")))(
    "a variable of type %s has its value of Terraform, secret or not",
    async (type, value, result) => {
      const environment = { TF_VAR_v: typeof value === "string" ? value : JSON.stringify(value) };
      const json = "${jsonencode(var.v)}";
      const byDefault = { type, default: value };
      expect(await text(json, { variable: { v: byDefault } })).toBe(result);
      expect(await text(json, { variable: { v: { type } } }, environment)).toBe(result);
      const sensitive = true;
      expect(await secret(json, { variable: { v: { ...byDefault, sensitive } } }, {})).toBe(print(result));
      expect(await secret(json, { variable: { v: { type, sensitive } } }, environment)).toBe(print(result));
    },
  );

  it.each([
    ["number", "s3cret", "a number is required, found text that is none"],
    ["list(string)", "s3cret", "the text is not JSON"],
    ["object({a=string,b=number})", '{"a":"s3cret"}', 'the attribute "b" is required'],
    ["objct({a=string})", "s3cret", "the type of the variable is not supported by rnv"],
  ])(
    "a text that is not of type %s is an error that does not show it, also inside of try",
    async (type, given, problem) => {
      const variable = { v: { type, sensitive: true } };
      const environment = { TF_VAR_v: given };
      const found = await loadStackJson(stack('${try(jsonencode(var.v), "x")}', { variable }), {
        environment,
      });
      expect(found.diagnostics).toMatchObject([{ summary: expect.stringContaining(problem) }]);
      expect(shownTexts(found).join() + JSON.stringify(found.diagnostics)).not.toContain("s3cret");
    },
  );

  it("validate asks for no secret", async () => {
    for (const others of [token, count, marked])
      expect((await loadStackJson(stack("${var.token}", others), { secrets: "skip" })).diagnostics).toEqual(
        [],
      );
    const found = await loadStackJson(stack("${var.token}", token));
    expect(found.diagnostics.map(({ code }) => code)).toEqual(["stack.variable_missing"]);
    const left = await loadStackJson(stack("${var.token}", token), { secrets: "present" });
    expect(left.diagnostics).toEqual([]);
    const [value] = [...(left.desired?.resources.values() ?? [])].flatMap(
      ({ attributes }) => attributes.get("value") ?? [],
    );
    expect(value?.value).toEqual(new UnreadSecret("the environment variable RNV_VAR_token is not set"));
  });

  it.each([
    ["an attribute that is shown", { description: "${var.token}" }],
    ["an attribute that is shown, by way of a local", { description: "${local.l.x}" }],
    ["an attribute that is shown, by way of a function", { description: '${join("", ["a", var.token])}' }],
  ])("a secret does not go into %s", async (_where, configuration) => {
    const locals = { locals: { l: { x: "${var.token}" } } };
    const found = await loadStackJson(withService({ configuration }, { ...token, ...locals }), {
      environment: { RNV_VAR_token: "very-secret" },
    });
    expect(found.diagnostics).toMatchObject([{ code: "stack.unsupported" }]);
    expect(JSON.stringify(found.diagnostics)).not.toContain("very-secret");
  });

  it("functions make secrets of secrets, and no text of a secret stands in an error", async () => {
    const environment = { TF_VAR_token: "s3cret" };
    expect(await secret("${base64encode(var.token)}", token, environment)).toBe(print("czNjcmV0"));
    expect(await secret('x${jsonencode({"p" = var.token})}', token, environment)).toBe(
      print('x{"p":"s3cret"}'),
    );
    for (const wrong of [
      "${tonumber(var.token)}",
      "${{ a = 1 }[var.token]}",
      "${lookup({}, var.token)}",
      "${1 + var.token}",
    ]) {
      const found = await loadStackJson(stack(wrong, token), { environment });
      expect(found.diagnostics).toMatchObject([{ code: expect.stringMatching(/invalid|unknown/) }]);
      expect(JSON.stringify(found.diagnostics)).not.toContain("s3cret");
    }
    const file = { variable: { token: { sensitive: true, "//": { rnv: { source: { fromFile: "x" } } } } } };
    const found = await loadStackJson(stack("${upper(var.token)}", file));
    expect(found.diagnostics[0]?.summary).toContain(
      "text or a function around a secret that comes from fromFile",
    );
  });

  it("a secret does not go into an output that is shown", async () => {
    const output = { output: { o: { value: "${var.token}" }, p: { value: ["x", "${var.token}"] } } };
    const found = await loadStackJson(withService({}, { ...token, ...output }), {
      environment: { RNV_VAR_token: "t" },
    });
    expect(found.diagnostics.map(({ code }) => code)).toEqual(["stack.unsupported", "stack.unsupported"]);
  });

  it("code frames show no secret, whatever it is written as", async () => {
    const hidden = "very-secret";
    const others = {
      locals: { l: hidden },
      variable: { v: { default: hidden, sensitive: true } },
      output: { o: { value: `x${hidden}` } },
    };
    const found = await loadStackJson(stack(`${hidden}`, others));
    const shown = shownTexts(found).join();
    expect(shown).not.toContain(hidden);
    expect(shown).toContain('"key": "KEY"');
    expect(shown).toContain("${rnv_service.api.id}");
    const written = { build_command: `\${upper(sensitive("${hidden}"))}`, branch: "main", replicas: "x" };
    const marked = await loadStackJson(withService({ configuration: written }));
    expect(marked.diagnostics.map(({ code }) => code)).toEqual([
      "stack.unsupported",
      "manifest.invalid_type",
    ]);
    expect(shownTexts(marked).join()).not.toContain(hidden);
    expect(shownTexts(marked).join()).toContain('"branch": "main"');
    const broken = await loadStackJson(
      `{ "variable": { "v": { "default": "${hidden}" } }, "locals": { "l": "${hidden}`,
    );
    expect(shownTexts(broken).join()).not.toContain(hidden);
    expect(broken.diagnostics).toMatchObject([{ code: "stack.syntax" }]);
  });
});
