import { dirname, resolve } from "node:path";
import { exportManifest } from "../../commands/export-manifest";
import { importResource } from "../../commands/import-resource";
import { inertString, inertText } from "../../render/inert";
import { counted } from "../../render/plan-wording";
import type { Handler } from "../invocation";
import { outStyle, report } from "../report";
import { schemaLine } from "../schema-line";
import { withContext } from "../with-context";
import { writeWholeFile } from "../write-whole-file";

/** `rnv import` */
export const importHandler: Handler = async (invocation) => {
  const [address, id] = invocation.positional as readonly [string, string];
  const lockTimeoutMs = (invocation.options.lockTimeout as number | undefined) ?? 0;
  const files = Array.isArray(invocation.options.file) ? invocation.options.file : [];
  const outcome = await withContext(invocation, (context) =>
    importResource(context, { address, id, lockTimeoutMs, files }),
  );
  report(invocation, outcome.diagnostics, outcome.sources);
  if (outcome.recorded) {
    const { colors } = outStyle(invocation);
    const name = inertString(outcome.recorded.name);
    invocation.terminal.out(
      `${colors.green(`Imported ${inertText(address)}`)}: ${outcome.recorded.type} ${name} is managed now.\n` +
        "`rnv plan` shows what differs from the manifest.\n",
    );
  }
  return outcome.exitCode;
};

/** `rnv export` */
export const exportHandler: Handler = async (invocation) => {
  const { terminal, options, cwd } = invocation;
  const { project, out } = options as { readonly project?: string; readonly out?: string };
  const outcome = await withContext(invocation, (context) => exportManifest(context, { project }));
  report(invocation, outcome.diagnostics);
  if (outcome.text === undefined) return outcome.exitCode;
  const text = schemaLine(out === undefined ? cwd : dirname(resolve(cwd, out))) + outcome.text;
  if (out === undefined) terminal.out(text);
  else {
    writeWholeFile(out, text, { keep: true, mode: 0o666 & ~process.umask() });
    terminal.err(
      `Wrote ${counted(outcome.count, "resource")} to ${out}. To manage them: rnv apply --adopt\n`,
    );
  }
  terminal.err(
    "Archived services are in no list of the service, so none is written: declare one with `import: ID`.\n",
  );
  return outcome.exitCode;
};
