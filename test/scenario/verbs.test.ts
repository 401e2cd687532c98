import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { approve, oneScenario } from "../support/cli";
import { textIn } from "../support/rows";

const shop = textIn(join(__dirname, "verbs.yaml"));

describe("verbs on an applied workspace", () => {
  const scenario = oneScenario();
  const api = () => scenario.emulator.store.services()[0]?.id ?? "";
  const ok = async (...args: string[]) => {
    const ended = await scenario.run(...args);
    expect({ args, ...ended }).toMatchObject({ args, code: 0 });
    return ended.stdout;
  };
  const fails = async (code: number, ...args: string[]) => {
    const ended = await scenario.run(...args);
    expect({ args, ...ended }).toMatchObject({ args, code });
    return ended.stderr;
  };
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop);
    await ok("apply", ...approve);
  });
  beforeEach(() => scenario.forget());

  it("state list and show tell what is recorded", async () => {
    expect((await ok("state", "list")).split("\n")).toEqual([
      "project.shop",
      "service.shop.api",
      "variable.shop.api.LOG_LEVEL",
      "deployment.shop.api",
      "",
    ]);
    expect(JSON.parse(await ok("state", "list", "-json", "service.shop.api"))).toHaveLength(3);
    expect(await ok("state", "show", "service.shop.api")).toContain(api());
    expect(await fails(1, "state", "list", "service.shop.apii")).toContain("service.shop.api");
    expect(await fails(1, "state", "show", "service.shop.apii")).toContain("service.shop.api");
    expect(scenario.requests("all")).toEqual([]);
  });

  it("state pull, rm, push: what was forgotten comes back", async () => {
    const pulled = await ok("state", "pull");
    scenario.write("backup.json", pulled);
    await ok("state", "rm", "service.shop.api");
    expect(await ok("state", "list")).toBe("project.shop\n");
    expect(await fails(1, "plan")).toContain("live.unmanaged_exists");
    expect(await fails(1, "state", "push", "backup.json")).toContain("--force");
    await ok("state", "push", "--force", "backup.json");
    await scenario.isQuiet();
    const other = pulled.replace(/"lineage": "[^"]+"/, '"lineage": "11111111-1111-4111-8111-111111111111"');
    scenario.write("other.json", other);
    await fails(1, "state", "push", "other.json");
    scenario.write("broken.json", pulled.slice(0, 50));
    await fails(1, "state", "push", "--force", "broken.json");
    expect(scenario.requests()).toEqual([]);
  });

  it("output prints an output, raw or as JSON, and fails for a missing output", async () => {
    expect(await ok("output", "-raw", "name")).toBe("shop");
    expect(JSON.parse(await ok("output", "url"))).toMatch(/^https:/);
    await fails(1, "output", "nope");
  });

  it("graph prints DOT and Mermaid", async () => {
    expect(await ok("graph")).toMatch(/^digraph/);
    expect(await ok("graph", "-format", "mermaid")).toMatch(/^(graph|flowchart) /);
    expect(await ok("graph", "-format", "svg")).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /);
  });

  it("graph of a saved plan says what the plan does, from the file alone", async () => {
    await ok("plan", "-destroy", "-out", "gone.plan");
    const service =
      /^ {2}"service.shop.api" \[label = "api\\n! blocked · − destroy · 1 variable", style = filled/m;
    scenario.write("elsewhere/gone.plan", scenario.read("gone.plan"));
    expect(await ok("-chdir=elsewhere", "graph", "gone.plan")).toMatch(service);
    expect(await ok("graph", "gone.plan", "-format", "mermaid")).toContain("classDef deleteMark");
    expect(await ok("graph", "gone.plan", "-format", "svg")).toContain("! blocked · − destroy");
    expect(await fails(1, "graph", "gone.plan", "-f", "rnv.yaml")).toContain("leave --file out");
    scenario.write("torn.plan", scenario.read("gone.plan").slice(0, 90));
    expect(await fails(5, "graph", "torn.plan")).toContain("plan.damaged");
    expect(scenario.requests()).toEqual([]);
  });

  it("deploy, restart, suspend, resume wait until it is done", async () => {
    expect(await ok("deploy", "service.shop.api")).toContain("service.shop.api: deploy done.");
    for (const verb of ["restart", "suspend", "resume"])
      expect(await ok(verb, "service.shop.api")).toContain(`service.shop.api: ${verb} done.`);
    expect(scenario.requests()).toEqual([
      "POST /workspaces/ID/services/ID/deploys",
      ...Array(3).fill("POST /workspaces/ID/services/ID/actions"),
    ]);
    expect(scenario.sent.every(({ idempotencyKey }) => idempotencyKey !== undefined)).toBe(true);
    await fails(1, "deploy", "service.shop.nope");
    await fails(1, "deploy", "service.shop.api", "--commit", "XYZ");
    await scenario.isQuiet();
  });

  it("restart of a service that was never deployed names the verb that deploys it", async () => {
    scenario.write(
      "rnv.yaml",
      shop.replace("api:", "web: { kind: web, deploy: { when: never } }\n      api:"),
    );
    await ok("apply", ...approve);
    const stderr = await fails(1, "restart", "service.shop.web");
    expect(stderr).toContain("nothing of service.shop.web runs: it was never deployed");
    expect(stderr).toContain("deploy it: rnv deploy service.shop.web");
    const kept = "web: { kind: web, archived: true, deploy: { when: never } }\n      api:";
    scenario.write("rnv.yaml", shop.replace("api:", kept));
    await ok("apply", ...approve);
    for (const verb of ["restart", "deploy"])
      expect(await fails(1, verb, "service.shop.web")).toContain("hint: restore it: take archived out of it");
    scenario.write("rnv.yaml", shop);
    await ok("apply", "--confirm-delete", "service.shop.web", ...approve);
  });

  it("a failed deploy ends with 7", async () => {
    scenario.emulator.store.failNextDeployment("*", "out of memory");
    expect(await fails(7, "deploy", "service.shop.api")).toContain("out of memory");
  });

  it("rollback asks for the address", async () => {
    await fails(4, "rollback", "service.shop.api", "-input=false");
    await fails(4, "rollback", "service.shop.api", "--confirm", "api");
    const nowhere = "00000000-0000-4000-8000-00000000ffff";
    const unknown = await fails(1, "rollback", "service.shop.api", nowhere, "--confirm", "service.shop.api");
    expect(unknown).toContain(`service.shop.api has no deployment of the id ${nowhere}`);
    expect(scenario.requests()).toEqual([]);
    await ok("rollback", "service.shop.api", "--confirm", "service.shop.api");
    expect(scenario.emulator.store.deployments(api()).at(-1)?.sourceDeploymentId).not.toBeNull();
  });

  it("refresh-only records what changed and writes nothing to the service", async () => {
    scenario.emulator.store.editConfiguration(api(), { repository: "https://git.example.com/fork" });
    const { id = "", key = "" } = scenario.emulator.store.variables(api())[0] ?? {};
    scenario.settle();
    scenario.emulator.store.editVariable(id, { value: "of another user" });
    expect(await ok("plan", "-refresh-only")).toContain("configuration.repository");
    expect((await scenario.run("plan", "-refresh-only", "-replace", "service.shop.api")).code).toBe(1);
    scenario.forget();
    await ok("apply", "-refresh-only", ...approve);
    expect(scenario.requests()).toEqual([]);
    await ok("apply", ...approve);
    expect(scenario.service()?.configuration.repository).toBe("https://git.example.com/api");
    expect([key, scenario.valueOf(key)]).toEqual(["LOG_LEVEL", "info"]);
    await scenario.isQuiet();
  });
});

describe("verbs that need nothing", () => {
  const scenario = oneScenario();
  const bare = { env: { RNV_BASE_URL: "", RNV_WORKSPACE_ID: "", RNV_API_KEY: "" } };

  it("init writes a manifest that is valid, and never overwrites", async () => {
    expect((await scenario.run("init")).code).toBe(0);
    const text = scenario.read("rnv.yaml");
    expect(scenario.read(".gitignore")).toContain(".rnv/");
    expect((await scenario.run("init")).code).toBe(0);
    expect(scenario.read("rnv.yaml")).toBe(text);
    expect(await scenario.runWith(bare, "validate")).toMatchObject({ code: 0 });
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/node_modules\/\S+\/manifest\.schema\.json\n/);
  });

  it("init asks the service once whether the key opens the workspace, and says what it answers", async () => {
    scenario.forget();
    const good = await scenario.run("init");
    expect(good.stdout).toContain(`+ ${scenario.url} answers: the key opens workspace`);
    expect(scenario.requests("all")).toEqual(["GET /workspaces/ID/projects"]);
    for (const [env, code] of [
      [{ RNV_API_KEY: "rnv_wrong" }, "api.unauthorized"],
      [{ RNV_WORKSPACE_ID: "00000000-0000-4000-8000-0000000000ff" }, "api.not_found"],
    ] as const) {
      const bad = await scenario.runWith({ env }, "init");
      expect(bad.stderr).toContain(`warning[${code}]`);
      expect(bad.stdout).toContain("fix the warnings above, then");
      expect(bad.code).toBe(0);
    }
    const embedded = await scenario.runWith({ env: { RNV_BASE_URL: "embedded" } }, "init");
    expect(embedded).toMatchObject({ code: 0, stderr: "" });
    expect(embedded.stdout).not.toContain("answers: the key opens workspace");
  });

  it("annotations name files from the root of the repository, wherever rnv runs", async () => {
    mkdirSync(join(scenario.folder, ".git"));
    scenario.write("apps/shop/rnv.yaml", "x: 1\n");
    const env = { ...bare.env, GITHUB_ACTIONS: "true" };
    for (const workspace of [{}, { GITHUB_WORKSPACE: scenario.folder }] as Record<string, string>[]) {
      const { stderr } = await scenario.runWith(
        { env: { ...env, ...workspace } },
        "-chdir=apps/shop",
        "validate",
      );
      expect(stderr).toContain("--> rnv.yaml:1:1");
      expect(stderr).toContain("::error file=apps/shop/rnv.yaml,line=1,");
    }
    const piped = await scenario.runWith({ env, input: "x: 1\n" }, "validate", "-f", "-");
    expect(piped.stderr).toContain("::error title=manifest.unknown_key::");
  });

  it.each([
    [["version"], /^rnv \d+\.\d+\.\d+/],
    [["version", "-json"], /^\{"rnv":/],
    [["--version"], /\d+\.\d+\.\d+/],
    [["completion", "bash"], /complete -o default -F _rnv rnv/],
    [["completion", "zsh"], /^#compdef rnv/],
    [["completion", "fish"], /complete -c rnv/],
    [["schema"], /"\$schema": "http:\/\/json-schema.org\/draft-07\/schema#"/],
    [["help", "-a"], /Exit codes:/],
    [["plan", "--help"], /Examples:/],
    [["state", "mv", "--help"], /Examples:/],
  ] as const)("rnv %j prints what it is asked for", async (args, expected) => {
    const { code, stdout } = await scenario.runWith(bare, ...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });
});
