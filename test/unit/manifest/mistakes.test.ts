import { briefs, loadText, mistakesIn, withApi } from "./load";

async function mistakes(text: string, environment: Record<string, string> = {}) {
  const found = await loadText(text, { environment });
  expect(found.desired).toBeUndefined();
  return { found, briefs: briefs(found), first: found.diagnostics[0] };
}

describe("a mistake in the manifest", () => {
  it.each(mistakesIn("values.txt"))("is an error at its place: %s", async (_, text, expected) => {
    const { briefs: found, first } = await mistakes(text);
    expect(found.map((one) => `${one} | ${first?.hint}`)).toEqual([
      `manifest.${expected}`.replace(/ (?=\d+:\d+ )/, " rnv.yaml:"),
    ]);
  });

  it("does not hide another: all are collected, sorted by place", async () => {
    const { briefs: found } = await mistakes(
      "versoin: 1\nservices:\n  a: { kind: 1, archived: 2 }\n  b: {}\n",
    );
    expect(found).toEqual([
      "manifest.unknown_key rnv.yaml:1:1 versoin",
      "manifest.invalid_type rnv.yaml:3:14 1",
      "manifest.invalid_type rnv.yaml:3:27 2",
      "manifest.missing_key rnv.yaml:4:3 b",
    ]);
  });
});

describe("a reference", () => {
  const services = (url: string) =>
    `services:\n  api: { kind: web }\n  web: { kind: web, environment: "${url}" }\n`;

  it.each(["${foo.bar.baz}", "${service.api}", "${}", "${service.api.url", "${a ? b : c}", "${1+1}"])(
    "is refused in the form %s",
    async (text) => {
      const { first } = await mistakes(services(text));
      expect(first?.code).toBe("manifest.reference_syntax");
    },
  );

  it("round a circle is listed once with its way", async () => {
    const { found } = await mistakes(
      'services:\n  a: { kind: web, environment: "${service.b.url}" }\n  b: { kind: web, environment: "${service.a.url}" }\n',
    );
    expect(found.diagnostics.map(({ code, summary }) => [code, summary])).toEqual([
      ["manifest.reference_cycle", "references form a cycle: service.a -> service.b -> service.a"],
    ]);
  });

  it.each([
    ["a name", "    name: ${service.b.url}\n"],
    ["a number", '    configuration: { port: "${service.b.id}" }\n'],
    ["a list", '    configuration: { ipAllowList: ["${service.b.url}"] }\n'],
    ["a local attribute", "    deploy: { timeout: '${service.b.url}' }\n"],
  ])("cannot stand in %s", async (_, body) => {
    const { first } = await mistakes(`${withApi(body)}  b: { kind: web }\n`);
    expect(first?.code).toBe("manifest.reference_syntax");
  });

  it("to a secret cannot stand outside secrets", async () => {
    const variables = "    variables: { A: x }\n";
    const { first } = await mistakes(`${withApi(variables)}outputs: { a: "\${variable.api.A.value}" }\n`);
    expect(first?.code).toBe("manifest.unsupported");
  });
});

describe("${env.NAME}", () => {
  it("is filled in, in numbers too, and $${ stays literal", async () => {
    const found = await loadText(
      withApi(
        '    environment: "x-${env.STAGE}-$${env.STAGE}"\n    configuration: { replicas: "${env.COUNT}" }\n',
      ),
      { environment: { STAGE: "test", COUNT: "3" } },
    );
    expect(briefs(found)).toEqual([]);
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("environment")?.value).toBe("x-test-${env.STAGE}");
    expect(attributes?.get("configuration.replicas")?.value).toBe(3);
  });

  it("counts as unset where it is empty: CI makes an empty text of an unset variable", async () => {
    const { found, briefs: places } = await mistakes(withApi('    environment: "x-${env.STAGE}"\n'), {
      STAGE: "",
    });
    expect(places).toEqual(['manifest.env_missing rnv.yaml:4:18 "x-${env.STAGE}"']);
    expect(found.diagnostics[0]).toMatchObject({
      summary: "the environment variable STAGE is empty",
      hint: "set it, or write a default: ${env.STAGE:-text}",
    });
    const secret = await mistakes(withApi('    variables: { A: "x${env.STAGE}" }\n'), { STAGE: "" });
    expect(secret.briefs).toEqual(["manifest.env_missing rnv.yaml:4:18 A"]);
  });

  it.each([
    ["${env.STAGE:-main}", {}, "main"],
    ["${env.STAGE:-main}", { STAGE: "" }, "main"],
    ["${env.STAGE:-main}", { STAGE: "test" }, "test"],
    ["x${env.STAGE:-}y", {}, "xy"],
    ["${ env.STAGE :- }", { STAGE: "test" }, undefined],
    ["${env.STAGE:-a: b.c-d}", {}, "a: b.c-d"],
    ["$${env.STAGE:-main}", {}, "${env.STAGE:-main}"],
    ["${env.STAGE:-${env.OTHER}}", { OTHER: "x" }, undefined],
  ])("%s with %j is %j", async (text, environment, expected) => {
    const found = await loadText(withApi(`    environment: ${JSON.stringify(text)}\n`), { environment });
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("environment")?.value).toBe(expected);
    if (expected === undefined) expect(found.diagnostics[0]?.code).toBe("manifest.reference_syntax");
  });

  it("is filled in in a lifecycle too", async () => {
    const text = withApi(
      '    lifecycle: { preventDestroy: "${env.SAFE:-true}", onRemove: "${env.REMOVE}" }\n',
    );
    const found = await loadText(text, { environment: { REMOVE: "retain" } });
    const [service] = found.desired?.resources.values() ?? [];
    expect(service?.lifecycle).toMatchObject({ preventDestroy: true, onRemove: "retain" });
    const wrong = await mistakes(text, { SAFE: "perhaps" });
    expect(wrong.briefs).toEqual([
      'manifest.invalid_type rnv.yaml:4:34 "${env.SAFE:-true}"',
      'manifest.env_missing rnv.yaml:4:65 "${env.REMOVE}"',
    ]);
  });

  it("gives its default to numbers too", async () => {
    const found = await loadText(withApi('    configuration: { replicas: "${env.COUNT:-3}" }\n'));
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("configuration.replicas")?.value).toBe(3);
  });
});
