import { join } from "node:path";
import { Secret } from "../../../src/model/secret";
import { configurationRules } from "../../../src/resources/service/configuration";
import { casesIn } from "../../support/rows";
import { pointedAt } from "../../support/shown-texts";
import { loadStackJson, resource, values } from "./load-stack";

const path = (text: string) => ({ "//": { metadata: { path: text } } });

/** A project, the service `a`, and a service `b` with this body, which may refer to the two. */
const stack = (b: object, others: object = {}, more: object = {}) => ({
  resource: {
    rnv_project: { shop: { name: "Shop", ...path("s/shop") } },
    rnv_service: {
      a: {
        name: "api",
        kind: "web",
        configuration: {
          replicas: 3,
          health_check_path: "/live",
          ignore_paths: ["docs", "test"],
          branch: null,
        },
        ...path("s/a"),
      },
      b: { name: "b", kind: "web", ...b, ...path("s/b") },
    },
    ...more,
  },
  ...others,
});

const a = "rnv_service.a";

it("a repository URL with a password in a stack is warned of", async () => {
  const repository = "https://me:hunter2@git.example.com/b";
  const found = await problems(stack({ configuration: { repository } }));
  expect(found).toMatchObject([
    [
      "manifest.plain_secret",
      expect.stringMatching(/^service.b: configuration.repository /),
      expect.anything(),
    ],
  ]);
  expect(JSON.stringify(found)).not.toContain("hunter2");
});

async function problems(written: object, environment: Record<string, string> = {}) {
  const { diagnostics } = await loadStackJson(written, { environment });
  return diagnostics.map(({ code, summary, hint }) => [code, summary, hint]);
}

describe("a reference to a field that the program declares", () => {
  it("is its value in numbers, lists, texts, groups and names", async () => {
    const found = await loadStackJson(
      stack(
        {
          name: "${rnv_project.shop.name}-${rnv_service.a.name}",
          configuration: {
            replicas: `\${${a}.configuration.replicas + 1}`,
            ignore_paths: `\${${a}.configuration.ignore_paths}`,
            build_command: `build \${${a}.configuration["health_check_path"]} \${${a}.configuration.ignore_paths[1]}`,
            start_command: `\${length(${a}.configuration)}`,
          },
        },
        {
          output: {
            all: { value: `\${${a}.configuration}` },
            kind: { value: `\${${a}.kind == "web" ? "yes" : "no"}` },
          },
        },
      ),
    );
    expect(found.diagnostics).toEqual([]);
    expect(values(found, "service.b")).toMatchObject({
      name: "Shop-api",
      "configuration.replicas": 4,
      "configuration.ignorePaths": ["docs", "test"],
      "configuration.buildCommand": "build /live test",
      "configuration.startCommand": `${Object.keys(configurationRules).length}`,
    });
    // Terraform has null for every field that is not declared.
    const all = found.desired?.outputs.get("all")?.value as Record<string, unknown>;
    expect(Object.entries(all).filter(([, value]) => value !== null)).toEqual([
      ["health_check_path", "/live"],
      ["ignore_paths", ["docs", "test"]],
      ["replicas", 3],
    ]);
    expect(Object.keys(all)).toHaveLength(Object.keys(configurationRules).length);
    expect(found.desired?.outputs.get("kind")?.value).toBe("yes");
  });

  it.each(casesIn<[string, object, object, string, string]>(join(__dirname, "undeclared-fields.json")))(
    "is refused while planning where the program does not declare the field, with the line to write: %s",
    async (_, b, others, summary, hint) => {
      expect(await problems(stack(b, others))).toEqual([["stack.reference_unknown", summary, hint]]);
    },
  );

  it("stays a reference where the service makes the value", async () => {
    const found = await loadStackJson(stack({ configuration: { branch: `\${${a}.url}` } }));
    expect(values(found, "service.b")["configuration.branch"]).toBe("<service.a url>");
    expect(await problems(stack({ name: `\${${a}.id}` }))).toEqual([
      [expect.anything(), "a name cannot hold a reference: it must be known while planning", undefined],
    ]);
  });
});

describe("the value of a variable in another", () => {
  const service = { service_id: "${rnv_service.a.id}" };
  const variables = (first: object, second: string) => ({
    rnv_variable: {
      one: { ...service, key: "ONE", ...first },
      two: { ...service, key: "TWO", value: second },
    },
  });
  const token = {
    variable: {
      token: { type: "string", sensitive: true },
      file: { sensitive: true, "//": { rnv: { source: { fromEnv: "TOKEN" } } } },
    },
  };
  const environment = { TF_VAR_token: "s3cret-text", TOKEN: "s3cret-text" };
  const key = new Uint8Array(32);
  const print = (text: string): string => new Secret(text).fingerprint(key, "");

  it.each([
    [{ value: "plain" }, "${rnv_variable.one.value}", "plain"],
    [{ value: "plain" }, "a:${rnv_variable.one.value}@b", "a:plain@b"],
    [{ value: "${var.token}" }, "${rnv_variable.one.value}", "s3cret-text"],
    [{ value_wo: "${var.token}" }, "a:${rnv_variable.one.value}", "a:s3cret-text"],
    [{ value: "${var.file}" }, "${rnv_variable.one.value}", "s3cret-text"],
    [{ value: "${var.file}" }, "${upper(rnv_variable.one.value)}", "S3CRET-TEXT"],
  ])("%j is read from the program by %s", async (first, second, expected) => {
    const found = await loadStackJson(stack({}, token, variables(first, second)), { environment });
    expect(found.diagnostics).toEqual([]);
    const declared = resource(found, "variable.two").attributes.get("value")?.value as Secret;
    expect(declared.fingerprint(key, "")).toBe(print(expected));
  });

  it("is refused where no plan knows it, and where it would be shown", async () => {
    const read = (first: object, others: object = {}) =>
      problems(stack({ ...others }, token, variables(first, "${rnv_variable.one.value}")), environment);
    for (const [first, code, summary, hint] of casesIn<[object, string, string, string]>(
      join(__dirname, "unknown-values.json"),
    ))
      expect(await read(first)).toEqual([[code, summary, hint]]);
    const shown = await loadStackJson(
      stack(
        { configuration: { branch: "${rnv_variable.one.value}" } },
        token,
        variables({ value: "hidden-text" }, "x"),
      ),
    );
    expect(shown.diagnostics).toMatchObject([{ code: "stack.unsupported" }]);
    expect(JSON.stringify(shown.diagnostics)).not.toContain("hidden-text");
  });

  it("is refused in a map of variables, with the line to write", async () => {
    const many = { rnv_variables: { m: { ...service, values: { A: "1" } } } };
    expect(
      await problems(stack({ configuration: { branch: '${rnv_variables.m.values["A"]}' } }, {}, many)),
    ).toEqual([
      [
        "stack.unsupported",
        "s/b: a reference to rnv_variables.m is not supported by rnv",
        "use the value itself where it is needed, or declare that variable with addVariable",
      ],
    ]);
  });
});

it("a whole number beyond 2^53 is refused at its place", async () => {
  const text = JSON.stringify(stack({ configuration: { replicas: 77 } })).replace(
    "77",
    "12345678901234567890",
  );
  const { diagnostics } = await loadStackJson(text);
  expect(diagnostics).toMatchObject([
    {
      code: "stack.unsupported",
      summary: "s/b: a whole number beyond 2^53 is not supported by rnv",
      hint: "keep it as text, or compute it in the program",
    },
  ]);
  expect(pointedAt(diagnostics[0])).toBe("12345678901234567890");
});
