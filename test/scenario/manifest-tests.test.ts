import { join } from "node:path";
import { testReportSchema } from "../../src/report/test-report";
import { oneScenario } from "../support/cli";
import { casesIn, textIn } from "../support/rows";

const manifest = textIn(join(__dirname, "manifest-tests.yaml"));

const head = 'environment: { TOKEN: canary-of-the-test, HOST: "a.example" }\ntests:\n';

/** `rnv test`: what a test says is compared with what the engine does, on a service of its own. */
describe("rnv test", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest);
    scenario.write(
      "rnv.policy.yaml",
      "policies: { main: { level: mandatory, each: service, require: service.configuration.branch == 'main', message: only main } }\n",
    );
  });
  const run = (tests: string, ...options: string[]) => {
    scenario.write("shop.rnvtest.yaml", head + tests);
    return scenario.runWith({ env: { TOKEN: "canary-of-the-job", HOST: "job.example" } }, "test", ...options);
  };
  const differences = async (tests: string): Promise<Record<string, Record<string, readonly string[]>>> => {
    const { stdout } = await run(tests, "-json");
    const report = testReportSchema.parse(JSON.parse(stdout));
    return Object.fromEntries(
      report.tests.map(({ name, differences: found }) => [
        name,
        Object.fromEntries(found.map(({ about, lines }) => [about, lines])),
      ]),
    );
  };

  it("passes tests that hold: planned, applied, drifted, taken over, refused", async () => {
    const { code, stdout, stderr } = await run(textIn(join(__dirname, "passing-tests.yaml")));
    expect(stderr).toBe("");
    expect(stdout).toContain("8 tests: 8 passed");
    expect(code).toBe(0);
  });

  it("reports each kind of expectation that does not hold", async () => {
    const found = await differences(textIn(join(__dirname, "differing-tests.yaml")));
    expect(found).toEqual(JSON.parse(textIn(join(__dirname, "differences.json"))));
  });

  it("shows an error at its place in the test file, writes JUnit and ends with 1", async () => {
    const { code, stdout } = await run(
      `
  typo:
    stage: production
    overlay:
      projects: { shop: { services: { api: { configuration: { brnch: dev } } } } }
  well: { stage: production }
`,
      "--junit",
      "out.xml",
    );
    expect(code).toBe(1);
    expect(stdout).toContain("FAIL  typo  shop.rnvtest.yaml:4");
    expect(stdout).toContain("--> shop.rnvtest.yaml:7:63");
    expect(stdout).toContain('did you mean "branch"?');
    expect(stdout).toContain("2 tests: 1 failed, 1 passed");
    const junit = scenario.read("out.xml");
    expect(junit).toMatch(/<testsuites tests="2" failures="1" time="\d+\.\d{3}">/);
    expect(junit).toContain("manifest.unknown_key");
    // A file that cannot be read is no success.
    await run("  a: { stage: production }\n  a: { stage: production }\n", "--junit", "out.xml");
    expect(scenario.read("out.xml")).toContain('<testsuites tests="1" failures="1"');
  });

  it("touches nothing: no request, no file, no variable of the job, no command, no secret shown", async () => {
    scenario.emulator.resetLog();
    scenario.write(
      "command.yaml",
      "projects: { shop: { services: { api: { kind: web, variables: { A: { fromCommand: [touch, ran] } } } } } }\n",
    );
    scenario.write("value.yaml", "projects: { shop: { services: { api: { variables: { A: text } } } } }\n");
    const { stdout, stderr } = await run(`
  value of the job: { stage: production, expect: { values: { service.shop.api: { name: api-job.example }, variable.shop.api.TOKEN: { value: canary-expected } } } }
  command: { stage: production, overlay: command.yaml, apply: true }
  value: { stage: production, overlay: [command.yaml, value.yaml], apply: true }
`);
    expect(stdout).toContain('+ service.shop.api name: "api-a.example"');
    expect(stdout).toContain("- variable.shop.api.TOKEN value: (a secret is not compared)");
    expect(stdout).toContain("+ variable.shop.api.TOKEN value: (sensitive)");
    expect(stdout).toContain("FAIL  command");
    expect(stdout).toContain('the command "touch" is not run: rnv test forbids it');
    expect(stdout).toContain("no test runs a command of a manifest: give another value in the overlay");
    expect(stdout).not.toMatch(/RNV_ALLOW_COMMANDS|--no-secrets/);
    expect(stdout).toContain("pass  value\n");
    expect(stdout + stderr).not.toMatch(/canary/);
    expect(scenario.emulator.log).toEqual([]);
    const paths = scenario.files().map(({ path }) => path);
    expect(paths.filter((path) => path.includes("ran") || path.includes(".rnv/"))).toEqual([]);
  });

  it.each(casesIn<[string, string, string]>(join(__dirname, "mistakes-of-tests.json")))(
    "refuses %s, with its place",
    async (_what, tests, told) => {
      const { code, stderr } = await run(tests);
      expect(code).toBe(1);
      expect(stderr).toContain(told);
      expect(stderr).toContain("shop.rnvtest.yaml:");
    },
  );

  it("reads a manifest in another folder of the project with all that it names, and nothing else", async () => {
    scenario.write("app/rnv.yaml", "stages: { a: { overlay: stages/a.yaml } }\nprojects: { shop: {} }\n");
    scenario.write("app/stages/a.yaml", "projects: { shop: { name: Shop A } }\n");
    scenario.write("app/tests/more.yaml", "projects: { shop: { description: more } }\n");
    scenario.write("app/.env", "SECRET=canary-of-a-file\n");
    scenario.write(
      "app/rnv.policy.yaml",
      "policies: { named: { level: mandatory, each: project, require: project.name != 'shop', message: x } }\n",
    );
    const name = "app/tests/one.rnvtest.yaml";
    const ran = async (text: string) => {
      scenario.write(name, text);
      return scenario.runWith({ env: { SECRET: "canary-of-the-job" } }, "test", "app/tests");
    };
    const good = await ran(`manifest: ../rnv.yaml
tests:
  a: { stage: a, expect: { values: { project.shop: { name: Shop A } }, policies: { named: passed } } }
  b: { stage: a, overlay: more.yaml, applied: ../rnv.yaml, expect: { actions: { project.shop: update } } }
`);
    expect(good.stdout).toContain("2 tests: 2 passed");
    const wrong = await ran(
      "manifest: ../rnv.yaml\ntests: { a: { stage: a, expect: { exitCode: 0 }, overlay: { projcts: {} } } }\n",
    );
    expect(wrong.stdout).toContain(`--> ${name}:2:`);
    for (const path of ["/proc/self/environ", "/etc/hosts", "../.env"]) {
      const { code, stdout, stderr } = await ran(`manifest: ${path}\ntests: { a: {} }\n`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/is outside the project|is no manifest/);
      expect(stderr).toContain(`--> ${name}:1:11`);
      expect(stderr).not.toContain("canary");
      const over = await ran(`manifest: ../rnv.yaml\ntests: { a: { stage: a, overlay: [${path}] } }\n`);
      expect(over.stderr).toContain(`--> ${name}:2:`);
      expect(over.stderr + over.stdout).not.toContain("canary");
    }
    scenario.write(name, "tests: {}\n");
  });

  it("finds tests by place and by filter, and nothing is no success", async () => {
    expect(
      (await run("  one: { stage: production }\n  two: { stage: staging }\n", "--filter", "two")).stdout,
    ).toContain("1 test: 1 passed");
    expect((await run("  one: { stage: production }\n", "--filter", "other")).code).toBe(1);
    expect((await scenario.run("test", "rnv.yaml")).stderr).toContain("name it rnv.rnvtest.yaml");
    expect((await scenario.run("test", "nowhere")).stderr).toContain("it does not exist");
  });
});
