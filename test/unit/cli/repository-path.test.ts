import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryPath } from "../../../src/cli/screen";
import { schemaLine } from "../../../src/cli/verbs/init";
import { newFolder } from "../../support/temp-folder";

const root = newFolder("repository");
const folder = join(root, "apps", "shop");
beforeAll(() => mkdirSync(folder, { recursive: true }));

describe("the path of a file in its repository", () => {
  it("is that from the workspace of GitHub or GitLab, where no repository is seen", () => {
    expect(repositoryPath("rnv.yaml", folder, { CI_PROJECT_DIR: root })).toBe("apps/shop/rnv.yaml");
    expect(repositoryPath("rnv.yaml", folder, { GITHUB_WORKSPACE: root })).toBe("apps/shop/rnv.yaml");
    expect(repositoryPath("../rnv.yaml", folder, { GITHUB_WORKSPACE: root })).toBe("apps/rnv.yaml");
    expect(repositoryPath(join(folder, "a.yaml"), folder, { GITHUB_WORKSPACE: root })).toBe(
      "apps/shop/a.yaml",
    );
  });

  it("is as it stands for a file outside, and none for standard input", () => {
    expect(repositoryPath("/elsewhere/rnv.yaml", folder, { GITHUB_WORKSPACE: root })).toBe(
      "/elsewhere/rnv.yaml",
    );
    expect(repositoryPath("<stdin>", folder, { GITHUB_WORKSPACE: root })).toBeUndefined();
  });

  it("is that from the nearest repository, also in a folder of the workspace", () => {
    mkdirSync(join(root, "apps", ".git"));
    expect(repositoryPath("rnv.yaml", folder, { GITHUB_WORKSPACE: root })).toBe("shop/rnv.yaml");
    expect(repositoryPath("rnv.yaml", folder, {})).toBe("shop/rnv.yaml");
    mkdirSync(join(root, ".git"));
    expect(repositoryPath("rnv.yaml", folder, { GITHUB_WORKSPACE: root })).toBe("apps/shop/rnv.yaml");
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
