import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { eachScenario } from "../support/cli";
import { closing } from "../support/closing";
import { serveHttpState } from "../support/http-state-server";

const kinds = ["web", "worker", "static", "cron"] as const;
const names = ["api", "Nightly job", "ünïcode", "a.b/c", "UPPER", "2nd", "-dash"];

/** DESIGN section 13: what was made by hand, managed by one command. */
describe("rnv init --from workspace", () => {
  const scenario = eachScenario();

  /** 40 services in 3 projects and outside of them, as people make them. */
  function fill(): void {
    const { store } = scenario.emulator;
    const projects = ["Shop", "Online shop", "Online-shop"].map((name, at) =>
      store.addProject(at === 0 ? { name, description: "theirs" } : { name }),
    );
    const services = Array.from({ length: 40 }, (_, at) => {
      const kind = kinds[at % kinds.length] as string;
      const twin = `tw\u00edn-${at % 2}`.normalize(at < 34 ? "NFC" : "NFD");
      const name = at < 28 ? `${names[at % names.length]}${at < 7 ? "" : ` ${at}`}` : twin;
      const projectId = at % 4 === 3 ? undefined : projects[at % 3]?.id;
      return store.addService({
        ...{ name, kind, live: at % 5 === 0 },
        ...(projectId !== undefined && { projectId }),
        configuration: {
          repository: `https://git.example.com/${at}`,
          ...(at % 2 === 0 && { branch: "trunk", privateNetworking: true }),
          ...(kind === "static" && { publishDirectory: "site" }),
          ...(kind === "cron" && { schedule: "0 3 * * *", startCommand: "run: me # now" }),
        },
      });
    });
    const [first, second, third] = services;
    const host = `api-${first?.id.slice(0, 8)}.internal`;
    store.addVariable(first?.id ?? "", "TOKEN", "canary-1");
    store.addVariable(second?.id ?? "", "API_HOST", host);
    store.addVariable(third?.id ?? "", "DATABASE_URL", `postgres://u:canary-2@${host}/x`);
  }

  it("takes over 40 services without a write, and the plan after it is empty", async () => {
    fill();
    const dry = await scenario.run("init", "--from", "workspace", "--dry-run");
    expect(dry).toMatchObject({ code: 0 });
    expect(existsSync(join(scenario.folder, "rnv.yaml"))).toBe(false);
    const { code, stdout, stderr } = await scenario.run("init", "--from", "workspace");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    const [plan = "", ending] = stdout.split("+ rnv.yaml: ");
    expect(plan).toContain("No changes. Your infrastructure matches the configuration.");
    expect(ending).toBe(`46 resources of the workspace
+ 54 resources and deployments taken over; nothing was written to the platform

Next:
  rnv plan          shows what would change
  git commit        keeps rnv.yaml and .gitignore; the state and its key stay out of git
  RNV_STATE         names the store where a team shares the state; now it is .rnv/state.json (docs/cli/state.md)
  preventDestroy    refuses every plan that deletes its resource: lifecycle: { preventDestroy: true }
`);
    expect(scenario.read("rnv.yaml")).toBe(dry.stdout);
    await scenario.isQuiet();
    const manifest = scenario.read("rnv.yaml");
    expect(manifest.match(/^ +kind: /gm)).toHaveLength(40);
    expect(manifest).not.toContain("environment: Production");
    expect(manifest).toContain("TOKEN: { preserve: true }");
    expect(scenario.read(".gitignore")).toBe(".rnv/\nnode_modules/\ncdktf.out/\nrnv-report/\n");
    expect((await scenario.run("drift")).code).toBe(0);
    const again = await scenario.run("init", "--from", "workspace");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("rnv.yaml is there already");
    expect(again.stderr).toContain("--force writes over it");
    const forced = await scenario.run("init", "--from", "workspace", "--force");
    expect(forced.code).toBe(1);
    expect(forced.stderr).toContain("the state records");
    expect(scenario.read("rnv.yaml")).toBe(manifest);
    expect(scenario.requests()).toEqual([]);
    mkdirSync(join(scenario.folder, "rnv"));
    renameSync(join(scenario.folder, "rnv.yaml"), join(scenario.folder, "rnv", "all.yaml"));
    const { stderr: refused } = await scenario.run("init", "--from", "workspace", "--force");
    expect(refused).toContain("move the folder away");
  });

  it("writes references where a variable is another service's host, once values may be revealed", async () => {
    fill();
    const { code, stdout, stderr } = await scenario.run("init", "--from", "workspace", "--verify-values");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain("1 reference among them");
    expect(scenario.read("rnv.yaml")).toMatch(/API_HOST: \$\{service\.Shop\.api\.internalHost\}/);
    expect(scenario.read("rnv.yaml")).toContain("DATABASE_URL: { preserve: true }");
    expect(scenario.requests().filter((one) => !one.endsWith("/reveal"))).toEqual([]);
    await scenario.isQuiet();
    for (const { text } of scenario.files()) expect(text).not.toMatch(/canary-[12]/);
  });

  it("takes one project with all that is in it, and says which there are", async () => {
    fill();
    const { store } = scenario.emulator;
    for (const { id, projectId } of store.services())
      if (projectId === store.projects()[0]?.id) store.addVariable(id, "LOG_LEVEL", "info");
    const unknown = await scenario.run("init", "--from", "workspace", "--project", "Shp");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('did you mean "Shop"?');
    expect(existsSync(join(scenario.folder, "rnv.yaml"))).toBe(false);
    const { code } = await scenario.run("init", "--from", "workspace", "--project", "Shop");
    expect(code).toBe(0);
    expect(scenario.read("rnv.yaml")).toMatch(/^projects:\n {2}Shop:/m);
    const declared = scenario.read("rnv.yaml").match(/^ +kind: /gm);
    expect(scenario.read("rnv.yaml").match(/LOG_LEVEL: \{ preserve: true \}/g)).toHaveLength(
      declared?.length ?? 0,
    );
    expect(scenario.read("rnv.yaml")).not.toContain("Online");
    expect((await scenario.run("plan", "-detailed-exitcode")).code).toBe(0);
    expect(scenario.requests()).toEqual([]);
  });

  it("protects what it takes over with --protect, and says no more than a remote state needs", async () => {
    fill();
    const state = closing(await serveHttpState());
    const init = ["init", "--from", "workspace", "--project", "Shop", "--protect"];
    const { code, stdout } = await scenario.runWith({ env: { RNV_STATE: state.url } }, ...init);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nNext:\n {2}rnv plan .*\n {2}git commit .*\n$/);
    const manifest = scenario.read("rnv.yaml");
    const declared = manifest.match(/^ +kind: /gm)?.length as number;
    expect(manifest.match(/^ {4,8}lifecycle: \{ preventDestroy: true \}$/gm)).toHaveLength(declared + 1);
    expect(stdout).toContain("No changes.");
  });

  it("converts a blueprint: found by its usual name, reported, exact, never written over", async () => {
    const none = await scenario.run("init", "--from", "render");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("there is no render.yaml or render.yml here");
    scenario.write(
      "render.yaml",
      "services:\n  - type: web\n    name: api\n    repo: https://git.example.com/acme/api\n    disk: { name: x }\n" +
        "    envVars:\n      - { key: DB_PASSWORD, value: canary-1 }\n      - { key: GUILD_ID, value: 1216754736779231243 }\n" +
        "      - { key: ZIP, value: 0042 }\n      - { key: PYTHON_VERSION, value: 3.10 }\n      - { key: PREFIX, value: }\n" +
        "      - { key: PORT, value: 10000 }\n      - fromGroup: Team settings\n",
    );
    const dry = await scenario.run("init", "--from", "render", "--dry-run");
    expect(dry.code).toBe(0);
    expect(existsSync(join(scenario.folder, "rnv.yaml"))).toBe(false);
    const { code, stdout, stderr } = await scenario.run("init", "--from", "render");
    expect(code).toBe(0);
    expect(stdout).toContain("+ rnv.yaml: 1 service of render.yaml");
    expect(stderr).toContain("--> render.yaml:5:5");
    expect(stderr).toContain("Team settings is a group of the dashboard");
    expect(scenario.read("rnv.yaml")).toBe(dry.stdout);
    expect(`${stdout}${stderr}${dry.stdout}`).not.toContain("canary-1");
    const planned = await scenario.runWith({ env: { DB_PASSWORD: "p" } }, "apply", "-auto-approve");
    expect(planned).toMatchObject({ code: 0 });
    const { store } = scenario.emulator;
    const [service] = store.services();
    expect(service?.configuration).toMatchObject({ port: 10000 });
    const variables = store.variables(service?.id ?? "");
    const values = Object.fromEntries(variables.map(({ id, key }) => [key, store.variableValue(id)]));
    expect(values).toEqual({
      DB_PASSWORD: "p",
      GUILD_ID: "1216754736779231243",
      PORT: "10000",
      PREFIX: "",
      PYTHON_VERSION: "3.10",
      ZIP: "0042",
    });
    const again = await scenario.run("init", "--from", "render");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("rnv.yaml is there already");
  });

  it("answers another format with the skill by which an agent converts it", async () => {
    const { code, stderr } = await scenario.run("init", "--from", "compose", "docker-compose.yml");
    expect(code).toBe(1);
    expect(stderr).toContain("give skills/rnv/SKILL.md of this package to an agent, which converts them");
    expect(readFileSync(join(__dirname, "../../skills/rnv/SKILL.md"), "utf8")).toContain(
      "docker-compose.yml",
    );
    const alone = await scenario.run("init", "docker-compose.yml");
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain(
      "a file with --from render or procfile; --project, --verify-values and --protect with --from workspace",
    );
    scenario.write("Procfile", "web: node server.js\n");
    for (const words of [
      ["workspace", "live.yaml"],
      ["procfile", "--project", "Shop"],
    ])
      expect((await scenario.run("init", "--from", ...words)).code).toBe(1);
    expect(existsSync(join(scenario.folder, "rnv.yaml"))).toBe(false);
  });

  it("builds from the remote of the clone, and reports what validate would refuse", async () => {
    scenario.write(".git/config", '[remote "origin"]\n  url = git@git.example.com:Acme/Shop.git\n');
    scenario.write(
      "deploy/render.yaml",
      "services: [{ type: web, name: api, runtime: node, rootDir: api, numInstances: 0042 }]\n",
    );
    const { code, stderr } = await scenario.run("init", "--from", "render", "deploy/render.yaml");
    expect(code).toBe(0);
    expect(scenario.read("rnv.yaml")).toContain("repository: https://git.example.com/Acme/Shop\n");
    expect(scenario.read("rnv.yaml")).toContain("rootDirectory: api\n");
    expect(stderr).toMatch(
      /warning\[manifest.invalid_type\]: service.api: configuration.replicas .*\n +--> rnv\.yaml:/,
    );
    expect(await scenario.run("validate")).toMatchObject({ code: 1 });
    scenario.write("deploy/Procfile", "web: serve\n");
    const nested = await scenario.run("init", "--from", "procfile", "--dry-run", "deploy/Procfile");
    expect(nested.stdout).toContain("rootDirectory: deploy\n");
    scenario.write("Procfile", "web: serve\n");
    const atRoot = await scenario.run("init", "--from", "procfile", "--dry-run");
    expect(atRoot.stdout).toContain("repository: https://git.example.com/Acme/Shop\n");
    expect(atRoot.stdout).not.toContain("rootDirectory");
  });
});
