import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** Pages whose blocks of commands show the output of the built program. */
export const transcripts: readonly string[] = ["README.md", "docs/cli/start.md", "docs/cli/only-rnv.md"];

/**
 * Returns a page with the output that its commands have now. They run in the order of the page, in a new folder, against an
 * embedded service:
 * - each line that begins with `$ ` in a block of three backquotes and `console`;
 * - each comment `<!-- run COMMAND -->`, whose output is not shown.
 *
 * An output that begins with the previous output shows `[the plan above]` in its place.
 */
export function withOutputs(page: string): string {
  const session = openSession();
  let before = "";
  const shownOf = (command: string): string => {
    const output = session.run(command);
    const isRepeated = before.split("\n").length > 5 && output.startsWith(before);
    const shown = isRepeated ? `[the plan above]\n${output.slice(before.length)}` : output;
    before = output;
    return wrapped(shown);
  };
  try {
    const blocks = /^```console\n([\s\S]*?)^```$|^<!-- run (.*) -->$/gm;
    return page.replace(blocks, (whole: string, shown?: string, hidden?: string) => {
      if (hidden !== undefined) {
        session.run(hidden);
        return whole;
      }
      const commands = (shown ?? "").split("\n").filter((line) => line.startsWith("$ "));
      const outputs = commands.map((line) => `${line}\n${shownOf(line.slice(2))}`);
      return `\`\`\`console\n${outputs.join("\n")}\`\`\``;
    });
  } finally {
    session.close();
  }
}

/** Wraps lines at 120 columns, each rest with the indentation of its line. */
const wrapped = (text: string): string =>
  text.replace(/^.{121,}$/gm, (line) => {
    const indentation = /^ */.exec(line)?.[0] ?? "";
    const at = line.lastIndexOf(" ", 120);
    return at <= indentation.length
      ? line
      : `${line.slice(0, at)}\n${wrapped(indentation + line.slice(at + 1))}`;
  });

/** Returns the page without progress, times, digests and ids, which differ from run to run. */
export const withoutVolatile = (page: string): string =>
  page
    .replace(/^[a-z.A-Z_]+: .*(\.\.\.| after ).*\n/gm, "")
    .replace(/\b\d+(\.\d+)?(ms|s)\b/g, "1s")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replace(/\b[0-9a-f]{64}\b|Digest: [0-9a-f]{12}\b/g, "DIGEST")
    .replace(/-[0-9a-f]{8}\./g, "-ID.")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "TIME");

export const readPage = (path: string): string => readFileSync(join(root, path), "utf8");

/** A folder with an embedded service, and `rnv` on the PATH. */
function openSession(): { run(commands: string): string; close(): void } {
  const folder = mkdtempSync(join(tmpdir(), "rnv-page-"));
  const bin = join(folder, "bin");
  mkdirSync(join(folder, "shop"));
  mkdirSync(bin);
  const program = join(bin, "rnv");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/bin/rnv.js")}" "$@"\n`);
  chmodSync(program, 0o755);
  for (const [name, text] of Object.entries({ "change-outside": changeOutside, "use-outside": useOutside })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
    HOME: folder,
    RNV_BASE_URL: "embedded",
    RNV_ROOT: root,
    NO_COLOR: "1",
  };
  return {
    run: (commands) => {
      const { stdout } = spawnSync("bash", ["-c", `exec 2>&1\n${commands}`], {
        cwd: join(folder, "shop"),
        encoding: "utf8",
        env,
      });
      return stdout.replace(/\n*$/, stdout === "" ? "" : "\n");
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Changes a field of a service past rnv, as its dashboard does: `change-outside SERVICE FIELD VALUE`. */
const changeOutside = `#!/usr/bin/env node
const { createEmulator } = require(process.env.RNV_ROOT + "/dist/emulator/testing.js");
const [name, field, value] = process.argv.slice(2);
const { store } = createEmulator({ folder: ".rnv/emulator" });
store.editConfiguration(store.services().find((service) => service.name === name).id, { [field]: value });
`;

/** Adds a service of another project that refers to a variable of a service: `use-outside SERVICE KEY`. */
const useOutside = `#!/usr/bin/env node
const { createEmulator } = require(process.env.RNV_ROOT + "/dist/emulator/testing.js");
const [name, key] = process.argv.slice(2);
const { store } = createEmulator({ folder: ".rnv/emulator" });
const provider = store.services().find((service) => service.name === name).id;
const { id: projectId } = store.addProject({ name: "Billing" });
store.addReference(store.addService({ name: "invoices", projectId }).id, provider, [key]);
`;

// Updates the outputs on all pages where more than ids, times and digests differ: npm run docs.
if (require.main === module)
  for (const path of transcripts) {
    const page = readPage(path);
    const now = withOutputs(page);
    if (withoutVolatile(now) !== withoutVolatile(page)) writeFileSync(join(root, path), now);
  }
