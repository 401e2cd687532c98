import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { validateAction, validateWorkflow } from "@action-validator/core";
import { parse, parseAllDocuments } from "yaml";
import { parseCommand } from "../support/parse-command";
import { newFolder } from "../support/temp-folder";
import { documentsOf, type Step, stepsIn, type Workflow, workflowOf } from "../support/workflow";

const root = join(__dirname, "..", "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Every file of YAML that a team copies, with those of folders whose names begin with a dot. */
const files = [
  ".pre-commit-hooks.yaml",
  ...readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file) && !/node_modules|cdktf\.out|\.rnv/.test(file))
    .map((file) => `examples/${file}`),
].sort();
const workflowFiles = files.filter((file) => file.includes("/workflows/"));

const at = (file: string): string => join(root, file);
const stepsOf = (file: string): readonly Step[] =>
  file.endsWith("action.yml")
    ? (documentsOf(at(file))[0] as { runs: { steps: readonly Step[] } }).runs.steps
    : stepsIn(workflowOf(at(file)));

/** What a line of these files is when it runs. */
const filledIn = (text: string): string =>
  text
    .replace(/\$\{\{ matrix\.shard \}\}/g, "1/4")
    .replace(/\$\[\[ inputs\.(stage|preview) \]\]/g, "production")
    .replace(/\$\(JOB_UID\)/g, "uid-1")
    .replace(/"?\$PLANFILE"?/g, "plan.rnvplan")
    .replace(/["']/g, "");

/** The words behind `rnv` of every command in a text. */
const commandsIn = (text: string): readonly string[] =>
  [
    ...text.replace(/^\s*#.*$/gm, "").matchAll(/(?:npx (?:--no-install )?|entry: )rnv ([a-z][^\n>|;)]*)/g),
  ].map(([, words = ""]) => filledIn(words).trim());

function commandsOf(file: string): readonly string[] {
  if (file.endsWith("Dockerfile"))
    return [(JSON.parse(/^CMD (.*)$/m.exec(read(file))?.[1] ?? "[]") as string[]).join(" ")];
  if (workflowFiles.includes(file))
    return stepsOf(file).flatMap(({ with: inputs, run = "" }) => [
      ...(inputs?.command === undefined ? [] : [filledIn(String(inputs.command))]),
      ...commandsIn(run),
    ]);
  const args = [...read(file).matchAll(/args: \[([^\]]*)\]/g)].map(([, list = ""]) =>
    filledIn(list.replaceAll(",", "")),
  );
  return [...args, ...commandsIn(read(file))];
}

it("every file of YAML parses, with no key twice", () => {
  expect(workflowFiles.length).toBe(14);
  for (const file of files) documentsOf(at(file));
});

const withCommands = [...files, "examples/kubernetes/Dockerfile"]
  .map((file) => ({ file, commands: commandsOf(file) }))
  .filter(({ commands }) => commands.length > 0);

it("workflows and the action fit the schemas that SchemaStore publishes", () => {
  for (const file of [...workflowFiles, "examples/github/action.yml"]) {
    const validate = file.endsWith("action.yml") ? validateAction : validateWorkflow;
    expect({ file, errors: validate(read(file)).errors }).toEqual({ file, errors: [] });
    expect(validate(read(file).replace(/(runs-on|using): /, "x$&")).errors).not.toEqual([]);
  }
});

it("every file that runs rnv is looked at", () => {
  expect(withCommands.map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      ...[".pre-commit-hooks.yaml", "examples/atlantis/atlantis.yaml", "examples/gitlab/templates/rnv.yml"],
      ...["Dockerfile", "drift.yaml", "fleet.yaml"].map((name) => `examples/kubernetes/${name}`),
      ...workflowFiles,
    ]),
  );
  expect(withCommands.flatMap(({ commands }) => commands).length).toBeGreaterThan(25);
});

it.each(withCommands)("$file: each command exists, with its options", async ({ commands }) => {
  for (const line of commands)
    expect({ line, ran: await parseCommand(line) }).toEqual({ line, ran: [expect.any(String)] });
});

it("a command that does not exist is found", async () => {
  await expect(parseCommand("ci drift --all-stage")).rejects.toThrow("unknown option");
  await expect(parseCommand("fleet plan --changed-since")).rejects.toThrow("argument missing");
  await expect(parseCommand("fleet drfit")).rejects.toThrow("drift");
});

/** GitHub's own actions, and the commits of their releases. */
const pinned = [
  "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
  "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0",
  "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
  "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1",
  "actions/create-github-app-token@bcd2ba49218906704ab6c1aa796996da409d3eb1 # v3.2.0",
];
const withActions = [
  ...workflowFiles,
  ...["examples/github/action.yml", "docs/cli/ci.md"],
  ...["ci", "release"].map((name) => `.github/workflows/${name}.yml`),
];

it.each(withActions)("%s pins each action of GitHub by the commit of its version", (file) => {
  for (const [, used = ""] of read(file).matchAll(/uses: (actions\/.*)$/gm)) expect(pinned).toContain(used);
  if (!file.startsWith(".github/"))
    expect(read(file)).not.toMatch(/uses: (?!actions\/|\.\/\.github\/actions\/rnv\b)/m);
});

describe.each([...workflowFiles, "examples/github/action.yml"])("%s", (file) => {
  it("runs nothing that an event, a branch or a title says, and gives secrets to steps that run rnv", () => {
    for (const { run = "", uses = "", env = {} } of stepsOf(file)) {
      const inserted = [...run.matchAll(/\$\{\{\s*([\w.-]+)/g)].map(([, name]) => name);
      expect({ run, inserted: inserted.filter((name) => name !== "github.sha") }).toEqual({
        run,
        inserted: [],
      });
      const secrets = JSON.stringify(env).match(/secrets\.\w+/g) ?? [];
      if (secrets.length > 0) expect(`${run} ${uses}`).toMatch(/npx rnv|actions\/rnv/);
      if (/npm (ci|install)/.test(run)) expect(run).toContain("--ignore-scripts");
    }
  });
});

it.each(workflowFiles)("%s: a step ends as soon as a command of rnv in it fails", (file) => {
  const folder = newFolder("steps");
  for (const { run = "" } of stepsOf(file))
    for (const [, failing = ""] of run.replace(/^\s*#.*$/gm, "").matchAll(/npx (rnv [a-z]+( [a-z]+)?)/g)) {
      // As GitHub runs a step.
      const script = `npx() { case "$*" in "${failing}"*) return 3;; esac; }\n${run}`;
      const { status } = spawnSync("bash", ["-e", "-c", script], {
        cwd: folder,
        stdio: "ignore",
        env: { PATH: process.env.PATH, GITHUB_OUTPUT: "output", GITHUB_STEP_SUMMARY: "summary" },
      });
      expect({ failing, run, status }).toEqual({ failing, run, status: 3 });
    }
});

interface AnyJob {
  readonly steps?: readonly Step[];
  readonly script?: readonly string[];
  readonly artifacts?: { readonly when: string; readonly paths: readonly string[] };
}

/** The jobs of GitHub and GitLab in a text. */
const jobsIn = (text: string) =>
  [...parseAllDocuments(text)].flatMap((document) => {
    const { jobs = document.toJS(), ...rest } = document.toJS();
    return Object.entries<AnyJob>({ ...rest, ...jobs }).map(([name, one]) => ({ name, ...one }));
  });
const inMarkdown = (file: string): string =>
  [...read(file).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block]) => block).join("---\n");

it("each job that plans or applies keeps its report, also where it failed", () => {
  const texts = [...files.map(read), ...["docs/cli/ci.md", "docs/cli/gitops.md"].map(inMarkdown)];
  const jobs = texts.flatMap(jobsIn).filter(({ steps = [], script = [] }) => {
    const run = [...steps.flatMap((one) => [one.run, one.with?.command]), ...script].join("\n");
    return /\bci (plan|apply)\b/.test(run);
  });
  expect(jobs.length).toBeGreaterThan(8);
  for (const { name, steps = [], artifacts } of jobs) {
    const upload = steps.find(({ uses = "" }) => uses.includes("upload-artifact"));
    const kept = artifacts ? [artifacts.when, ...artifacts.paths] : [upload?.if, upload?.with?.path];
    expect([name, ...kept]).toEqual([name, artifacts ? "always" : "${{ !cancelled() }}", "rnv-report"]);
  }
});

it("jobs of GitLab that ask git what has changed have an image with git", () => {
  const [header, jobs] = documentsOf(at("examples/gitlab/templates/rnv.yml")) as [
    { spec: { inputs: Record<string, { default: unknown }> } },
    Record<string, { script?: readonly string[]; image?: string; extends?: string }>,
  ];
  const inputOf = (image = ""): unknown =>
    header.spec.inputs[/^\$\[\[ inputs\.(\w+) \]\]$/.exec(image)?.[1] ?? ""]?.default;
  for (const { script = [], image, extends: parent = "" } of Object.values(jobs))
    if (script.length > 0) {
      const expected = script.join("\n").includes("--changed-since") ? /^node:\d+$/ : /^node:\d+-slim$/;
      expect(inputOf(image ?? jobs[parent]?.image)).toMatch(expected);
    }
});

/** The permissions that a job needs, by what it runs: of each command the most. */
const needed: readonly (readonly [command: RegExp, permissions: Workflow["permissions"]])[] = [
  [/\bgit push\b/, { contents: "write" }],
  [/\brnv ci (plan|apply)|\bgh pr (comment|create)|\/issues\/comments\//, { "pull-requests": "write" }],
  [/\brnv ci drift/, { issues: "write" }],
  [/\brnv ci sweep|\bgh pr list/, { "pull-requests": "read" }],
];

it.each(workflowFiles)("%s has the least permissions, an end, and no token left in its folder", (file) => {
  const { permissions: ofAll, jobs } = workflowOf(at(file));
  const names = Object.keys(jobs);
  // Of several jobs each has its own.
  if (file.startsWith("examples/github/")) expect(ofAll).toEqual({});
  else expect(names).toHaveLength(1);
  for (const { steps = [], permissions: own, ...job } of Object.values(jobs)) {
    expect(job["timeout-minutes"]).toBeGreaterThan(0);
    expect(job["runs-on"]).toBe("ubuntu-latest");
    const text = steps
      .map(({ with: inputs, run = "" }) => (inputs?.command === undefined ? run : `rnv ${inputs.command}`))
      .join("\n");
    const given = needed.filter(([command]) => command.test(text)).map(([, one]) => one);
    expect(own ?? ofAll).toEqual(Object.assign({ contents: "read" }, ...given));
    const isPushing = (inputs: Step["with"] = {}): boolean =>
      steps.some(({ run = "", "working-directory": at }) => run.includes("git push") && at === inputs.path);
    for (const { uses = "", with: inputs } of steps)
      if (uses.includes("checkout") && !isPushing(inputs))
        expect(inputs).toMatchObject({ "persist-credentials": false });
  }
});

it("pods have no root, no capability, no account of the cluster, and a root filesystem that is read-only", () => {
  for (const name of ["drift", "fleet"]) {
    const text = JSON.stringify(documentsOf(at(`examples/kubernetes/${name}.yaml`))[0]);
    for (const told of [
      ...['"runAsNonRoot":true', '"readOnlyRootFilesystem":true', '"allowPrivilegeEscalation":false'],
      ...[
        '"capabilities":{"drop":["ALL"]}',
        '"automountServiceAccountToken":false',
        '"seccompProfile":{"type":"RuntimeDefault"}',
      ],
    ])
      expect(text).toContain(told);
    expect(text).not.toMatch(/:latest"/);
  }
  const { spec } = documentsOf(at("examples/kubernetes/fleet.yaml"))[0] as {
    spec: {
      completions: number;
      template: { spec: { containers: { env: { name: string; value: string }[] }[] } };
    };
  };
  const shards = spec.template.spec.containers[0]?.env.find(({ name }) => name === "RNV_SHARDS");
  expect(Number(shards?.value)).toBe(spec.completions);
  const dockerfile = read("examples/kubernetes/Dockerfile");
  expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  // README.md has it as one of the development packages.
  expect(dockerfile).toContain("npm ci --ignore-scripts");
  expect(dockerfile).not.toMatch(/omit|production"?$|NODE_ENV.*\nRUN npm/);
});

it("Renovate finds the commits that manifests pin, and in the files that hooks look at", () => {
  const [manager] = (
    JSON.parse(read("examples/renovate/rnv.json")) as {
      customManagers: { matchStrings: string[]; managerFilePatterns: string[] }[];
    }
  ).customManagers;
  const pins = new RegExp(manager?.matchStrings[0] ?? "", "g");
  // A block without a commit takes none of the next.
  const text = read("examples/renovate/rnv.yaml");
  expect(text.replace(/^ +commit: .*$/m, "        x:\n          commit: $&").match(pins)).toHaveLength(1);
  const found = [...text.matchAll(pins)];
  expect(found.map(({ groups }) => ({ ...groups }))).toEqual([
    {
      packageName: "https://git.example.com/shop/api",
      currentValue: "main",
      currentDigest: "2b1f0c7f9d3f6f4f2c1b7ad2f8a3f1c9e0d4b6a5",
    },
    {
      packageName: "https://git.example.com/shop/worker",
      currentValue: "stable",
      currentDigest: "7c9e6679f7425f40de944be07fc1f90ae7a1b2c3",
    },
  ]);
  const [hook] = documentsOf(at(".pre-commit-hooks.yaml"))[0] as {
    files: string;
    entry: string;
    language: string;
  }[];
  const patterns = [hook?.files ?? "", manager?.managerFilePatterns[0]?.slice(1, -1) ?? ""].map(
    (one) => new RegExp(one),
  );
  for (const pattern of patterns) {
    for (const file of ["rnv.yaml", "shop/rnv.yml", "rnv/api/web.yaml", "stages/production.yaml"])
      expect(pattern.test(file)).toBe(true);
    for (const file of ["package.json", "other.yaml", "rnv.yaml.md"]) expect(pattern.test(file)).toBe(false);
  }
});

/** The steps of a workflow on a page. */
function stepsOfBlock(block = ""): readonly Step[] {
  expect(validateWorkflow(block).errors).toEqual([]);
  return stepsIn(parse(block));
}

it("the jobs in docs/cli/ci.md are such files", async () => {
  const text = read("docs/cli/ci.md");
  const blocks = [...text.matchAll(/```(yaml|sh)\n([\s\S]*?)```/g)].map(([, language, block = ""]) => ({
    language,
    block,
  }));
  expect(blocks.map(({ language }) => language)).toEqual(["yaml", "yaml", "sh"]);
  const steps = stepsOfBlock(blocks[0]?.block);
  const commands = steps.flatMap(({ with: inputs }) => (inputs?.command ? [String(inputs.command)] : []));
  expect(commands).toEqual([expect.stringMatching(/^ci plan/), expect.stringMatching(/^ci apply/)]);
  for (const { uses = "" } of steps) expect(uses).toMatch(/@[0-9a-f]{40}$|^\.\/\.github\/actions\/rnv$/);
  const crontab = commandsIn(blocks[2]?.block ?? "");
  expect(crontab).toHaveLength(2);
  for (const line of [...commands, ...crontab])
    expect({ line, ran: await parseCommand(line) }).toEqual({ line, ran: [expect.any(String)] });
});

it("the job in README.md is such a file", async () => {
  const [, block = ""] = /```yaml\n(on:[\s\S]*?)```/.exec(read("README.md")) ?? [];
  const steps = stepsOfBlock(block);
  for (const { uses = "" } of steps) expect(uses).toMatch(/@[0-9a-f]{40}$|^\.\/\.github\/actions\/rnv$/);
  const command = String(steps.at(-1)?.with?.command);
  expect({ command, ran: await parseCommand(command) }).toEqual({ command, ran: [expect.any(String)] });
});

it("what READMEs of the jobs link to is there", () => {
  for (const folder of ["github", "gitlab", "kubernetes"]) {
    const file = join(root, "examples", folder, "README.md");
    for (const [, link = ""] of readFileSync(file, "utf8").matchAll(/\]\((\.[^)#]+)\)/g))
      expect({ link, exists: existsSync(join(root, "examples", folder, link)) }).toEqual({
        link,
        exists: true,
      });
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/`([\w/]+\.ya?ml)`/g))
      expect({
        name,
        found: files.some((one) => relative(`examples/${folder}`, one).endsWith(name)) || name === "rnv.yaml",
      }).toEqual({ name, found: true });
  }
});

it("the composite action hands words on, and no shell reads them", () => {
  const folder = newFolder("action");
  const run = stepsOf("examples/github/action.yml").find(({ id }) => id === "rnv")?.run ?? "";
  const hostile = "ci plan --stage $(touch${IFS}owned) ; touch owned * `touch owned`";
  const printed = execFileSync("bash", ["-ec", `npx() { printf '%s\\n' "$@"; }\n${run}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, RNV_WORDS: hostile },
    encoding: "utf8",
  });
  expect(printed.trim().split("\n")).toEqual(["--no-install", "rnv", ...hostile.split(" ")]);
  expect(existsSync(join(folder, "owned"))).toBe(false);
});
