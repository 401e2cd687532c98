import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eachScenario, failing, printing } from "../support/cli";
import { linkPackage } from "../support/install-package";
import { rowsIn } from "../support/rows";
import { itInSoak, shareOf } from "../support/soak";

const example = join(__dirname, "..", "..", "examples", "typescript");
const program = readFileSync(join(example, "rnv.config.ts"), "utf8");

const scenario = eachScenario({ readings: { statusWords: "seen" } });
const env = { SHOP_QUEUE_TOKEN: "hunter2-hunter2", RNV_STATE_KEY: "5a".repeat(32) };
const rnv = (...args: readonly string[]) => scenario.runWith({ env }, ...args);
beforeEach(async () => {
  cpSync(example, scenario.folder, { recursive: true });
  linkPackage(scenario.folder);
});

describe("rnv.config.ts", () => {
  it("is run once for its stage, without credentials of rnv; what it prints goes to standard error", async () => {
    const lines = [
      "console.log('made for', process.env.RNV_API_KEY, process.env.RNV_STATE_KEY);",
      "console.error(JSON.stringify([stage, environment.SHOP_QUEUE_TOKEN]));",
    ];
    scenario.write("rnv.config.ts", program.replace("  const size", `${lines.join("\n")}\n  const size`));
    const { code, stdout, stderr } = await rnv("plan", "--stage", "production", "-json");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toBe('made for undefined undefined\n[{"name":"production"},"hunter2-hunter2"]\n');
    const changes = JSON.parse(stdout).resource_changes as { address: string; change: { after: object } }[];
    const after = new Map(changes.map(({ address, change }) => [address, change.after]));
    // The overlay of the stage, too.
    expect(after.get("service.shop.api")).toMatchObject({
      configuration: { replicas: 2, branch: "release" },
    });
    scenario.write("more.yaml", "projects: { shop: { services: { api: { archived: true } } } }");
    const overlaid = await rnv("plan", "-f", "rnv.config.ts", "-f", "more.yaml", "--stage", "preview/12");
    expect(overlaid.stdout).toMatch(/\+ archived +true[\s\S]*\+ configuration.replicas +1/);
    const listed = await rnv("stage", "list");
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("[null,") });
    expect(listed.stdout).toMatch(/^production .*\nstaging .*\npreview\//m);
  });

  itInSoak("names the commit to write where rnv promote has no overlay", async () => {
    const commit = "a".repeat(40);
    scenario.write(
      "rnv.config.ts",
      `export default ({ stage }) => ({
        stages: { staging: {}, production: {} },
        services: { api: {
          ...{ name: "api-" + stage?.name, kind: "web", configuration: { repository: "https://git.example.com/a" } },
          deploy: { commit: stage?.name === "staging" ? "${commit}" : undefined },
        } },
      });`,
    );
    expect(await rnv("apply", "-auto-approve", "--stage", "staging")).toMatchObject({ code: 0 });
    const { code, stderr } = await rnv("promote", "--all", "--from", "staging", "--to", "production");
    expect(code).toBe(1);
    expect(stderr).toContain("stage production has no overlay in YAML to write to");
    expect(stderr).toContain(`write commit: "${commit}" of deployment.api`);
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

  it.each(shareOf(rowsIn(join(__dirname, "no-manifests.tsv")), 4))(
    "says in a sentence why it made no manifest: %s",
    async (text, sentence, place) => {
      scenario.write("broken.ts", "const a = ;");
      scenario.write("rnv.config.ts", `// A program.\n${text}\n`);
      const { code, stderr } = await rnv("plan");
      expect(code).toBe(1);
      expect(stderr).toContain(sentence);
      expect(stderr).toContain(place);
      expect(stderr.match(/^error\[/gm)).toHaveLength(1);
    },
  );

  it("is not run where programs are refused, nor for the names that Tab offers", async () => {
    scenario.write("rnv.config.ts", 'require("node:fs").writeFileSync("ran", "");');
    for (const [variables, ...args] of [
      [{}, "plan", "--untrusted"],
      [{ RNV_ALLOW_COMMANDS: "0" }, "plan"],
      [{ RNV_ALLOW_COMMANDS: "0" }, "validate"],
    ] as const) {
      const { code, stderr } = await scenario.runWith({ env: { ...env, ...variables } }, ...args);
      expect({ code, stderr }).toMatchObject(failing(4, "is not run: "));
    }
    await rnv("complete", "bash", "--", "rnv", "plan", "-target", "");
    expect(existsSync(join(scenario.folder, "ran"))).toBe(false);
  });

  it("runs in rnv test, no command of it, and in a fleet by its stages", async () => {
    scenario.write(
      "shop.rnvtest.yaml",
      "tests: { a: { stage: production, environment: { SHOP_QUEUE_TOKEN: xxxxxxxx }, expect: { exitCode: 2 } } }",
    );
    expect(await rnv("test")).toMatchObject(printing(0, "1 passed"));
    const given = { ...env, RNV_ALLOW_ENV: "SHOP_QUEUE_TOKEN" };
    const fleet = await scenario.runWith({ env: given }, "fleet", "plan", "-json");
    const names = JSON.parse(fleet.stdout).members.map(({ name }: { name: string }) => name);
    expect({ code: fleet.code, names }).toEqual({ code: 0, names: [".@production", ".@staging"] });
    const refused = await scenario.runWith({ env: { ...env, RNV_ALLOW_COMMANDS: "0" } }, "test");
    expect(refused).toMatchObject(printing(1, "is not run"));
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
    // So does a program of constructs.
    scenario.write("app.js", "setInterval(() => {}, 1000)");
    const app = scenario.start({ env }, "plan", "--app", "node app.js");
    await app.shows("Synthesizing");
    app.process.kill("SIGINT");
    expect(await app.ended).toMatchObject({ code: 130, stdout: "" });
  });
});
