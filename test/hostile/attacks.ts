import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { embeddedWorkspaceId } from "../../src/emulator/emulator";
import type { State } from "../../src/model/state";
import { encodeState } from "../../src/state/encode";
import { emptyState } from "../../src/state/recorded";
import { casesIn } from "../support/rows";
import type { Attack } from "./arena";

const service = (rest: string): string => `services: { api: { kind: web${rest} } }\n`;
const variable = (source: string): string => service(`, variables: { A: ${source} }`);
const stack = (name: string, locals = 0, local: (next: string) => string = String): string =>
  JSON.stringify({
    locals: Object.fromEntries(
      Array.from({ length: locals }, (_, i) => [
        `l${i}`,
        i === locals - 1 ? "x" : local(`\${local.l${i + 1}}`),
      ]),
    ),
    resource: { rnv_project: { shop: { name } } },
  });
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const outside = /outside|not (be )?read|symbolic|leads/i;

/** Manifests that reach for what is not theirs. */
const manifests: readonly Attack[] = [
  ...[
    ["an absolute path", "{ fromFile: /etc/passwd }"],
    ["the parent folder", "{ fromFile: ../canary.txt }"],
    ["a path that goes down and up", "{ fromFile: a/../../canary.txt }"],
    ["a path with a NUL", '{ fromFile: "x\\0../canary.txt" }'],
    ["the process's own memory", "{ fromFile: /proc/self/environ }"],
  ].map(([what, source]) => ({
    title: `fromFile names ${what}`,
    files: { "rnv.yaml": variable(source as string) },
    args: ["plan"],
    says: /manifest\./,
  })),
  {
    title: "fromFile is a link that leads out of the project",
    files: { "rnv.yaml": variable("{ fromFile: link }") },
    prepare: (project) => symlinkSync("../canary.txt", join(project, "link")),
    args: ["plan"],
    says: outside,
  },
  {
    title: "fromFile lies in a linked folder",
    files: { "rnv.yaml": variable("{ fromFile: folder/canary.txt }") },
    prepare: (project) => symlinkSync("..", join(project, "folder")),
    args: ["plan"],
    says: outside,
  },
  {
    title: "fromFile is a pipe without a writer",
    files: { "rnv.yaml": variable("{ fromFile: pipe }") },
    prepare: (project) => execFileSync("mkfifo", [join(project, "pipe")]),
    args: ["plan"],
    says: /manifest\.secret_source/,
  },
  {
    title: "fromFile is a link to endless zeros",
    files: { "rnv.yaml": variable("{ fromFile: zeros }") },
    prepare: (project) => symlinkSync("/dev/zero", join(project, "zeros")),
    args: ["plan"],
    says: /manifest\.secret_source/,
  },
  {
    title: "the manifest is a pipe",
    prepare: (project) => execFileSync("mkfifo", [join(project, "rnv.yaml")]),
    args: ["plan"],
    says: /manifest\.|not a regular file/,
  },
  {
    title: "the manifest is a folder",
    prepare: (project) => mkdirSync(join(project, "rnv.yaml")),
    args: ["plan"],
    says: /error\[/,
  },
  {
    title: "the manifest's folder links to itself",
    files: { "rnv/a.yaml": service("") },
    prepare: (project) => symlinkSync(".", join(project, "rnv", "loop")),
    args: ["validate"],
    says: /./,
    codes: [0, 1],
  },
  ...["RNV_API_KEY", "RNV_STATE_KEY", "RNV_STATE_HTTP_PASSWORD", "AWS_SECRET_ACCESS_KEY"].map((name) => ({
    title: `a description asks for ${name}`,
    files: { "rnv.yaml": `projects: { p: { description: "\${env.${name}}" } }\n` },
    env: {
      RNV_STATE_KEY: "CANARY-STATE-KEY-0123",
      RNV_STATE_HTTP_PASSWORD: "CANARY-P",
      AWS_SECRET_ACCESS_KEY: "CANARY-A",
    },
    args: ["plan"],
    says: /credential/,
  })),
  {
    title: "fromEnv asks for the API key",
    files: { "rnv.yaml": variable("{ fromEnv: RNV_API_KEY }") },
    args: ["plan"],
    says: /credential/,
  },
  {
    title: "fromCommand never ends and writes without end",
    files: { "rnv.yaml": variable("{ fromCommand: [yes] }") },
    args: ["plan"],
    says: /manifest\.secret_source/,
  },
  ...(
    [
      ["__proto__ as a service", "services: { __proto__: { kind: web } }\n", /invalid_name|unknown_key/],
      ["constructor as a service", "services: { constructor: { kind: web } }\n", /./],
      ["toString as a key", "toString: 1\n", /unknown_key/],
      ["__proto__ as a variable", service(", variables: { __proto__: x }"), /error\[/],
      ["a terminal sequence as a key", '"\\e[2J": 1\n', /unknown_key/],
      ["a workflow command as a key", '"::set-env name=A::b": 1\n', /unknown_key/],
      ["a bidi override as a name", 'projects: { p: { name: "a\\u202Eb" } }\n', /./],
      ["ten thousand anchors", lines(10_000, (i) => `a${i}: &a${i} 1`), /error\[/],
      ["100,000 unknown keys", lines(100_000, (i) => `k${i}: 1`), /unknown_key/],
      ["a hundred thousand brackets", "[".repeat(100_000), /too_deep|syntax/],
      ["400 kB of wrong escapes", service(`, name: "${"\\q".repeat(200_000)}"`), /unknown escape/],
      ["800 kB of escapes without digits", service(`, name: "${"\\u".repeat(400_000)}"`), /hexadecimal/],
      ["fifty thousand quoted texts on one line", `a: [ ${'"a", '.repeat(50_000)}}\n`, /comma is missing/],
      [
        "a reference of eighty thousand words",
        `outputs: { a: "\${service.${"a.".repeat(80_000)}id}" }\n`,
        /reference_unknown/,
      ],
      [
        "a key that is repeated after many others",
        `${lines(20_000, (i) => `k${i}: 1`)}\n${lines(20_000, () => "k: 1")}`,
        /duplicate_key/,
      ],
      [
        "ten thousand aliases of anchors with other names",
        `x: [${lines(10_000, (i) => `&anchor${i} 1,`)}]\ny: [${lines(10_000, (i) => `*anhcor${i},`)}]`,
        /syntax/,
      ],
      ["fifty thousand lines that are indented by tabs", `a:\n${"\tb: 1\n".repeat(50_000)}`, /syntax/],
      [
        "five thousand references to what is not declared",
        `services:\n  api:\n    kind: web\n    variables:\n${lines(5_000, (i) => `      A${i}: "\${service.x${i}.id}"`)}`,
        /reference_unknown/,
      ],
      ["a number with a million digits", `version: ${"9".repeat(1_000_000)}\n`, /error\[/],
      ["a key of four megabytes", `${"k".repeat(4_000_000)}: 1\n`, /error\[/],
      ["half a surrogate", '"\\ud800": 1\n', /error\[/],
      ["UTF-16", Buffer.from("\ufeffservices: {}\n", "utf16le"), /syntax/],
      ["binary", Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)), /syntax/],
      [
        "a reference to itself",
        service(', configuration: { branch: "${service.api.url}" }'),
        /cycle|reference|error/,
      ],
      [
        "ten thousand references",
        service(`, configuration: { branch: "${"${service.x.url}".repeat(10_000)}" }`),
        /error\[/,
      ],
      [
        "an expression that is a program",
        service(', configuration: { branch: "${process.exit(0)}" }'),
        /reference_syntax/,
      ],
    ] as const
  ).map(([what, text, says]) => ({
    title: `the manifest holds ${what}`,
    files: { "rnv.yaml": text },
    args: ["validate"],
    says,
    codes: [0, 1],
  })),
  ...[
    ["letters and a star", `${"a".repeat(100_000)}*`],
    ["commas and a letter", `*${",".repeat(100_000)}a`],
    ["backslashes", "\\".repeat(100_000)],
    ["accents grave and spaces", "` ".repeat(200_000)],
  ].map(([what, name]) => ({
    title: `a plan in Markdown shows a name of a hundred thousand ${what}`,
    files: { "rnv.yaml": `projects: { shop: { name: ${JSON.stringify(name)} } }\n` },
    args: ["plan", "-format", "markdown"],
    says: /project\.shop/,
    codes: [0],
  })),
  ...(
    [
      ["a reference of fifty thousand steps", stack(`\${${"a.".repeat(50_000)}id}`), /stack\.unsupported/],
      [
        "twenty thousand references to a local that is not declared",
        stack("${local.nope}".repeat(20_000)),
        /stack\./,
      ],
      [
        "an object of twenty thousand lines",
        stack(`\${jsonencode({${"a = 1\n".repeat(20_000)}})}`),
        /stack\./,
      ],
      ["ten thousand locals in each other", stack("${local.l0}", 10_000, (next) => next), /stack\.too_large/],
      [
        "forty locals that name the next twice",
        stack("${local.l0}", 40, (next) => next + next),
        /more than \d+ characters/,
      ],
    ] as const
  ).map(([what, text, says]) => ({
    title: `a stack holds ${what}`,
    files: { "cdk.tf.json": text },
    args: ["validate", "-f", "cdk.tf.json"],
    says,
  })),
];

/** Settings that would send the API key or the state to another user. */
const addresses: readonly Attack[] = [
  ...casesIn<string>(join(__dirname, "base-urls.json")).map((url) => ({
    title: `the base URL is ${JSON.stringify(url)}`,
    env: { RNV_BASE_URL: url },
    files: { "rnv.yaml": service("") },
    args: ["plan"],
    says: /config\.(invalid|insecure)/,
  })),
  ...[
    "http://evil.example/s",
    "https://a:b@evil.example/s",
    "gopher://evil.example/s",
    "https:/\\evil.example/s",
    "s3://b/../s",
    "s3://b/k?endpoint=http://evil.example",
  ].map((state) => ({
    title: `the state lies at ${state}`,
    env: { RNV_STATE: state },
    files: { "rnv.yaml": service("") },
    args: ["plan"],
    says: /config\.(invalid|insecure)/,
  })),
  {
    title: "the workspace id leads elsewhere",
    env: { RNV_WORKSPACE_ID: "../../other" },
    files: { "rnv.yaml": service("") },
    args: ["plan"],
    says: /config\.invalid/,
  },
  {
    title: "the API key brings a header along",
    env: { RNV_API_KEY: "rnv_x\r\nX-Evil: 1" },
    files: { "rnv.yaml": service("") },
    args: ["plan"],
    says: /config\.invalid/,
  },
  ...["/dev/zero", "../canary.txt", "/etc/passwd"].map((file) => ({
    title: `the API key is read from ${file}`,
    env: { RNV_API_KEY: "", RNV_API_KEY_FILE: file },
    files: { "rnv.yaml": service("") },
    args: ["plan"],
    says: /config\.invalid/,
  })),
  ...["apply", "state push", "state restore", "show"].map((verb) => ({
    title: `${verb} is given endless zeros`,
    files: { "rnv.yaml": service("") },
    args: [...verb.split(" "), "/dev/zero"],
    says: /error\[/,
    codes: [1, 5],
  })),
];

const list = (path: string, what: string): boolean => path.split("?")[0]?.endsWith(`/${what}`) === true;
const readsCatalog =
  (answer: Answer): Attack["answer"] =>
  ({ path }) =>
    list(path, "catalog") ? answer : undefined;
type Answer = NonNullable<ReturnType<NonNullable<Attack["answer"]>>>;

/** Answers that a service, or whoever sits in front of it, could give. */
const answers: readonly Attack[] = (
  [
    [
      "a redirect to another origin",
      { status: 307, headers: { location: "FOREIGN/api/v1/catalog" } },
      /redirect/,
    ],
    ["a redirect within", { status: 301, headers: { location: "/api/v1/other" } }, /redirect/],
    ["a redirect to a file", { status: 302, headers: { location: "file:///etc/passwd" } }, /redirect/],
    ["a refresh header", { headers: { refresh: "0; url=FOREIGN" }, body: "{}" }, /error\[/],
    ["HTML", { body: "<script>alert(1)</script>" }, /error\[/],
    [
      "a terminal sequence as its message",
      { status: 400, body: '{"message":"\\u001b]0;owned\\u0007\\u001b[2J"}' },
      /error\[/,
    ],
    [
      "a workflow command as its message",
      { status: 400, body: '{"message":"::add-mask::x\\n::error::y"}' },
      /error\[/,
    ],
    ["a code with a line break", { status: 400, body: '{"code":"a\\n::error::b","message":"x"}' }, /error\[/],
    [
      "a message of five megabytes",
      { status: 400, body: JSON.stringify({ message: "m".repeat(5e6) }) },
      /error\[/,
    ],
    ["100,000 brackets", { body: "[".repeat(100_000) }, /error\[/],
    ["100,000 nested objects", { body: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` }, /error\[/],
    [
      "a prototype",
      { body: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}' },
      /error\[/,
    ],
    ["null", { body: "null" }, /error\[/],
    ["a list", { body: "[]" }, /error\[/],
    ["70 MiB", { body: `{"a":"${"x".repeat(70 * 1024 * 1024)}"}` }, /error\[/],
    [
      "a cookie and a request id of the attacker",
      { status: 403, headers: { "set-cookie": "a=b", "x-request-id": "\u00ff<b>" }, body: "{}" },
      /error\[/,
    ],
  ] as const
).map(([what, answer, says]) => ({
  title: `the catalog is ${what}`,
  files: { "rnv.yaml": service("") },
  args: ["plan"],
  answer: readsCatalog(answer),
  says,
  codes: [1],
}));

const recorded = (id: string, more: Partial<State> = {}): State => ({
  ...emptyState({
    lineage: "3f2a9d10-5c1e-4b7e-9a51-0d6c2f1e8b44",
    workspaceId: embeddedWorkspaceId,
    baseUrl: "",
  }),
  resources: {
    ["service.api" as never]: {
      type: "service",
      id,
      name: "api",
      dependsOn: [],
      applied: {},
      computed: {},
      preventDestroy: false,
      onRemove: "delete",
      writes: 1,
    },
  },
  ...more,
});
const stateText = (state: State): string => encodeState({ ...state, serial: 3 });

/** State files and journals that another user wrote. */
const states: readonly Attack[] = (
  [
    ["an id that climbs", stateText(recorded(".."))],
    ["an id with slashes", stateText(recorded("../../projects/x"))],
    ["an empty id", stateText(recorded("x")).replace('"id": "x"', '"id": ""')],
    ["an id with a terminal sequence", stateText(recorded("\u001b[2J"))],
    ["a prototype", stateText(recorded("x")).replace('"outputs": {}', '"outputs": {"__proto__": {"a": 1}}')],
    ["an address that is none", stateText(recorded("x")).replace("service.api", "service.a\\u001b[2Jpi")],
    ["a serial beyond all numbers", stateText(recorded("x")).replace('"serial": 3', '"serial": 1e400')],
    ["a serial that is a text", stateText(recorded("x")).replace('"serial": 3', '"serial": "3"')],
    ["100,000 brackets", "[".repeat(100_000)],
    ["100,000 nested objects", '{"a":'.repeat(100_000)],
    ["nothing", ""],
    ["zeros", "\0".repeat(100_000)],
    [
      "an encrypted state without data",
      '{"format":"rnv-state-encrypted","version":1,"lineage":"x","serial":1}',
    ],
    [
      "an encrypted state without a writer",
      '{"format":"rnv-state-encrypted","version":1,"lineage":"x","serial":1,"keyId":"0","nonce":"","data":""}',
    ],
    ["a state of Terraform", '{"version":4,"terraform_version":"1.9.0","resources":[]}'],
  ] as const
).map(([what, text]) => ({
  title: `the state holds ${what}`,
  files: { "rnv.yaml": service(""), ".rnv/state.json": text },
  args: ["plan"],
  says: /error\[|\+ service/,
  codes: [0, 1, 4],
}));

export const attacks: readonly Attack[] = [...manifests, ...addresses, ...answers, ...states];
