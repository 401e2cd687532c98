/** The one dependency rule: a folder imports only from rows above its own; folders in one row never import each other. */
const rows = [
  ["diagnostics"],
  ["model"],
  ["api", "declaration", "plan"],
  ["state"],
  ["manifest", "stack", "resources", "apply", "report", "emulator"],
  ["commands"],
  ["cli", "terraform", "cdktf"],
];

/** What a folder may import that needs less than every row above its own. */
const allowed = {
  state: ["diagnostics", "model", "api"],
  manifest: ["diagnostics", "model", "declaration"],
  stack: ["diagnostics", "model", "declaration"],
  resources: ["diagnostics", "model", "api"],
  apply: ["diagnostics", "model", "plan", "state", "api"],
  report: ["diagnostics", "model", "plan", "state"],
  emulator: ["diagnostics", "model", "api/wire", "api/transport"],
};

const layerRules = rows.flatMap((row, index) =>
  row.map((folder) => {
    const above = allowed[folder] ?? rows.slice(0, index).flat();
    return {
      name: `layer-${folder}`,
      comment: `src/${folder} imports only from: ${above.join(", ") || "nothing"} (DESIGN section 2)`,
      severity: "error",
      from: { path: `^src/${folder}/` },
      to: { path: "^src/", pathNot: [`^src/${folder}/`, ...above.map((name) => `^src/${name}(/|\\.ts$)`)] },
    };
  }),
);

const fence = (library, folders, why) => ({
  name: `fence-${library}`,
  comment: why,
  severity: "error",
  from: { path: "^src/", pathNot: folders.map((folder) => `^src/${folder}/`) },
  to: { path: `(^|node_modules/)${library}($|/)` },
});

module.exports = {
  forbidden: [
    ...layerRules,
    { name: "no-cycles", comment: "A cycle has no first file to read.", severity: "error", from: {}, to: { circular: true } },
    {
      name: "fence-tools",
      comment: "Tools write releases and reference pages from src; nothing that ships needs them.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^tools/" },
    },
    {
      name: "fence-http",
      comment: "The emulator alone answers HTTP; requests go through undici. `read-answer` takes the words of statuses.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/emulator/", "^src/api/read-answer.ts$"] },
      to: { path: "^(node:)?https?$" },
    },
    fence("undici", ["api"], "HTTP is spoken in one place."),
    fence("@aws-sdk", ["state"], "S3 is spoken in one place, which is loaded for states there."),
    fence("yaml", ["manifest"], "YAML is read and written in one place."),
    fence("jsonc-parser", ["stack"], "The JSON of stacks is read in one place."),
    fence("js-yaml", ["manifest"], "YAML is read and written in one place."),
    fence("@marcbachmann/cel-js", ["plan/policy", "commands"], "Policies are read in one place, which is loaded where there are any."),
    fence("@dagrejs/dagre", ["report/html"], "Topologies are laid out in one place, which is loaded where one is drawn."),
    fence("commander", ["cli"], "Arguments are read in one place."),
    fence("@clack/core", ["cli"], "A person is asked in one place."),
    fence("@grpc/grpc-js", ["terraform"], "Only the plugin adapter speaks gRPC."),
    fence("@msgpack/msgpack", ["terraform"], "Only the plugin adapter speaks msgpack."),
    fence("cdktf", ["cdktf"], "An optional peer: nothing else may need it."),
    fence("cdktn", ["cdktf"], "An optional peer: nothing else may need it."),
    fence("constructs", ["cdktf"], "An optional peer: nothing else may need it."),
    {
      name: "fence-fs",
      comment: "Files are touched by declaration, manifest, stack, state, emulator and cli only.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/(declaration|manifest|stack|state|emulator|cli|terraform)/"] },
      to: { path: "^(node:)?fs(/promises)?$" },
    },
    {
      name: "fence-open-secret",
      comment: "The text of a secret is opened where requests are prepared and where texts are redacted, nowhere else.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/api/(prepare-request|redactor)\\.ts$", "^src/model/secret\\.ts$"] },
      to: { path: "^src/model/open-secret\\.ts$" },
    },
    {
      name: "fence-opened-secrets",
      comment: "Modules of src/api that open secrets are used in src/api only: a way through them would be a way around.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/api/"] },
      to: { path: "^src/api/(prepare-request|redactor)\\.ts$" },
    },
    {
      name: "plan-is-pure",
      comment: "Planning sees no HTTP, file, clock, randomness or colour.",
      severity: "error",
      from: { path: "^src/plan/" },
      to: { dependencyTypes: ["core"], pathNot: ["^(node:)?crypto$"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    parser: "swc",
    enhancedResolveOptions: { extensions: [".ts", ".js"], exportsFields: ["exports"], conditionNames: ["node", "require"] },
  },
};
