import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { resourceTypes } from "../../src/resources";

const source = join(__dirname, "..", "..", "src");

/** Folders whose code serves every resource type. Adapters of one type or of one message name its fields. */
const engine = ["plan", "apply", "commands", "report", "terraform"];
const adapters =
  /^terraform\/(variables|data)\/|^terraform\/(data-sources|ephemeral-resources|functions)\.ts$/;

/** Attribute paths and their last parts: `configuration.port`, `port`. */
const names = resourceTypes.flatMap(({ rules }) =>
  Object.keys(rules).flatMap((path) => [path, path.slice(path.indexOf(".") + 1)]),
);

const anyName = `(?:${[...new Set(names)].map((name) => name.replace(".", "\\.")).join("|")})`;

/** A lookup, a comparison or a record that names an attribute: `.get("commit")`, `path === "archived"`. */
const uses = new RegExp(
  [
    `\\.(?:get|has|set)\\("${anyName}"`,
    `(?:path|attribute|field) [!=]== "${anyName}"`,
    `\\b(?:rules|applied|attributes|resolved)\\??\\.${anyName}\\b`,
    `new (?:Map|Set)(?:<[^(]*>)?\\(\\[+"${anyName}"`,
  ].join("|"),
  "g",
);

const found = (code: string): readonly string[] => code.match(uses) ?? [];

describe("attribute names", () => {
  it("stand in no code that serves every resource type", () => {
    const files = engine.flatMap((folder) =>
      readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => `${folder}/${file}`),
    );
    expect(files.length).toBeGreaterThan(50);
    const named = files
      .filter((file) => !adapters.test(file))
      .flatMap((file) => found(readFileSync(join(source, file), "utf8")).map((use) => `${file}: ${use}`));
    expect(named).toEqual([]);
  });

  it.each([
    'const commit = instance.resolved.get("commit");',
    'const isLater = path === "archived";',
    'if (rules.preserve) written.set("preserve", true);',
    'declared: new Map([["commit", ""]])',
  ])("are found: %s", (line) => {
    expect(found(line)).not.toEqual([]);
  });
});
