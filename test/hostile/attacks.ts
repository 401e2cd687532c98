import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { embeddedWorkspaceId } from "../../src/emulator/emulator";
import { encodeState } from "../../src/state/encode";
import { emptyState } from "../../src/state/recorded";
import { casesIn } from "../support/rows";
import type { Attack } from "./arena";

/** A text, or its parts; a part with a number is repeated. */
type Text = string | readonly (string | readonly [part: string, times: number])[];
type Told<Rest extends readonly unknown[]> = readonly (readonly [what: string, text: Text, ...Rest])[];

/** Texts of attackers, as `texts.yaml` describes them. */
const told: {
  readonly manifests: Told<[says: string]>;
  readonly names: Told<[]>;
  readonly stacks: Told<[says: string]>;
  readonly catalogs: Told<[says: string, status?: number, headers?: Readonly<Record<string, string>>]>;
  readonly states: Told<[instead?: string]>;
} = parse(readFileSync(join(__dirname, "texts.yaml"), "utf8"));

/** The whole text of its parts. */
function whole(text: Text): string {
  if (typeof text === "string") return text;
  const parts = text.map((part) => (typeof part === "string" ? ([part, 1] as const) : part));
  return parts
    .map(([part, times]) =>
      part.includes("<i>")
        ? Array.from({ length: times }, (_, i) => part.replaceAll("<i>", `${i}`)).join("")
        : part.repeat(times),
    )
    .join("");
}

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
  ...[
    ...told.manifests,
    ["UTF-16", Buffer.from("\ufeffservices: {}\n", "utf16le"), "syntax"] as const,
    ["binary", Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)), "syntax"] as const,
  ].map(([what, text, says]) => ({
    title: `the manifest holds ${what}`,
    files: { "rnv.yaml": Buffer.isBuffer(text) ? text : whole(text) },
    args: ["validate"],
    says: new RegExp(says),
    codes: [0, 1],
  })),
  ...told.names.map(([what, name]) => ({
    title: `a plan in Markdown shows a name of a hundred thousand ${what}`,
    files: { "rnv.yaml": `projects: { shop: { name: ${JSON.stringify(whole(name))} } }\n` },
    args: ["plan", "-format", "markdown"],
    says: /project\.shop/,
    codes: [0],
  })),
  ...[
    ...told.stacks.map(([what, name, says]) => [what, stack(whole(name)), new RegExp(says)] as const),
    [
      "ten thousand locals in each other",
      stack("${local.l0}", 10_000, (next) => next),
      /stack\.too_large/,
    ] as const,
    [
      "forty locals that name the next twice",
      stack("${local.l0}", 40, (next) => next + next),
      /more than \d+ characters/,
    ] as const,
  ].map(([what, text, says]) => ({
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

/** Answers that a service, or whoever sits in front of it, could give. */
const answers: readonly Attack[] = told.catalogs.map(([what, text, says, status = 200, headers = {}]) => ({
  title: `the catalog is ${what}`,
  files: { "rnv.yaml": service("") },
  args: ["plan"],
  answer: ({ path }) => (/\/catalog(\?|$)/.test(path) ? { status, headers, body: whole(text) } : undefined),
  says: new RegExp(says),
  codes: [1],
}));

/** A good state, with the service `api`. */
const stored = encodeState({
  ...emptyState({
    lineage: "3f2a9d10-5c1e-4b7e-9a51-0d6c2f1e8b44",
    workspaceId: embeddedWorkspaceId,
    baseUrl: "",
  }),
  serial: 3,
  resources: {
    ["service.api" as never]: {
      type: "service",
      id: "x",
      name: "api",
      dependsOn: [],
      applied: {},
      computed: {},
      preventDestroy: false,
      onRemove: "delete",
      writes: 1,
    },
  },
});

/** State files and journals that another user wrote. */
const states: readonly Attack[] = told.states.map(([what, text, instead]) => ({
  title: `the state holds ${what}`,
  files: {
    "rnv.yaml": service(""),
    ".rnv/state.json": instead === undefined ? whole(text) : stored.replace(whole(text), () => instead),
  },
  args: ["plan"],
  says: /error\[|\+ service/,
  codes: [0, 1, 4],
}));

export const attacks: readonly Attack[] = [...manifests, ...addresses, ...answers, ...states];
