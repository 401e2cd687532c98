import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program";
import { shownVerbs } from "../../src/cli/verb";
import { codeMeanings } from "../../src/diagnostics/codes";
import { diagnosticCodes } from "../../src/diagnostics/diagnostic";
import { manifestReference } from "./manifest-reference";
import { gapsPage, schemasPage } from "./schema-pages";

const folder = resolve(__dirname, "../../docs/cli");

/** Generated pages of `docs/cli`, by file name: `npm run docs` writes them. */
export const cliPages = (): Readonly<Record<string, string>> => ({
  "commands.md": commandsPage(),
  "reference/errors.md": errorsPage(),
  "gaps.md": gapsPage(),
  "manifest.md": manifestReference(),
  "schemas.md": schemasPage(),
});

/** The help of every command, as `rnv help COMMAND -a` prints it. */
function commandsPage(): string {
  const terminal = { width: 100, color: { out: false, err: false }, out: () => {}, err: () => {} };
  const shown = terminal as unknown as Parameters<typeof createProgram>[1];
  const program = createProgram(async () => {}, shown, { listsAll: true });
  const sections = commandsBelow(program, []).map(
    ({ name, command }) => `## rnv ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  );
  const options = program.options
    .slice(1)
    .map(({ flags, description }) => `- \`${flags}\`: ${description}\n`);
  return `# Commands\n\nOptions may be written with one dash or two. Every command has these, too:\n\n${options.join("")}\n${sections.join("\n")}`;
}

function commandsBelow(
  parent: Command,
  names: readonly string[],
): { readonly name: string; readonly command: Command }[] {
  return shownVerbs(parent)
    .filter((command) => command.name() !== "help")
    .flatMap((command) => {
      const path = [...names, command.name()];
      return [{ name: path.join(" "), command }, ...commandsBelow(command, path)];
    });
}

/** Without the options that all commands have. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.replace(/\nGlobal Options:\n(?: .*\n)+/, "").trim();
}

/** The codes by their first word, which names the step that finds them. */
function errorsPage(): string {
  const families = [...new Set(diagnosticCodes.map((code) => code.split(".")[0] ?? ""))];
  const sections = families.map((family) => {
    const codes = diagnosticCodes.filter((code) => code.startsWith(`${family}.`));
    const entries = codes.map((code) => `<a id="${code}"></a>\n**\`${code}\`**: ${codeMeanings[code]}\n`);
    return `## ${family}\n\n${entries.join("\n")}`;
  });
  return `# Error codes

Every error and warning has a code: \`error[manifest.unknown_key]\`. Codes are stable; the text around them may change.
\`rnv explain manifest.unknown_key\` prints the same, and each has an anchor on this page: \`errors.md#manifest.unknown_key\`.

${sections.join("\n")}`;
}

if (require.main === module)
  for (const [name, text] of Object.entries(cliPages())) writeFileSync(join(folder, name), text);
