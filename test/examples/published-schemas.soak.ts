import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { installFromRegistry } from "../support/install-package";
import { newFolder } from "../support/temp-folder";

const examples = join(__dirname, "..", "..", "examples");

/** Packages that bring what GitLab and Kubernetes publish; large, and needed for nothing else. */
const packages = ["gitlab-ci-local@4.75.1", "kubernetes-models@4.5.1"];

let folder: string;
let isInstalled: boolean;
beforeAll(() => {
  folder = newFolder("schemas");
  writeFileSync(join(folder, "package.json"), "{}");
  isInstalled = installFromRegistry(folder, ...packages);
}, 300_000);

/** What GitLab's schema says of a pipeline that includes the component, and its jobs where it fits. */
function judgePipeline(component: string): { readonly said: string; readonly jobs: string } {
  const project = join(folder, "project");
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(project, "templates"), { recursive: true });
  writeFileSync(join(project, "templates", "rnv.yml"), component);
  const inputs = "{ stage: production, state: rnv-production, fleet: true }";
  writeFileSync(
    join(project, ".gitlab-ci.yml"),
    `include: [{ local: /templates/rnv.yml, inputs: ${inputs} }]\n`,
  );
  for (const words of ["init -qb main", "remote add origin https://gitlab.example.com/a/b.git", "add -A"])
    spawnSync("git", words.split(" "), { cwd: project });
  spawnSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x"], {
    cwd: project,
  });
  // It asks for a newer node than the oldest that this runs on, for this alone.
  const newer = join(folder, "newer.cjs");
  writeFileSync(
    newer,
    "Set.prototype.union ??= function (other) { return new Set([...this, ...other]); };\n",
  );
  const program = join(folder, "node_modules", "gitlab-ci-local", "dist", "index.js");
  const { stdout, stderr } = spawnSync(process.execPath, ["--require", newer, program, "--preview"], {
    cwd: project,
    encoding: "utf8",
  });
  return { said: stderr, jobs: stdout };
}

it("the component fits GitLab's schema of pipelines, with its inputs filled in", () => {
  if (!isInstalled) return;
  const component = readFileSync(join(examples, "gitlab", "templates", "rnv.yml"), "utf8");
  const { said, jobs: shown } = judgePipeline(component);
  expect(said).toContain("json schema validated");
  const jobs = parse(shown) as Record<string, unknown>;
  expect(jobs).toMatchObject({
    "rnv-fleet-plan": { parallel: 4 },
    "rnv-apply": { resource_group: "rnv-production" },
  });
  for (const [word, slip] of [
    ["interruptible:", "interruptable:"],
    ["parallel: 4", "parallel: many"],
  ] as const)
    expect(judgePipeline(component.replace(word, slip)).said).toContain(
      "Invalid .gitlab-ci.yml configuration",
    );
});

it("the pods fit the schemas of Kubernetes", () => {
  if (!isInstalled) return;
  const load = createRequire(join(folder, "package.json"));
  for (const [file, kind] of [
    ["drift", "CronJob"],
    ["fleet", "Job"],
  ] as const) {
    const text = readFileSync(join(examples, "kubernetes", `${file}.yaml`), "utf8");
    const Model = load(`kubernetes-models/batch/v1/${kind}`)[kind] as new (
      document: unknown,
    ) => { validate(): void };
    const judge = (document: string) => () => new Model(parse(document)).validate();
    expect(judge(text)).not.toThrow();
    expect(judge(text.replace("runAsUser: 1000", "runAsUser: root"))).toThrow("runAsUser must be integer");
  }
});
