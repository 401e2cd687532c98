import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openScenario, type Scenario } from "../support/cli";

const root = join(__dirname, "..", "..");

/** A function of a stage, with the types of the package, in a project of CommonJS as npm makes it. */
const program = `import { defineManifest, type Manifest, type ManifestService } from "terraform-provider-rnv";
import { region } from "./region.ts";

const service = (name: string, replicas: number): ManifestService => ({
  kind: "web",
  configuration: { repository: \`https://git.example.com/\${name}\`, region, replicas },
  variables: { TOKEN: { fromEnv: "TOKEN" }, DEBUG: undefined },
  deploy: { when: "never" },
});

console.log("made for", process.env.RNV_API_KEY, process.env.RNV_STATE_KEY);
export default defineManifest(async ({ stage, environment }): Promise<Manifest> => {
  console.error(JSON.stringify([stage, environment.NAME]));
  const isProduction = stage?.name === "production";
  return {
    stages: { staging: {}, production: { overlay: "production.yaml" }, preview: { each: true } },
    projects: {
      shop: {
        name: \`Shop\${stage?.id ? \`-\${stage.id}\` : ""}\`,
        services: { api: service("api", isProduction ? 3 : 1), ...(isProduction && { worker: service("worker", 1) }) },
      },
    },
  };
});
`;

let scenario: Scenario;
const env = { TOKEN: "hunter2-hunter2", NAME: "given", RNV_STATE_KEY: "5a".repeat(32) };
const rnv = (...args: readonly string[]) => scenario.runWith({ env }, ...args);
beforeEach(async () => {
  scenario = await openScenario();
  mkdirSync(join(scenario.folder, "node_modules"));
  symlinkSync(root, join(scenario.folder, "node_modules", "terraform-provider-rnv"));
  symlinkSync(join(root, "node_modules", "tsx"), join(scenario.folder, "node_modules", "tsx"));
  scenario.write("package.json", '{ "type": "commonjs" }');
  scenario.write("rnv.config.ts", program);
  scenario.write("region.ts", 'export const region: string = "auto";');
  scenario.write("production.yaml", "projects: { shop: { color: red } }");
});
afterEach(() => scenario.close());

describe("rnv.config.ts", () => {
  it("is run once for its stage, without credentials of rnv; what it prints goes to standard error", async () => {
    const { code, stdout, stderr } = await rnv("plan", "--stage", "production", "-json");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr.match(/made for undefined undefined|\[\{"name":"production"\},"given"\]/g)).toHaveLength(2);
    const changes = JSON.parse(stdout).resource_changes as { address: string; change: { after: object } }[];
    const after = new Map(changes.map(({ address, change }) => [address, change.after]));
    expect(after.get("project.shop")).toMatchObject({ name: "Shop", color: "red" });
    expect(after.get("service.shop.api")).toMatchObject({ configuration: { replicas: 3, region: "auto" } });
    expect(after.has("service.shop.worker")).toBe(true);
    scenario.write("more.yaml", "projects: { shop: { services: { api: { archived: true } } } }");
    const overlaid = await rnv("plan", "-f", "rnv.config.ts", "-f", "more.yaml", "--stage", "preview/12");
    expect(overlaid.stdout).toMatch(/\+ archived +true[\s\S]*\+ configuration.replicas +1/);
    const listed = await rnv("stage", "list");
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("[null,") });
    expect(listed.stdout).toMatch(/^staging .*\nproduction .*\npreview\//m);
  });

  it("is applied, and its commits are written by hand where a stage has no overlay", async () => {
    scenario.write(
      "rnv.config.ts",
      program
        .replace('when: "never"', 'commit: stage === "staging" ? "a".repeat(40) : undefined')
        .replace("replicas: number)", "replicas: number, stage?: string)")
        .replaceAll(/service\("(\w+)", (.*?)\)/g, 'service("$1", $2, stage?.name)')
        .replace('overlay: "production.yaml"', ""),
    );
    const applied = await rnv("apply", "-auto-approve", "--stage", "staging");
    expect(applied).toMatchObject({ code: 0 });
    expect(await rnv("plan", "--stage", "staging", "-detailed-exitcode")).toMatchObject({ code: 0 });
    const { code, stderr } = await rnv("promote", "--all", "--from", "staging", "--to", "production");
    expect(code).toBe(1);
    expect(stderr).toContain("stage production has no overlay in YAML to write to");
    expect(stderr).toContain(`write commit: "${"a".repeat(40)}" of deployment.shop.api`);
  });

  it("reports mistakes with the path and that part of its value, secrets hidden", async () => {
    const value = `{ projects: { shop: { services: { api: { kind: "web", configuration: { replicas: "2" },
      variables: { TOKEN: { text: "hunter2" } } } } } } }`;
    scenario.write("rnv.config.ts", `export default ${value};`);
    const { code, stderr } = await rnv("validate");
    expect(code).toBe(1);
    expect(stderr).toContain(
      '--> rnv.config.ts: projects.shop.services.api.configuration.replicas\n  | "2"\n  | ^^^ write 2 without quotes',
    );
    expect(stderr).toContain(
      '--> rnv.config.ts: projects.shop.services.api.variables.TOKEN.text\n  | "text": ***',
    );
    const { diagnostics } = JSON.parse((await rnv("validate", "-json")).stdout);
    expect(diagnostics[0].location).toEqual({ file: "rnv.config.ts" });
  });

  it.each([
    ["throw new Error('no region\\nlook');", "rnv.config.ts failed: Error: no region", "--> rnv.config.ts:2"],
    ["throw 'no region';", "rnv.config.ts failed: no region", ""],
    ["import './broken.ts';", "rnv.config.ts failed: ", "--> broken.ts:1"],
    ["await 0;", "Top-level await", "--> rnv.config.ts:2"],
    ["process.exit(3);", "rnv.config.ts ended with exit code 3 before it returned a manifest", ""],
    [
      "export default Promise.reject(new TypeError('late'));",
      "rnv.config.ts failed: TypeError: late",
      "config.ts:2",
    ],
    ["export default { projects: { a: { x: [NaN] } } };", "rnv.config.ts: projects.a.x[0] is NaN", ""],
    ["export const projects = {};", "rnv.config.ts exports no manifest", "export default defineManifest("],
    ["export default () => [];", "rnv.config.ts exports a function that returns no manifest", ""],
    ["import 'not-installed';", "Cannot find module 'not-installed'", ""],
  ])("says in a sentence why it made no manifest: %s", async (text, sentence, place) => {
    scenario.write("broken.ts", "const a = ;");
    scenario.write("rnv.config.ts", `// A program.\n${text}\n`);
    const { code, stderr } = await rnv("plan");
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(place);
    expect(stderr).toContain("\n1 error");
  });

  it("is not run where programs are refused, nor for the names that Tab offers", async () => {
    scenario.write("rnv.config.ts", 'require("node:fs").writeFileSync("ran", "");');
    for (const [variables, ...args] of [
      [{}, "plan", "--untrusted"],
      [{ RNV_ALLOW_COMMANDS: "0" }, "plan"],
      [{ RNV_ALLOW_COMMANDS: "0" }, "validate"],
    ] as const) {
      const { code, stderr } = await scenario.runWith({ env: { ...env, ...variables } }, ...args);
      expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("is not run: ") });
    }
    await rnv("complete", "bash", "--", "rnv", "plan", "-target", "");
    expect(existsSync(join(scenario.folder, "ran"))).toBe(false);
  });

  it("runs in rnv test, no command of it, and in a fleet by its stages", async () => {
    scenario.write(
      "shop.rnvtest.yaml",
      "tests: { a: { stage: production, environment: { TOKEN: x }, expect: { exitCode: 2 } } }",
    );
    expect(await rnv("test")).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
    const given = { ...env, RNV_ALLOW_ENV: "TOKEN" };
    const fleet = await scenario.runWith({ env: given }, "fleet", "plan", "-json");
    const names = JSON.parse(fleet.stdout).members.map(({ name }: { name: string }) => name);
    expect({ code: fleet.code, names }).toEqual({ code: 0, names: [".@production", ".@staging"] });
    const refused = await scenario.runWith({ env: { ...env, RNV_ALLOW_COMMANDS: "0" } }, "test");
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("is not run") });
  });

  it("ends with an interrupt", async () => {
    scenario.write(
      "rnv.config.ts",
      'console.log("waits"); setInterval(() => {}, 1000); export default new Promise(() => {});',
    );
    const started = scenario.start({ env }, "plan");
    await started.shows("waits");
    started.process.kill("SIGINT");
    expect(await started.ended).toMatchObject({ code: 130, stdout: "" });
  });
});
