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

it("a block with a wrong name shows its own mistakes too, beside a misspelt key", async () => {
  const { code, stderr } = await told(
    '      "bad name!": { kind: web, configuration: { replicas: "2" } }\n' +
      '      api: { kind: web, configuratoin: { replicas: "3" } }\n',
    "validate",
  );
  expect(code).toBe(1);
  for (const text of [
    'error[manifest.invalid_name]: "bad name!" cannot name a service',
    'service.shop.bad name!: configuration.replicas must be a number, not the text "2"',
    "write 2 without quotes",
    'service.shop.api has no attribute "configuratoin"',
  ])
    expect(stderr).toContain(text);
  expect(stderr).toContain("3 errors");
});

it("validate warns of a kind that is a slip of a known kind; any other is for the plan to judge", async () => {
  const { code, stdout, stderr } = await told(
    "      api: { kind: wbe }\n      jobs: { kind: worker }\n      site: { kind: static }\n",
    "validate",
  );
  expect({ code, stdout }).toEqual(printing(0, "Success!"));
  expect(stderr).toContain(
    'warning[manifest.unknown_value]: service.shop.api: this version does not know the kind "wbe"',
  );
  expect(stderr).toContain('did you mean "web"? (rnv plan asks the platform what exists)');
  expect(stderr.match(/^(warning|error)\[/gm)).toEqual(["warning["]);
});

it("validate refuses values that no workspace can have, and warns of values that the interface does not show", async () => {
  const impossible = "port: 99999, replicas: -1, minReplicas: 5, maxReplicas: 3";
  const open = "scaling: automatic, buildMethod: docker, schedule: '*/5 * * * *', plan: startr, region: mars";
  const services = `      a: { kind: web, configuration: { ${impossible} } }\n      b: { kind: web, environment: Staging, configuration: { ${open} } }\n`;
  const { code, stderr } = await told(services, "validate");
  expect(code).toBe(1);
  expect(stderr).toContain("service.shop.a: port must be a number from 1 to 65535, not 99999");
  expect(stderr).toContain("must be a number of 0 or more, not -1");
  expect(stderr).toContain("the minimum of 5 replicas is above the maximum of 3");
  expect(stderr).toContain('the value "automatic" is not documented');
  expect(stderr).toContain('gap "values of settings"');
  expect(stderr).toContain('a schedule is not documented for kind "web"');
  expect(stderr).toContain('gap "settings of kinds"');
  // What exists is for the plan to say, and it stops nothing that no document shows.
  expect(stderr).toContain("3 errors, 3 warnings");
  const settings = open.replace("startr", "starter").replace("mars", "lagos");
  const planned = await told(`      b: { kind: web, configuration: { ${settings} } }\n`, "plan");
  expect(planned).toMatchObject(printing(0, '"docker" is not documented'));
  expect(planned.stdout.match(/manifest\.unknown_value/g)).toHaveLength(3);
});

it("frames show values that hold no secret, whatever is wrong around them, and no secret", async () => {
  const { stderr } = await told(
    `      a:
        kind: web
        configuration: { runtmie: node, repo: here }
        configuration2: { retries: 3, note: pa55word }
        variables: { PORT: 8080, DEBUG: true, HOST: "\${service.shop.b.url}", NOTE: pa55word, API_TOKEN: 4711 }
      b: { kind: web, configuration: { buildCommand: "\${DB_PASSWORD:-pa55word}", plan: 3 } }
`,
    "validate",
  );
  for (const shown of [
    "{ runtmie: node, repo: here }",
    "{ PORT: 8080, DEBUG: true, HOST:",
    'HOST: "${service.shop.b.url}", NOTE: ********, API_TOKEN: **** }',
    "plan: 3",
    "write { fromEnv: DB_PASSWORD } as the whole value of a variable",
  ])
    expect(stderr).toContain(shown);
  expect(stderr).not.toMatch(/pa55word|4711/);
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

it("validate warns of no ordinary value, placeholder or value that is said to be no secret", async () => {
  const values = [
    ...["LOG_LEVEL: info", "TOKEN_TTL: '3600'", "PASSWORD_MIN_LENGTH: '12'", "JWT_ISSUER: https://a.example"],
    ...["KEY_PREFIX: 'shop:'", "SESSION_TOKEN_NAME: sid", "PUBLIC_KEY_URL: https://a.example/key"],
    ...["A: postgres://localhost/shop", "B: 'postgres://u:${env.X}@h'", "C: postgres://u:changeme@h"],
    ...["A_TOKEN: changeme", "B_TOKEN: <your token>", "C_TOKEN: example", "D_TOKEN: xxx", "E_TOKEN: ''"],
    ...["F_TOKEN: { fromEnv: X }", "G_TOKEN: { value: sk_live_51Habcdefgh, sensitive: false }"],
    ...["RESET_PASSWORD: 'true'", "GOOGLE_APPLICATION_CREDENTIALS: /etc/key.json", "D: sk_live_xxxxxxxx"],
  ];
  const found = await told(`      a: { kind: web, variables: { ${values.join(", ")} } }\n`, "validate");
  expect(found).toMatchObject({ code: 0, stderr: "" });
});

it("validate warns of values that can be right nowhere, and sends them as they are", async () => {
  const wrong = "targetCpu: 101, maxRetries: -1, schedule: hourly, timezone: europe/Berln";
  const right = "targetMemory: 100, timeoutSeconds: 0, schedule: '@daily', timezone: eUROPE/berlin";
  const { code, stderr } = await told(
    `      a: { kind: cron, name: "a\\a", configuration: { ${wrong} } }
      b: { kind: cron, configuration: { ${right}, repository: "https://me:hunter2@git.example.com/b" } }
`,
    "validate",
  );
  expect(code).toBe(0);
  for (const text of [
    'the name "a\\u0007" holds control characters',
    "targetCpu must be a number from 0 to 100, not 101",
    "must be a number of 0 or more, not -1",
    '"hourly" is not a cron expression',
    'time zone "europe/Berln" does not exist',
    'did you mean "Europe/Berlin"?',
    "service.shop.b: configuration.repository looks like a secret",
    "plans and the state show it: take it out",
  ])
    expect(stderr).toContain(text);
  expect(stderr).toContain("6 warnings\n");
  expect(stderr).not.toContain("hunter2");
});

it("validate says a secret of a group once, and finds those in commands", async () => {
  const taking = "kind: web, variablesFrom: [{ group: all }]";
  const { stderr } = await told(
    `      a: { ${taking} }
      b: { ${taking}, configuration: { startCommand: run whsec_abcdefgh1234 } }
variableGroups: { all: { API_TOKEN: pa55word } }
`,
    "validate",
  );
  expect(stderr).toContain("service.shop.b: configuration.startCommand looks like a secret");
  expect(stderr).toContain("2 warnings\n");
  expect(stderr).not.toMatch(/pa55word|whsec/);
});

it("a deployment of a service without a source is a warning of the plan, unless it never runs", async () => {
  const { code, stdout } = await told(
    "      api: { kind: web }\n      quiet: { kind: web, deploy: { when: never } }\n      db: { kind: postgres }\n",
    "plan",
  );
  expect({ code, stdout }).toEqual(
    printing(0, "warning[plan.no_source]: deployment.shop.api: its service has no source to deploy"),
  );
  expect(stdout).toContain("write configuration.repository, the URL of a Git repository");
  expect(stdout.match(/plan\.no_source/g)).toHaveLength(1);
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

it.each([
  ["plan -out out/p", "cannot write out/p: the folder out does not exist"],
  ["plan -html rnv.yaml", "rnv.yaml is there already, and is a manifest"],
  ["plan -out ./s.json -state s.json", "./s.json belongs to the state"],
  ["apply -json-into s.json.journal -state s.json", "s.json.journal belongs to the state"],
  ["drift -html s.lock -state ./s", "s.lock belongs to the state"],
  ["-chdir=out plan", "-chdir: the folder out does not exist"],
  ["terraform install --dir rnv.yaml/x", "a part of its path is not a folder"],
  ["fleet report out", "/out: it does not exist"],
  ["fleet plan --changed-since main", "git: command not found"],
])("%s names the file or the program that is missing", async (words, summary) => {
  scenario.write("rnv.yaml", services("      api: { kind: web }\n"));
  const { code, stderr } = await scenario.runWith({ env: { PATH: scenario.folder } }, ...words.split(" "));
  expect({ code, stderr }).toEqual(failing(1, `${summary}\n`));
  expect(stderr).not.toMatch(/ENOENT|ENOTDIR|internal\.bug/);
  expect(scenario.files().filter(({ path }) => path.endsWith("s.json.journal"))).toEqual([]);
});

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
