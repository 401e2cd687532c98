import { briefs, loadText, removeFolders } from "./load";

afterAll(removeFolders);

const api = (body: string) => `services:\n  api:\n    kind: web\n${body}`;

async function mistakes(text: string, environment: Record<string, string> = {}) {
  const found = await loadText(text, { environment });
  expect(found.desired).toBeUndefined();
  return { found, briefs: briefs(found), first: found.diagnostics[0] };
}

describe("a mistake in the manifest", () => {
  it.each([
    [
      "an unknown key stands at the key",
      api("    archivd: true\n"),
      "manifest.unknown_key rnv.yaml:4:5 archivd",
      'did you mean "archived"?',
    ],
    [
      "an unknown key of a group too",
      api("    configuration: { brnch: x }\n"),
      "manifest.unknown_key rnv.yaml:4:22 brnch",
      'did you mean "branch"?',
    ],
    [
      "an unknown key at the top",
      "projcts: {}\n",
      "manifest.unknown_key rnv.yaml:1:1 projcts",
      'did you mean "projects"?',
    ],
    [
      "a wrong type stands at the value",
      api("    archived: yes\n"),
      "manifest.invalid_type rnv.yaml:4:15 yes",
      "write true",
    ],
    [
      "a number where text belongs is quoted back",
      api("    configuration: { branch: 1.10 }\n"),
      "manifest.invalid_type rnv.yaml:4:30 1.10",
      'quote it: "1.10"',
    ],
    [
      "a value outside its bounds",
      api("    configuration: { port: 70000 }\n"),
      "manifest.invalid_value rnv.yaml:4:28 70000",
      undefined,
    ],
    [
      "an unknown choice",
      api("    configuration: { scaling: manul }\n"),
      "manifest.invalid_value rnv.yaml:4:31 manul",
      'did you mean "manual"?',
    ],
    [
      "an item of a list",
      api("    configuration:\n      ipAllowList: [10.0.0.1, 5]\n"),
      "manifest.invalid_type rnv.yaml:5:31 5",
      'quote it: "5"',
    ],
    [
      "a missing key stands at the block",
      "services:\n  api: { archived: true }\n",
      "manifest.missing_key rnv.yaml:2:3 api",
      undefined,
    ],
    [
      "null for what is required",
      "services: { api: { kind: null } }\n",
      "manifest.invalid_type rnv.yaml:1:26 null",
      undefined,
    ],
    [
      "a name that cannot stand in an address",
      "services: { a.b: { kind: web } }\n",
      "manifest.invalid_name rnv.yaml:1:13 a.b",
      undefined,
    ],
    [
      "another version",
      "version: 2\n",
      "manifest.version rnv.yaml:1:10 2",
      "write version: 1, or leave it out",
    ],
    [
      "a version that is text",
      'version: "1"\n',
      'manifest.version rnv.yaml:1:10 "1"',
      "write version: 1, or leave it out",
    ],
    [
      "a block that is a list",
      "services: { api: [web] }\n",
      "manifest.invalid_type rnv.yaml:1:18 [web]",
      "no dashes: a mapping is lines of `key: value`",
    ],
    [
      "lifecycle where it does not belong",
      api("    deploy: { lifecycle: {} }\n"),
      "manifest.unknown_key rnv.yaml:4:15 lifecycle",
      "its keys are when, commit, wait, timeout",
    ],
    [
      "archive for what cannot be archived",
      "projects: { p: { lifecycle: { onRemove: archive } } }\n",
      "manifest.invalid_value rnv.yaml:1:41 archive",
      undefined,
    ],
    [
      "an ignored path that is a list stands at the list",
      api("    lifecycle: { ignoreChanges: [configuration.port, [x]] }\n"),
      "manifest.invalid_type rnv.yaml:4:54 [x]",
      undefined,
    ],
    [
      "an ignored path that does not exist",
      api("    lifecycle: { ignoreChanges: [configuration.prot] }\n"),
      "manifest.invalid_value rnv.yaml:4:34 configuration.prot",
      'did you mean "configuration.port"?',
    ],
    [
      "an import that is no id",
      api("    import: api\n"),
      "manifest.invalid_value rnv.yaml:4:13 api",
      undefined,
    ],
    [
      "moved to what is not declared",
      "moved: [{ from: service.a, to: service.b }]\n",
      "manifest.moved rnv.yaml:1:9 { from: service.a, to: service.b }",
      undefined,
    ],
    [
      "moved from what is declared",
      `${api("")}moved: [{ from: service.api, to: service.api }]\n`,
      "manifest.moved rnv.yaml:4:9 { from: service.api, to: service.api }",
      undefined,
    ],
    [
      "removed and declared",
      `${api("")}removed: [service.api]\n`,
      "manifest.removed rnv.yaml:4:11 service.api",
      undefined,
    ],
    [
      "removed without a type",
      "removed: [api]\n",
      "manifest.removed rnv.yaml:1:11 api",
      "removed: [service.shop.worker]",
    ],
  ])("%s", async (_, text, expected, hint) => {
    const { briefs: found, first } = await mistakes(text);
    expect(found).toEqual([expected]);
    expect(first?.hint).toBe(hint);
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

  it.each([
    [
      "to an address that is not declared",
      "${service.apy.url}",
      "manifest.reference_unknown",
      'did you mean "service.api"?',
    ],
    [
      "to an attribute that does not exist",
      "${service.api.urrl}",
      "manifest.reference_unknown",
      'did you mean "url"?',
    ],
    ["to itself", "${service.web.url}", "manifest.reference_cycle", undefined],
    ["to a list", "${service.api.configuration.ipAllowList}", "manifest.unsupported", undefined],
  ])("%s is an error at the text", async (_, reference, code, hint) => {
    const { briefs: found, first } = await mistakes(services(`x-${reference}`));
    expect(found).toEqual([`${code} rnv.yaml:3:34 "x-${reference}"`]);
    expect(first?.hint).toBe(hint);
  });

  it.each(["${foo.bar.baz}", "${service.api}", "${}", "${service.api.url", "${a ? b : c}", "${1+1}"])(
    "that is written %s is refused",
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
    const { first } = await mistakes(`${api(body)}  b: { kind: web }\n`);
    expect(first?.code).toBe("manifest.reference_syntax");
  });

  it("to a secret cannot stand outside secrets", async () => {
    const variables = "    variables: { A: x }\n";
    const { first } = await mistakes(`${api(variables)}outputs: { a: "\${variable.api.A.value}" }\n`);
    expect(first?.code).toBe("manifest.unsupported");
  });
});

describe("${env.NAME}", () => {
  it("is filled in, in numbers too, and $${ stays literal", async () => {
    const found = await loadText(
      api(
        '    environment: "x-${env.STAGE}-$${env.STAGE}"\n    configuration: { replicas: "${env.COUNT}" }\n',
      ),
      { environment: { STAGE: "test", COUNT: "3" } },
    );
    expect(briefs(found)).toEqual([]);
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("environment")?.value).toBe("x-test-${env.STAGE}");
    expect(attributes?.get("configuration.replicas")?.value).toBe(3);
  });

  it("of a variable that is not set is an error at the place, not an empty text", async () => {
    const { briefs: found } = await mistakes(api('    environment: "x-${env.STAGE}"\n'));
    expect(found).toEqual(['manifest.env_missing rnv.yaml:4:18 "x-${env.STAGE}"']);
  });

  it("that is empty is as one that is not set: CI makes an empty text of what is not set", async () => {
    const { found, briefs: places } = await mistakes(api('    environment: "x-${env.STAGE}"\n'), {
      STAGE: "",
    });
    expect(places).toEqual(['manifest.env_missing rnv.yaml:4:18 "x-${env.STAGE}"']);
    expect(found.diagnostics[0]).toMatchObject({
      summary: "the environment variable STAGE is empty",
      hint: "set it, or write a default: ${env.STAGE:-text}",
    });
    const secret = await mistakes(api('    variables: { A: "x${env.STAGE}" }\n'), { STAGE: "" });
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
    const found = await loadText(api(`    environment: ${JSON.stringify(text)}\n`), { environment });
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("environment")?.value).toBe(expected);
    if (expected === undefined) expect(found.diagnostics[0]?.code).toBe("manifest.reference_syntax");
  });

  it("is filled in in a lifecycle too", async () => {
    const text = api('    lifecycle: { preventDestroy: "${env.SAFE:-true}", onRemove: "${env.REMOVE}" }\n');
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
    const found = await loadText(api('    configuration: { replicas: "${env.COUNT:-3}" }\n'));
    const attributes = [...(found.desired?.resources.values() ?? [])][0]?.attributes;
    expect(attributes?.get("configuration.replicas")?.value).toBe(3);
  });

  it("does not make a number of what is not one", async () => {
    const { briefs: found } = await mistakes(api('    configuration: { replicas: "${env.COUNT}" }\n'), {
      COUNT: "many",
    });
    expect(found).toEqual(['manifest.invalid_type rnv.yaml:4:32 "${env.COUNT}"']);
  });
});
