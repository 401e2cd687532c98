import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryPath } from "../../../src/cli/screen";
import { schemaLine } from "../../../src/cli/verbs/init";
import { newFolder } from "../../support/temp-folder";

const root = newFolder("repository");
const folder = join(root, "apps", "shop");
beforeAll(() => mkdirSync(folder, { recursive: true }));

const pathOf = (file: string, environment: NodeJS.ProcessEnv) =>
  repositoryPath(file, { cwd: folder, environment });

describe("the path of a file in its repository", () => {
  it("is that from the workspace of GitHub or GitLab, where no repository is seen", () => {
    expect(pathOf("rnv.yaml", { CI_PROJECT_DIR: root })).toBe("apps/shop/rnv.yaml");
    expect(pathOf("rnv.yaml", { GITHUB_WORKSPACE: root })).toBe("apps/shop/rnv.yaml");
    expect(pathOf("../rnv.yaml", { GITHUB_WORKSPACE: root })).toBe("apps/rnv.yaml");
    expect(pathOf(join(folder, "a.yaml"), { GITHUB_WORKSPACE: root })).toBe("apps/shop/a.yaml");
  });

  it("is as it stands for a file outside, and none for standard input", () => {
    expect(pathOf("/elsewhere/rnv.yaml", { GITHUB_WORKSPACE: root })).toBe("/elsewhere/rnv.yaml");
    expect(pathOf("<stdin>", { GITHUB_WORKSPACE: root })).toBeUndefined();
  });

  it("is that from the nearest repository, also in a folder of the workspace", () => {
    mkdirSync(join(root, "apps", ".git"));
    expect(pathOf("rnv.yaml", { GITHUB_WORKSPACE: root })).toBe("shop/rnv.yaml");
    expect(pathOf("rnv.yaml", {})).toBe("shop/rnv.yaml");
    mkdirSync(join(root, ".git"));
    expect(pathOf("rnv.yaml", { GITHUB_WORKSPACE: root })).toBe("apps/shop/rnv.yaml");
  });
});

it("the schema line names the schema of the package that is installed above the manifest", () => {
  expect(schemaLine(folder)).toBe(
    "# yaml-language-server: $schema=./node_modules/terraform-provider-rnv/schemas/manifest.schema.json\n",
  );
  const schemas = join(root, "node_modules", "terraform-provider-rnv", "schemas");
  mkdirSync(schemas, { recursive: true });
  writeFileSync(join(schemas, "manifest.schema.json"), "{}");
  expect(schemaLine(folder)).toBe(
    "# yaml-language-server: $schema=../../node_modules/terraform-provider-rnv/schemas/manifest.schema.json\n",
  );
  expect(schemaLine(root)).toContain("$schema=./node_modules/");
});
