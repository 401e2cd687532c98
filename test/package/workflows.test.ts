import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { validateWorkflow } from "@action-validator/core";
import { stepsIn, workflowOf } from "../support/workflow";

const root = resolve(__dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { scripts } = JSON.parse(read("package.json"));

const fileOf = (name: string): string => join(root, ".github/workflows", name);

describe.each(["ci.yml", "release.yml"])("the workflow %s", (name) => {
  const text = read(`.github/workflows/${name}`);
  const workflow = workflowOf(fileOf(name));
  const jobs = Object.entries(workflow.jobs);
  const steps = stepsIn(workflow);

  it("fits the schema that SchemaStore publishes", () => {
    expect(validateWorkflow(text).errors).toEqual([]);
    expect(validateWorkflow(text.replace("runs-on: ", "xruns-on: ")).errors).not.toEqual([]);
  });

  it("has an end for each job, and no right but those of a job", () => {
    const once = { group: expect.any(String), "cancel-in-progress": expect.anything() };
    expect(workflow.concurrency).toEqual(once);
    expect(workflow.permissions).toEqual({});
    for (const [id, one] of jobs) {
      if (one.uses === undefined)
        expect({ id, minutes: one["timeout-minutes"] }).toEqual({ id, minutes: expect.any(Number) });
      const wanted = { publish: { "id-token": "write" }, release: { contents: "write" } }[id] ?? {
        contents: "read",
      };
      expect({ id, permissions: one.permissions }).toEqual({ id, permissions: wanted });
    }
  });

  it("pins each action by commit, with its version beside it, and leaves no token in the folder", () => {
    for (const [, used = "", comment = ""] of text.matchAll(/uses: (\S+)(.*)$/gm))
      if (!used.startsWith("./"))
        expect({ used, comment }).toEqual({
          used: expect.stringMatching(/^(actions|hashicorp|opentofu)\/[a-z-]+@[0-9a-f]{40}$/),
          comment: expect.stringMatching(/^ # v\d+\.\d+\.\d+$/),
        });
    for (const { uses = "", with: inputs } of steps)
      if (uses.includes("checkout")) expect(inputs).toMatchObject({ "persist-credentials": false });
  });

  it("runs scripts and files that exist, none of an installed package, and no text of an event", () => {
    for (const { run = "" } of steps) {
      expect(run).not.toContain("${{");
      for (const [, script = ""] of run.matchAll(/npm (?:run )?(test\b[\w:]*|(?<=run )[\w:]+)/g))
        expect(Object.keys(scripts)).toContain(script);
      for (const [file] of run.matchAll(/(?:\.ci|tools)\/[\w./-]+/g))
        expect([file, existsSync(join(root, file))]).toEqual([file, true]);
      if (/npm (ci|install|pack|publish)\b/.test(run)) expect(run).toContain("--ignore-scripts");
    }
  });
});

it("ci runs on Node 20 to 26, on Terraform 1.11, 1.14 and the latest, on OpenTofu and on Windows", () => {
  const { jobs, on } = workflowOf(fileOf("ci.yml"));
  expect(Object.keys(on)).toEqual(["push", "pull_request", "workflow_call"]);
  expect(jobs.test?.strategy?.matrix).toEqual({ node: ["20", "22", "24", "26"] });
  expect(jobs.terraform?.strategy?.matrix).toEqual({ version: ["~1.11.0", "~1.14.0", "latest"] });
  expect(jobs.tofu?.steps?.at(-1)?.run).toBe("RNV_TEST_TERRAFORM=tofu npm run test:terraform");
  expect(jobs.windows).toMatchObject({ "runs-on": "windows-latest" });
  expect(jobs.windows?.steps?.at(-1)?.run).toBe("node tools/release/try-build.mjs");
});

it("release tests, packs and publishes in this order, and gives the signing key to one job", () => {
  const { jobs } = workflowOf(fileOf("release.yml"));
  const order = Object.entries(jobs).map(([id, { needs }]) => [id, needs]);
  expect(order).toEqual([
    ["version", undefined],
    ["test", "version"],
    ["pack", "test"],
    ["publish", "pack"],
    ["release", "pack"],
  ]);
  const withSecrets = Object.entries(jobs).filter(([, one]) => JSON.stringify(one).includes("secrets."));
  expect(withSecrets.map(([id, { environment }]) => [id, environment])).toEqual([["pack", "release"]]);
  const published = jobs.publish?.steps?.at(-1)?.run;
  expect(published).toContain("--provenance");
});
