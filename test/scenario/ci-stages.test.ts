import { join } from "node:path";
import { App } from "cdktf";
import { addMerged, mainJob, pullRequestJob } from "../support/ci-jobs";
import { approve, eachScenario, failing } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import { textIn } from "../support/rows";
import { BaseStack, ServicesStack } from "../support/stack-programs";

const manifest = (branch: string) => textIn(join(__dirname, "ci-stages.yaml"), { branch });
const overlay = `projects:
  shop: { name: "shop-\${stage.id}", services: { api: { name: "api-\${stage.id}" } } }
`;
const merged = "a".repeat(40);

describe("a job of several plans", () => {
  const scenario = eachScenario();
  let server: CodeHostServer;
  beforeEach(async () => {
    server = await serveCodeHost("github");
    addMerged(server, 7, merged);
    for (const file of ["output", "summary"]) scenario.write(file, "");
    scenario.write("preview.yaml", overlay);
  });
  const onMain = (...args: string[]) => scenario.runWith({ env: mainJob(scenario, server, merged) }, ...args);
  const plan = (...args: string[]) => {
    const env = { ...pullRequestJob(scenario, server), RNV_UNTRUSTED: "0" };
    return scenario.runWith({ env }, "ci", "plan", ...args);
  };
  const apply = (...args: string[]) => onMain("ci", "apply", ...args);
  /** The first line of each comment, and what it says of the plan. */
  const comments = () =>
    server.comments.map(({ body }) => [
      /^<!-- rnv (\w+ .*) -->/.exec(body)?.[1],
      /\*\*(?:Plan: |No plan|Applied)[^*\n]+\*\*|No changes\./.exec(body)?.[0],
    ]);
  const outputs = () =>
    Object.fromEntries(
      scenario
        .read("output")
        .trimEnd()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );

  it("has a comment for each stage, a folder of reports for each, and one exit code", async () => {
    scenario.write("rnv.yaml", manifest("main"));
    for (const stage of ["staging", "preview/12"])
      expect(await scenario.run("apply", "--stage", stage, ...approve)).toMatchObject({
        code: 0,
        stderr: "",
      });
    scenario.write("rnv.yaml", manifest("next"));
    scenario.forget();
    const planned = await plan("--all-stages", "-detailed-exitcode");
    expect(planned).toMatchObject({ code: 2 });
    expect(scenario.requests()).toEqual([]);
    expect([...planned.stdout.matchAll(/^Stage (.*)$/gm)].map(([, name]) => name)).toEqual([
      "staging",
      "production",
      "preview/12",
    ]);
    const told = [
      ["plan manifest=rnv.yaml stack= stage=staging", "**Plan: 0 to add, 2 to change, 0 to destroy.**"],
      ["plan manifest=rnv.yaml stack= stage=production", "**Plan: 3 to add, 0 to change, 0 to destroy.**"],
      ["plan manifest=rnv.yaml stack= stage=preview%2F12", "**Plan: 0 to add, 2 to change, 0 to destroy.**"],
    ];
    expect(comments()).toEqual(told);
    const { plans = "", ...all } = outputs();
    expect(all).toEqual({ changes: "true", digest: "", exitcode: "2" });
    const digestOf = (stage: string) => JSON.parse(scenario.read(`rnv-report/${stage}/plan.json`)).digest;
    expect(JSON.parse(plans)).toEqual(
      ["staging", "production", "preview/12"].map((stage) => ({
        ...{ stage, stack: "", changes: true, digest: digestOf(stage), exitcode: 2 },
      })),
    );
    expect(scenario.read("rnv-report/preview/12/plan.html")).toContain("<!DOCTYPE html>");
    expect(JSON.parse(scenario.read("rnv-report/gl-terraform.json"))).toEqual({
      ...{ create: 3, update: 4, delete: 0 },
    });
    expect(
      scenario.read("rnv-report/junit.xml").match(/<testsuite .*(?= time="\d+\.\d{3}" skipped="0">)/g),
    ).toEqual([
      '<testsuite name="rnv plan staging" tests="2" failures="0"',
      '<testsuite name="rnv plan production" tests="3" failures="0"',
      '<testsuite name="rnv plan preview/12" tests="2" failures="0"',
    ]);
    expect(scenario.read("summary").match(/^### .*$/gm)).toEqual([
      "### rnv plan of `staging`",
      "### rnv plan of `production`",
      "### rnv plan of `preview/12`",
    ]);
    // The list is read once, whatever it is about.
    const listed = server.seen.filter(({ method, path }) => method === "GET" && path.includes("/comments"));
    expect(listed).toHaveLength(1);
    // Each is applied by a job of its own.
    expect(await apply("--stage", "staging")).toMatchObject({ code: 0 });
    expect(await apply("--stage", "production")).toMatchObject({ code: 0 });
    await plan("--stage", "staging", "--stage", "production");
    expect(comments().slice(0, 3)).toEqual([
      [told[0]?.[0], expect.stringContaining("No changes.")],
      [told[1]?.[0], expect.stringContaining("No changes.")],
      told[2],
    ]);
    expect(JSON.parse(outputs().plans ?? "")).toHaveLength(2);
  });

  it("applies stages in the order of the manifest until a stage fails; an instance is left to its own job", async () => {
    const protectedLast = (branch: string) =>
      manifest(branch).replace("production: {}", "production: { protect: true }\n  last: {}");
    scenario.write("rnv.yaml", protectedLast("main"));
    for (const stage of ["staging", "production", "preview/12"]) await scenario.applies("--stage", stage);
    const removed = protectedLast("main").replace(/ {4}services:[\s\S]*/, "removed: [service.shop.api]\n");
    scenario.write("rnv.yaml", removed);
    await plan("--all-stages");
    const stopped = await apply("--all-stages");
    expect(stopped).toMatchObject(failing(4, "Stage last is left out: production comes first"));
    expect(stopped.stdout).toMatch(/^Stage staging\n[\s\S]*Apply complete![\s\S]*\nStage production\n/);
    expect(scenario.emulator.store.services().map(({ name }) => name)).toEqual(["api production", "api-12"]);
    expect(scenario.read("rnv-report/staging/apply.md")).toContain("Applied.");
    scenario.write("rnv.yaml", protectedLast("main"));
    await plan("--all-stages");
    const json = await apply("--all-stages", "-json");
    expect([
      json.code,
      json.stdout.split("\n").flatMap((line) => /"type":"stage","stage":"(.*)"/.exec(line)?.[1] ?? []),
    ]).toEqual([0, ["staging", "production", "last"]]);
    scenario.write("rnv.yaml", protectedLast("unreviewed"));
    expect((await apply("--all-stages")).stderr).toMatch(
      /`rnv ci apply .*--stage staging --expect-digest \w+`/,
    );
  });

  it("reports the stages that can be planned where one cannot, and leaves nothing of an earlier plan", async () => {
    scenario.write("rnv.yaml", manifest("main"));
    expect(await plan("--stage", "staging", "--stage", "production")).toMatchObject({ code: 0 });
    scenario.read("rnv-report/production/plan.rnvplan");
    scenario.write(
      "rnv.yaml",
      manifest("next").replace(
        "production: {}",
        "production: { workspace: 00000000-0000-4000-8000-000000000001 }",
      ),
    );
    const planned = await plan("--stage", "production", "--stage", "staging", "--stage", "stagin");
    expect(planned).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Plan: 3 to add"),
      stderr: expect.stringContaining("error[guard.workspace]"),
    });
    expect(planned.stderr).toContain('did you mean "staging"?');
    expect(comments()).toEqual([
      ["plan manifest=rnv.yaml stack= stage=staging", "**Plan: 3 to add, 0 to change, 0 to destroy.**"],
      ["plan manifest=rnv.yaml stack= stage=production", "**No plan could be made.**"],
      ["plan manifest=rnv.yaml stack= stage=stagin", "**No plan could be made.**"],
    ]);
    expect(JSON.parse(outputs().plans ?? "")).toMatchObject([
      { stage: "production", changes: false, digest: "", exitcode: 4 },
      { stage: "staging", changes: true, exitcode: 2 },
      { stage: "stagin", exitcode: 1 },
    ]);
    expect(() => scenario.read("rnv-report/production/plan.rnvplan")).toThrow();
    expect(JSON.parse(scenario.read("rnv-report/production/plan.json"))).toMatchObject({ errored: true });
    expect(scenario.read("rnv-report/junit.xml")).toContain('<testsuites tests="5" failures="2" time="');
    // There may be none at all.
    scenario.write("rnv.yaml", manifest("main").replace(/ {2}(staging|production): .*\n/g, ""));
    expect(await plan("--all-stages")).toMatchObject({ code: 0 });
    expect(outputs()).toMatchObject({ changes: "false", exitcode: "0", plans: "[]" });
    // The plan of a stage that is gone is not shown any more.
    expect(server.comments.map(({ body }) => body)).toEqual(
      Array(3).fill("*This comment is out of date: the manifest does not have this any more.*\n"),
    );
    // A job that fails before it has a plan says so, too.
    server.refuse = () => ({ status: 403, body: "{}" });
    expect(await apply("--stage", "preview/1")).toMatchObject({ code: 1 });
    expect(outputs().exitcode).toBe("1");
    server.refuse = undefined;
    await plan("--all-stages");
    await plan("--stage", "preview/1");
    scenario.write("rnv.yaml", "{");
    expect(await plan("--all-stages")).toMatchObject({ code: 1 });
    expect(comments().at(-1)?.[1]).toBe("**No plan could be made.**");
    expect(outputs()).toMatchObject({ changes: "false", digest: "", exitcode: "1", plans: "[]" });
    scenario.write("rnv.yaml", manifest("main"));
    // Nothing can be distinguished where no stage is named.
    const unnamed = await plan();
    expect(unnamed).toMatchObject(failing(1, "staging, production"));
    expect(outputs()).toMatchObject({ changes: "false", exitcode: "1", plans: "[]" });
    expect(comments()).toHaveLength(4);
  });

  it("has a comment for each stack of an app, and applies each as it was reviewed, with what the stack before it made", async () => {
    const synthesize = (branch: string, ...others: string[]) => {
      const app = new App({ outdir: join(scenario.folder, "cdktf.out") });
      new ServicesStack(app, "services", new BaseStack(app, "base"), branch);
      for (const other of others) new BaseStack(app, other);
      app.synth();
    };
    synthesize("main");
    expect(await plan("-f", "cdktf.out")).toMatchObject({ code: 0 });
    const first = [
      ["plan manifest=cdktf.out stack=base stage=", "**Plan: 1 to add, 0 to change, 0 to destroy.**"],
      ["plan manifest=cdktf.out stack=services stage=", "**Plan: 3 to add, 0 to change, 0 to destroy.**"],
    ];
    expect(comments()).toEqual(first);
    expect(scenario.read("rnv-report/services/plan.md")).toContain("Plan: 3 to add");
    const applied = await apply("-f", "cdktf.out");
    expect(applied).toEqual({ ...applied, code: 0 });
    expect(outputs()).toMatchObject({ exitcode: "0", digest: "" });
    expect(comments().slice(2)).toEqual([
      ["apply manifest=cdktf.out stack=base stage=", "**Applied.**"],
      ["apply manifest=cdktf.out stack=services stage=", "**Applied.**"],
    ]);
    const quiet = await onMain("plan", "-f", "cdktf.out", "-detailed-exitcode");
    expect(quiet).toMatchObject({ code: 0 });
    const drift = async () => {
      const { code, stdout } = await onMain("ci", "drift", "-f", "cdktf.out", "-json");
      const { stages } = JSON.parse(stdout);
      return [code, ...stages.map(({ stack, status }: Record<string, string>) => `${stack} ${status}`)];
    };
    expect(await drift()).toEqual([0, "base clean", "services clean"]);
    // What the state of one says, the other needs: it is not reported for that one alone.
    const state = scenario.read(".rnv/base/state.json");
    scenario.write(".rnv/base/state.json", "{ broken");
    expect(await drift()).toEqual([1, "base error", "undefined error"]);
    expect(await plan("-f", "cdktf.out")).toMatchObject({ code: 1 });
    expect(comments().slice(0, 2)).toEqual([[first[0]?.[0], "**No plan could be made.**"], first[1]]);
    expect(comments()).toHaveLength(4);
    scenario.write(".rnv/base/state.json", state);
    synthesize("next", "later");
    await plan("services", "later", "-f", "cdktf.out");
    synthesize("other", "later");
    expect(await apply("-f", "cdktf.out")).toMatchObject(
      failing(5, "service.api would change in another way than was reviewed"),
    );
    // The stack after it was applied.
    expect([outputs().exitcode, comments().at(-1)?.[1]]).toEqual(["5", "**Applied.**"]);
  });
});
