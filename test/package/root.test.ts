import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** Names that git ignores: what an installation, a build or a run leaves behind. */
const ignored = readFileSync(join(root, ".gitignore"), "utf8")
  .split("\n")
  .map((line) => line.replace(/\/$/, ""));

it("the root holds what a user needs and what tools look for there", () => {
  const forUsers = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "docs",
    "examples",
    "schemas",
    "skills",
  ];
  const forTools = [
    ...[
      ".biome.json",
      ".dependency-cruiser.cjs",
      ".github",
      ".gitignore",
      ".pre-commit-hooks.yaml",
      "package-lock.json",
    ],
    ...["package.json", "terraform-registry-manifest.json", "tsconfig.json"],
  ];
  const forDevelopers = [".ci", "src", "test", "tools"];
  const found = readdirSync(root).filter((name) => name !== ".git" && !ignored.includes(name));
  expect(found.sort()).toEqual([...forUsers, ...forTools, ...forDevelopers].sort());
});
