import { resourceTypes } from "../../../src/resources";
import { brief, loadText, removeFolders } from "./load";

afterAll(removeFolders);

const open = "$" + "{";
const api = (body: string): string => `services:\n  api:\n    kind: web\n${body}`;
const fields = (body: string): string => api(`    configuration:\n${body}`);

/**
 * `code line:column pointed at | hint` of every finding, with the resource types of the service. Reading refuses all of
 * them but a field of `configuration` that the catalog may know: about that, a plan decides.
 */
async function told(text: string | Uint8Array): Promise<string[]> {
  const found = await loadText(text, { types: resourceTypes });
  const isOpen = found.diagnostics.every(({ code }) => code === "manifest.unknown_field");
  expect(found.desired === undefined).toBe(!isOpen);
  return found.diagnostics.map((one) =>
    `${brief(found, one).replace(" rnv.yaml:", " ")} | ${one.hint}`.replace("manifest.", ""),
  );
}

describe("a mistake of the kinds people make is one finding, with what to write", () => {
  it.each([
    ["config", api("    config: {}\n"), 'unknown_key 4:5 config | did you mean "configuration"?'],
    ...["vars", "env", "envs", "environmentVariables", "env_vars", "secrets"].map((word) => [
      word,
      api(`    ${word}: { A: b }\n`),
      `unknown_key 4:5 ${word} | did you mean "variables"?`,
    ]),
    [
      "environment as a mapping",
      api("    environment: { A: b }\n"),
      'invalid_type 4:18 { A: * } | did you mean "variables"?',
    ],
    ["type for kind", "services:\n  api: { type: web }\n", 'unknown_key 2:10 type | did you mean "kind"?'],
    [
      "a misspelt key that must be there",
      "services:\n  api: { knid: web }\n",
      'unknown_key 2:10 knid | did you mean "kind"?',
    ],
    [
      "another spelling",
      fields("      health_check_path: /\n"),
      'unknown_field 5:7 health_check_path | did you mean "healthCheckPath"? (rnv plan asks the service\'s catalog)',
    ],
    [
      "a short word",
      fields("      repo: x\n"),
      'unknown_field 5:7 repo | did you mean "repository"? (rnv plan asks the service\'s catalog)',
    ],
    [
      "another service's word",
      fields("      instances: 2\n"),
      'unknown_field 5:7 instances | did you mean "replicas"? (rnv plan asks the service\'s catalog)',
    ],
    [
      "a field beside configuration",
      api("    branch: x\n"),
      `unknown_key 4:5 branch | it belongs in configuration: configuration: { branch: … }`,
    ],
    [
      "a word for a field beside it",
      api("    start: x\n"),
      `unknown_key 4:5 start | it belongs in configuration, as startCommand: configuration: { startCommand: … }`,
    ],
    [
      "lifecycle's key beside it",
      api("    prevent_destroy: true\n"),
      "unknown_key 4:5 prevent_destroy | it belongs in lifecycle, as preventDestroy: lifecycle: { preventDestroy: … }",
    ],
    [
      "deploy's key beside it",
      api("    commit: abc\n"),
      "unknown_key 4:5 commit | it belongs in deploy: deploy: { commit: … }",
    ],
    [
      "variables in configuration",
      fields("      variables: { A: b }\n"),
      "unknown_key 5:7 variables | it belongs beside configuration, not in it",
    ],
    [
      "env in configuration",
      fields("      env: { A: b }\n"),
      "unknown_key 5:7 env | it belongs beside configuration, not in it, as variables",
    ],
    [
      "env for a source",
      api("    variables: { A: { env: B } }\n"),
      'unknown_key 4:23 env | did you mean "fromEnv"?',
    ],
    [
      "preserve: false",
      api("    variables: { A: { preserve: false } }\n"),
      "missing_key 4:18 A | preserve: false means that rnv sets it: give it a value, or write preserve: true",
    ],
    [
      "deploy: true",
      api("    deploy: true\n"),
      "invalid_type 4:13 true | its keys are when, commit, wait, timeout",
    ],
    ["yes", api("    archived: yes\n"), "invalid_type 4:15 yes | write true"],
    ["off", fields("      maintenance: off\n"), "invalid_type 5:20 off | write false"],
    [
      "yes in lifecycle",
      api("    lifecycle: { preventDestroy: yes }\n"),
      "invalid_type 4:34 yes | write true",
    ],
    [
      "a colour without quotes",
      "projects:\n  shop:\n    color: #2f6fed\n",
      "invalid_value 3:12 #2f6fed | text that begins with # needs quotes; write null if the default is meant",
    ],
    [
      "variables as a list",
      api("    variables:\n      - A=b\n"),
      "invalid_type 4:5 variables | no dashes: a mapping is lines of `key: value`",
    ],
    [
      "services as a list",
      "services:\n  - api\n",
      "invalid_type 1:1 services | no dashes: a mapping is lines of `key: value`",
    ],
    [
      "configuration as a list",
      api("    configuration:\n      - branch: x\n"),
      "invalid_type 5:7 - branch: x | no dashes: a mapping is lines of `key: value`",
    ],
    [
      "no space after a colon",
      "services:\n  api:\n    kind:web\n",
      "invalid_type 3:5 kind:web | write kind: web",
    ],
    [
      "no space in braces",
      api("    configuration: {branch:main}\n"),
      "unknown_key 4:21 branch:main | write a space after the colon: branch: …",
    ],
    [
      "an equals sign",
      fields("      branch = main\n"),
      "invalid_type 5:7 branch = main | write branch: main",
    ],
    [
      "a project that is not indented",
      "projects:\nshop:\n  name: Shop\n",
      "unknown_key 2:1 shop | indent it, if it belongs in projects",
    ],
    [
      "services beside a project",
      "projects:\n  shop: {}\n  services:\n    api: { kind: web }\n",
      'unknown_key 4:5 api | "services" is read as the name of a project here: indent it into one',
    ],
    [
      "a no-break space",
      "services: {}\n\u00a0projects: {}\n",
      expect.stringContaining("it holds the invisible character U+00A0: write plain spaces"),
    ],
    [
      "only a word",
      "projects\n",
      "invalid_type 1:1 projects | begin with a line such as projects: or services:",
    ],
    [
      "a reference without its type",
      `${fields(`      startCommand: ${open}web.url}\n`)}  web: { kind: web }\n`,
      `reference_syntax 5:21 ${open}web.url} | did you mean ${open}service.web.url}?`,
    ],
    [
      "a reference that is not closed",
      fields(`      startCommand: ${open}service.web.url\n`),
      `reference_syntax 5:21 ${open}service.web.url | the closing } is missing; a literal ${open} is written $${open}`,
    ],
    [
      "the shell's way",
      fields(`      branch: ${open}BRANCH}\n`),
      `reference_syntax 5:15 ${open}BRANCH} | ${open}env.BRANCH} reads the environment; $${open}BRANCH} is literal`,
    ],
    [
      "GitHub's way",
      fields(`      branch: ${open}{ github.ref }}\n`),
      `reference_syntax 5:15 ${open}{ github.ref }} | set it as an environment variable there, and write ${open}env.NAME} here`,
    ],
    [
      "a dash in an environment name",
      fields(`      branch: ${open}env.A-B}\n`),
      `reference_syntax 5:15 ${open}env.A-B} | a name of the environment holds letters, digits and _; a default is plain text: ${open}env.NAME:-text}`,
    ],
    [
      "Terraform's JSON",
      '{"resource": {}, "terraform": {}}\n',
      'unknown_key 1:2 "resource" | a synthesized stack is read from cdktf.out or a file named *.tf.json: -f cdktf.out',
    ],
    [
      "an anchored block with a mistake, used twice",
      "services:\n  a: &a\n    kinds: web\n  b: *a\n",
      'unknown_key 3:5 kinds | did you mean "kind"?',
    ],
    [
      "an anchored value with a mistake, used twice",
      "services:\n  a:\n    kind: web\n    archived: &no maybe\n  b:\n    kind: web\n    archived: *no\n",
      "invalid_type 4:19 maybe | undefined",
    ],
    [
      "Latin-1",
      Buffer.from(fields("      description: caf\u00e9\n"), "latin1"),
      "syntax 1:1 | save it as UTF-8",
    ],
  ] as [string, string | Buffer, string][])("%s", async (_, text, expected) => {
    expect(await told(text)).toEqual([expected]);
  });

  it("the line of a file that is not UTF-8 is told, and UTF-16 by its name", async () => {
    const summary = async (text: Buffer) => (await loadText(text)).diagnostics[0]?.summary;
    expect(await summary(Buffer.from("a: b\nc: caf\u00e9\n", "latin1"))).toBe(
      "rnv.yaml is not UTF-8 text (line 2)",
    );
    expect(await summary(Buffer.from("\ufeffa: b\n", "utf16le"))).toBe(
      "rnv.yaml is not UTF-8 text, but UTF-16",
    );
  });

  it.each(["vars", "env", "environmentVariables", "environment", "secrets"])(
    "nothing below %s is shown: it was meant as variables",
    async (word) => {
      for (const value of [
        "{ A: canary }",
        "[A=canary]",
        "{ A: canary: x }",
        "\n      A: canary\n      B: @canary\n",
      ]) {
        const found = await loadText(api(`    ${word}: ${value}\n`), { types: resourceTypes });
        expect(found.desired).toBeUndefined();
        const shown = [...found.sources.values()].join("") + JSON.stringify(found.diagnostics);
        expect(shown).not.toContain("canary");
      }
    },
  );
});
