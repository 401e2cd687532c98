import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");
const { exports: entries, typesVersions } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Record<string, string | { types?: string }>;
  typesVersions: { "*": Record<string, string[]> };
};

it("a compiler that does not read `exports`, as that of `cdktf init`, finds the types of every entry", () => {
  const typed = Object.entries(entries).flatMap(([path, entry]) =>
    path !== "." && typeof entry === "object" && entry.types !== undefined
      ? [[path.slice(2), [entry.types]]]
      : [],
  );
  expect(typesVersions["*"]).toEqual(Object.fromEntries(typed));
});
