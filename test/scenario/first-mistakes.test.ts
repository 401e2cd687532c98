import { rmSync } from "node:fs";
import { join } from "node:path";
import { failing, oneScenario, openScenario, printing } from "../support/cli";
import { casesIn, rowsIn } from "../support/rows";

/** The interface shows two kinds, and no other source than a repository ("Service"; "Gaps"). */
const scenario = oneScenario();

const services = (text: string): string => `projects:\n  shop:\n    services:\n${text}`;

/** Writes the manifest and runs a verb. */
const told = (text: string, verb: string, ...args: readonly string[]) => {
  scenario.write("rnv.yaml", services(text));
  return scenario.run(verb, ...args);
};

interface Mistake {
  readonly name: string;
  readonly services: string;
  readonly groups?: string;
  readonly verb?: string;
  readonly code: number;
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  readonly never?: readonly string[];
  /** Codes of all errors and warnings. */
  readonly findings?: readonly string[];
}

it.each(casesIn<Mistake>(join(__dirname, "first-mistakes.yaml")))("$name", async (mistake) => {
  const { services, groups = "", verb = "validate", stdout = [], stderr, never = [] } = mistake;
  const ended = await told(services.replace(/^(?=.)/gm, "      ") + groups, verb);
  expect(ended.code).toBe(mistake.code);
  for (const text of stdout) expect(ended.stdout).toContain(text);
  if (!stderr) expect(ended.stderr).toBe("");
  for (const text of stderr ?? []) expect(ended.stderr).toContain(text);
  const shown = ended.stdout + ended.stderr;
  for (const text of never) expect(shown).not.toContain(text);
  const findings = [...shown.matchAll(/^(?:warning|error)\[(.*?)\]/gm)].map(([, code]) => code);
  if (mistake.findings) expect(findings).toEqual(mistake.findings);
});

it.each([
  ...["API_TOKEN: sk_1ive", "A: sk_live_51Habcdefgh", "A: ghp_abcdefghij0123", "A: AKIAABCDEFGHIJKLMNOP"],
  ...["A: postgres://u:p@host", "A: eyJhbGciOiJI.eyJzdWIiOiIx.dozjg", 'A: "-----BEGIN PRIVATE KEY-----"'],
  ...["A: xoxb-123456789012-ab", "A: glpat-abcdefghij12345", "DB_PASSWORD: { value: '12345' }"],
])("validate warns that %s looks like a secret, once and with the edit", async (variable) => {
  const { code, stderr } = await told(`      a: { kind: web, variables: { ${variable} } }\n`, "validate");
  expect(code).toBe(0);
  const [name = ""] = variable.split(":");
  expect(stderr).toContain(`[manifest.plain_secret]: variable.shop.a.${name} looks like a secret`);
  expect(stderr).toContain(`write { fromEnv: ${name} }; if it is no secret: { value: …, sensitive: false }`);
  expect(stderr.match(/^(warning|error)\[/gm)).toEqual(["warning["]);
  expect(stderr).not.toContain(variable.replace(/^\w+: /, ""));
});

it("a file that does not exist is called that, without a code of the operating system", async () => {
  const shown = await scenario.run("show", "plan.rnvplan");
  expect(shown).toMatchObject(failing(1, "cannot read plan.rnvplan: it does not exist"));
  const applied = await scenario.run("apply", "plan.rnvplan");
  expect(applied).toMatchObject(failing(1, "plan.rnvplan: no such file"));
});

it.each(casesIn<[string, string]>(join(__dirname, "meant-lines.json")))(
  "`%s` is answered with the command line that was meant",
  async (line, summary) => {
    scenario.write("main.tf.json", "{}");
    const { code, stderr } = await told("      api: { kind: web }\n", ...(line.split(" ") as [string]));
    expect({ code, stderr }).toEqual(failing(1, `error[command.usage]: ${summary}\n`));
  },
);

describe("an address", () => {
  const source = "configuration: { repository: https://git.example.com/api }";
  beforeAll(async () => {
    const manifest = `      api: { kind: web, ${source}, variables: { LOG_LEVEL: info } }\n`;
    expect(await told(manifest, "apply", "-auto-approve", "-input=false")).toMatchObject({ code: 0 });
  });

  it.each(rowsIn(join(__dirname, "meant-addresses.tsv")))("is suggested by `%s`", async (line, address) => {
    const { code, stderr } = await scenario.run(...line.split(" "));
    expect(code).toBe(1);
    expect(stderr).toContain(`hint: did you mean "${address}"?`);
  });
});

it("each format of a plan shows the findings of loading, and a misspelt kind alone", async () => {
  const at = await openScenario();
  const seen = async (): Promise<readonly string[]> => {
    const texts = [];
    for (const format of ["text", "markdown", "json"])
      texts.push(await at.run("plan", "-format", format, "-html", "plan.html"));
    const job = await at.runWith({ env: { GITHUB_ACTIONS: "true" } }, "ci", "plan");
    const files = ["plan.html", "rnv-report/plan.md", "rnv-report/plan.json"];
    return [...texts.map(({ stdout, stderr }) => stdout || stderr), job.stderr, ...files.map(at.read)];
  };
  const service =
    'services: { docs: { kind: web, configuration: { repository: "https://git.example.com/docs" } } }\n';
  at.write("rnv.yaml", "services: {}\n");
  for (const text of await seen()) expect(text).toContain("rnv.yaml declares nothing");
  await at.applied(service);
  at.write("rnv.yaml", service.replace("web", "wbe"));
  for (const text of await seen()) {
    expect(text).toMatch(/kind .{1,9}wbe.{1,9} does not exist/);
    expect(text).not.toMatch(/confirm-delete|must be replaced|delete_unconfirmed/);
  }
});

it("two manifests side by side are an error of every verb, which names both; -f chooses", async () => {
  scenario.write("rnv.yaml", services("      api: { kind: web }\n"));
  scenario.write("rnv/more.yaml", "services: { docs: { kind: web } }\n");
  for (const words of ["validate", "plan", "init", "state list", "stage list", "-chdir=. apply"])
    expect(await scenario.run(...words.split(" "))).toMatchObject(
      failing(1, "error[manifest.unsupported]: both rnv.yaml and rnv/ exist"),
    );
  const fleet = await scenario.run("fleet", "plan");
  expect(fleet).toMatchObject(printing(1, "both rnv.yaml and rnv/ exist"));
  expect(await scenario.run("validate", "-f", "rnv.yaml")).toMatchObject({ code: 0 });
});

it.each(rowsIn(join(__dirname, "missing-files.tsv")))(
  "%s names the file or the program that is missing",
  async (words = "", summary = "") => {
    scenario.write("rnv.yaml", services("      api: { kind: web }\n"));
    const { code, stderr } = await scenario.runWith({ env: { PATH: scenario.folder } }, ...words.split(" "));
    expect({ code, stderr }).toEqual(failing(1, `${summary}\n`));
    expect(stderr).not.toMatch(/ENOENT|ENOTDIR|internal\.bug/);
    expect(scenario.files().filter(({ path }) => path.endsWith("s.json.journal"))).toEqual([]);
  },
);

it("a file in place of the folder .rnv is an error that says so", async () => {
  scenario.write("rnv.yaml", services("      api: { kind: web }\n"));
  for (const folder of ["rnv", ".rnv"])
    rmSync(join(scenario.folder, folder), { recursive: true, force: true });
  scenario.write(".rnv", "");
  const summary = "error[command.usage]: .rnv is a file, and rnv keeps its state in a folder of that name\n";
  for (const verb of ["plan", "apply", "status", "state list"])
    expect((await scenario.run(...verb.split(" "))).stderr).toContain(summary);
  rmSync(join(scenario.folder, ".rnv"));
});

it.each(["-f rnv.config.mjs", "-app node\tapp.mjs"])(
  "plan %s masks secrets of the environment in the error of a program",
  async (words) => {
    for (const file of ["rnv.config.mjs", "app.mjs"])
      scenario.write(file, "throw new Error(`no database at ${process.env.DB_PASSWORD}!`);");
    const env = { DB_PASSWORD: "correct-horse" };
    const args = words.split(" ").map((word) => word.replace("\t", " "));
    const { code, stderr } = await scenario.runWith({ env }, "plan", ...args);
    expect({ code, stderr }).toMatchObject(failing(1, "database at (sensitive)!"));
    expect(stderr).not.toContain("correct-horse");
  },
);

it.each(["cdktf.out", "cdk.tf.json"])("plan beside %s says how to plan a stack", async (name) => {
  for (const file of ["rnv", "rnv.yaml", "rnv.config.mjs", "cdktf.out", "cdk.tf.json"])
    rmSync(join(scenario.folder, file), { recursive: true, force: true });
  scenario.write(name, "{}");
  expect((await scenario.run("plan")).stderr).toContain(`to read the stack that is here: -f ${name};`);
});

it.each(["plan", "drift"])("%s --format markdown says why it has nothing to show", async (verb) => {
  scenario.write("rnv.yaml", "projcts: {}\n");
  const { code, stdout } = await scenario.run(verb, "--format", "markdown");
  expect(code).toBe(1);
  expect(stdout).toContain(`### rnv ${verb}\n`);
  expect(stdout).toContain('error[manifest.unknown_key]: a manifest has no key "projcts"');
});
