import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newFolder } from "../support/temp-folder";
import { describeWith, paths } from "./programs";

const root = resolve(__dirname, "../..");
const examples = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" }).map(
  (name) => `examples/${name}`,
);
const named = (pattern: RegExp): readonly string[] => examples.filter((name) => pattern.test(name));

/** Runs a program on files of the repository, and returns its text where it fails. */
function mistakes(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(String(paths[program]), [...args], {
    cwd: root,
    encoding: "utf8",
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

describeWith(["check-jsonschema", "kubernetes-validate", "yamllint", "zizmor"], () => {
  const workflows = named(/workflows\/[^/]+\.yml$/);

  it.each([
    ["vendor.github-workflows", workflows],
    ["vendor.github-actions", named(/\/action\.yml$/)],
    ["vendor.renovate", named(/\/renovate\.json$/)],
  ])("check-jsonschema takes every example of %s", (schema, files) => {
    expect(files).not.toEqual([]);
    expect(mistakes("check-jsonschema", "--builtin-schema", schema, ...files)).toBe("");
  });

  it("check-jsonschema takes the jobs of the GitLab component", () => {
    const text = readFileSync(join(root, "examples/gitlab/templates/rnv.yml"), "utf8");
    const jobs = join(newFolder("gitlab"), "jobs.yml");
    const filled = text
      .slice(text.indexOf("\n---\n") + 5)
      .replace(/"?\$\[\[ inputs\.\w+_rules \]\]"?/g, "[]");
    writeFileSync(jobs, filled);
    const as = ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"];
    expect(mistakes("check-jsonschema", ...as, jobs)).toBe("");
  });

  it.each([
    ["manifest", named(/^examples\/(?!starter)[^/]+\/rnv\.yaml$/)],
    ["overlay", named(/\/stages\/[^/]+\.yaml$/)],
    ["test", named(/\.rnvtest\.yaml$/)],
    ["policy", named(/\/rnv\.policy\.yaml$/)],
  ])("Python's regular expressions take every example of a %s", (name, files) => {
    expect(files).not.toEqual([]);
    const schema = ["--schemafile", `schemas/${name}.schema.json`, "--regex-variant", "python"];
    expect(mistakes("check-jsonschema", ...schema, ...files)).toBe("");
  });

  it("the jobs of Kubernetes are as Kubernetes wants them", () => {
    expect(mistakes("kubernetes-validate", "--strict", ...named(/kubernetes\/.*\.yaml$/))).toBe("");
  });

  it("zizmor finds nothing in a workflow that a comment there does not justify", () => {
    const files = [...workflows, "examples/github/action.yml", ".github/workflows"];
    expect(mistakes("zizmor", "--offline", "--no-progress", ...files)).toBe("");
  });

  it("yamllint finds no mistake in an example", () => {
    expect(mistakes("yamllint", "-d", "relaxed", ...named(/\.ya?ml$/))).toBe("");
  });
});
