import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { diagnosticCodes } from "../../src/diagnostics/diagnostic";
import { cliPages } from "../../tools/docs/write-cli-docs";
import { optionNames, parseCommand } from "../support/parse-command";

const root = resolve(__dirname, "../..");
const folder = join(root, "docs/cli");
const read = (page: string): string => readFileSync(join(root, page), "utf8");

describe("the reference in docs/cli", () => {
  it.each(Object.entries(cliPages()))("%s is what npm run docs writes", (name, text) => {
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  it("has an anchor for each diagnostic code", () => {
    const page = readFileSync(join(folder, "reference/errors.md"), "utf8");
    expect(diagnosticCodes.filter((code) => !page.includes(`<a id="${code}"></a>`))).toEqual([]);
  });

  // RNV_READINGS is for tests of this project.
  it("names each setting of the environment that the sources read", () => {
    const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const text = files
      .filter((file) => file.endsWith(".ts"))
      .map((file) => read(join("src", file)))
      .join("\n");
    const names = new Set(
      [...text.matchAll(/\bRNV_(?!GAP_|VAR_|STATE_HTTP_|READINGS)[A-Z_]*[A-Z]\b/g)].map(([name]) => name),
    );
    const page = read("docs/cli/environment.md");
    expect([...names].filter((name) => !page.includes(name))).toEqual([]);
  });
});

const pages = ["README.md", "docs/cli", "docs/explain", "skills/rnv/SKILL.md"].flatMap((path) =>
  path.endsWith(".md")
    ? [path]
    : readdirSync(join(root, path))
        .filter((name) => name.endsWith(".md") && !(name in cliPages()))
        .map((name) => `${path}/${name}`),
);

/** Commands of rnv in blocks for a shell, and in text: `rnv plan -out FILE`. Those with `...` name more than one. */
function commandsIn(page: string): string[] {
  const shell = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const typed = [...page.matchAll(/^\$ (.*)$/gm)].map(([, line = ""]) => line);
  const lines = [...shell, ...typed].flatMap((text) => text.replace(/ +#.*$/gm, "").split(/\n|&&|[;|>]/));
  return [...lines, ...codeIn(page)].flatMap((line) => {
    const [, words = "…"] = /^(?:npx )?rnv ([a-z].*)$/.exec(line.trim()) ?? [];
    return /…|\.\.\./.test(words) ? [] : [words.trim().replace(/['"]/g, "")];
  });
}

/** Pieces of code in the text of a page. */
const codeIn = (page: string): string[] =>
  [...page.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

describe("what a page names exists in the program", () => {
  it.each(pages)("commands and options in %s", async (page) => {
    for (const command of commandsIn(read(page)))
      await parseCommand(command).catch((failure: Error) => {
        // Placeholders, and commands that are only named, have no valid arguments.
        if (/unknown (command|option)/.test(failure.message)) throw failure;
      });
    const options = codeIn(read(page)).flatMap((code) => /^--?([a-z][a-z-]+)\b/.exec(code)?.[1] ?? []);
    expect(options.filter((name) => !optionNames().has(name))).toEqual([]);
  });
});
