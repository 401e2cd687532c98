import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";
import { closing } from "../support/closing";
import { serveCodeHost } from "../support/code-host-server";
import { s3Environment, serveS3 } from "../support/s3-server";
import { shareOf } from "../support/soak";

const open = "$" + "{";
const manifest = (...stages: string[]): string =>
  `stages:\n${stages.map((stage) => `  ${stage}\n`).join("")}projects: { shop: { name: "shop-${open}stage.name}" } }\n`;
const production = "production: {}";
const staging = "staging: { protect: true }";
const preview = "preview: { each: true, disposable: true, overlay: preview.yaml }";

/** A stage was removed from the manifest while its resources exist (DESIGN section 11). */
describe("a stage that is no longer declared", () => {
  const scenario = eachScenario();
  const projects = () => scenario.emulator.store.projects().map(({ name }) => name);

  it.each(shareOf(["github", "gitlab"] as const, 2))(
    "is named by plans on %s, listed and destroyed",
    async (platform) => {
      const host = await serveCodeHost(platform);
      scenario.write("rnv.yaml", manifest(production, "staging: {}", preview));
      scenario.write("preview.yaml", `projects: { shop: { name: "shop-pr-${open}stage.id}" } }\n`);
      for (const stage of ["production", "staging", "preview/12"]) await scenario.applies("--stage", stage);
      scenario.write("rnv.yaml", manifest(production));
      scenario.forget();
      const named = [
        "stage staging is not declared, and its resources still exist",
        "rnv destroy --stage staging --state .rnv/staging/state.json",
        "rnv destroy --stage preview/12 --state .rnv/preview/12/state.json",
        "Recorded: project.shop",
      ];
      const planned = await scenario.run("plan", "--stage", "production");
      const inJob = await scenario.runWith(
        { env: { ...host.environment } },
        "ci",
        "plan",
        "--stage",
        "production",
      );
      for (const text of named)
        expect([planned, inJob]).toMatchObject([
          { code: 0, stderr: expect.stringContaining(text) },
          { code: 0, stderr: expect.stringContaining(text) },
        ]);
      const { stdout } = await scenario.run("stage", "list");
      expect(stdout).toMatch(
        /^staging +1 .* \.rnv\/staging\/state\.json +not declared; to destroy it: rnv destroy/m,
      );
      expect(JSON.parse((await scenario.run("stage", "list", "-json")).stdout).stages).toMatchObject([
        { stage: "production" },
        { stage: "preview/12", undeclared: true, resources: 1 },
        { stage: "staging", undeclared: true, state: ".rnv/staging/state.json" },
      ]);
      // Nor where no stage is left.
      scenario.write("rnv.yaml", "projects: { shop: { name: shop-single } }\n");
      const single = await scenario.run("plan");
      for (const text of named) expect(single.stderr).toContain(text);
      expect((await scenario.run("stage", "list")).stdout.match(/not declared; to destroy it/g)).toHaveLength(
        3,
      );
      scenario.write("rnv.yaml", manifest(production));
      // Not without its state, and not the state of another stage.
      const destroy = (stage: string, ...more: string[]) =>
        scenario.run("destroy", "--stage", stage, ...more, ...approve);
      expect(await destroy("staging")).toMatchObject({ code: 1 });
      expect(await destroy("staging", "--state", ".rnv/production/state.json")).toMatchObject({ code: 4 });
      expect(scenario.requests()).toEqual([]);
      expect(await destroy("staging", "--state", ".rnv/staging/state.json")).toMatchObject({ code: 0 });
      expect(await destroy("preview/12", "--state", ".rnv/preview/12/state.json")).toMatchObject({ code: 0 });
      expect(projects()).toEqual(["shop-production"]);
      const quiet = await scenario.run("plan", "--stage", "production");
      expect(quiet).toMatchObject({ code: 0, stderr: expect.not.stringContaining("not declared") });
    },
  );

  it("is found in S3 where RNV_STATE names the stage, and what protects it still does", async () => {
    const states = closing(await serveS3());
    const env = {
      ...s3Environment,
      AWS_ENDPOINT_URL_S3: states.url,
      RNV_STATE: `s3://states/${open}stage.name}.json`,
    };
    scenario.write("rnv.yaml", manifest(production, staging));
    expect(await scenario.runWith({ env }, "apply", "--stage", "staging", ...approve)).toMatchObject({
      code: 0,
    });
    scenario.write("rnv.yaml", manifest(production));
    const planned = await scenario.runWith({ env }, "plan", "--stage", "production");
    expect(planned.stderr).toContain("rnv destroy --stage staging --state s3://states/staging.json");
    const listed = await scenario.runWith({ env }, "stage", "list", "-json");
    expect(JSON.parse(listed.stdout).stages).toMatchObject([
      { stage: "production", state: "s3://states/production.json" },
      { stage: "staging", state: "s3://states/staging.json", undeclared: true },
    ]);
    const destroy = ["destroy", "--stage", "staging", "--state", "s3://states/staging.json", ...approve];
    expect(await scenario.runWith({ env }, ...destroy)).toMatchObject({ code: 4 });
    expect(projects()).toEqual(["shop-staging"]);
  });

  it("is named by a fleet, like a manifest whose folder was deleted, with its state", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
        cwd: scenario.folder,
      });
    scenario.write("a/rnv.yaml", "projects: { a: {} }\n");
    scenario.write("docs/rnv.yaml", "projects: { docs: {} }\n");
    const state = `staging: { state: "s3://states/b-${open}stage.name}.json" }`;
    scenario.write("b/rnv.yaml", manifest(production, state));
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-qm", "first");
    rmSync(join(scenario.folder, "a"), { recursive: true });
    scenario.write("b/rnv.yaml", manifest(production));
    const { stderr } = await scenario.run("fleet", "plan", "--changed-since", "main");
    expect(stderr).toContain("a is no longer declared; its resources may still exist");
    expect(stderr).toContain("Its state: a/.rnv/state.json");
    expect(stderr).toContain("b@staging is no longer declared");
    expect(stderr).toContain("rnv destroy --stage staging --state s3://states/b-staging.json");
    expect(stderr.match(/is no longer declared/g)).toHaveLength(2);
    // A member leaves the fleet file alone: its folder stays as it was.
    const member = (name: string) => `  ${name}: { dir: b, state: "s3://fleet/${open}member}" }\n`;
    const fleet = (...names: string[]) =>
      scenario.write("rnv.fleet.yaml", `members:\n  docs: {}\n${names.map(member).join("")}`);
    scenario.write("b/rnv.yaml", "projects: { b: {} }\n");
    scenario.write("b/layers/rnv.yaml", "projects: {}\n");
    fleet("eu", "us");
    git("add", "-A");
    git("commit", "-qm", "second");
    scenario.write("b/layers/rnv.yaml", "projects: { b: { name: B } }\n");
    const matrix = () => scenario.run("fleet", "matrix", "--changed-since", "main");
    expect(await matrix()).toMatchObject({ code: 0, stderr: "" });
    fleet("us");
    const { stderr: named } = await matrix();
    expect(named).toContain(
      "eu is no longer declared; its resources may still exist\n  Its state: s3://fleet/eu\n",
    );
    expect(named).toContain("rnv destroy --state s3://fleet/eu in its folder");
    expect(named.match(/is no longer declared/g)).toHaveLength(1);
  });
});
