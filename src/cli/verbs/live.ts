import { dirname, resolve } from "node:path";
import { Argument, Option } from "commander";
import { exportManifest } from "../../commands/export-manifest";
import { importResource } from "../../commands/import-resource";
import { takeOverTerraform } from "../../commands/take-over-workspace";
import { escapeText, quoteText } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import { withContext } from "../context";
import { readTextOrInput, writeWholeFile } from "../files";
import { type Invocation, listOf } from "../invocation";
import { options, sourceOptions } from "../options";
import { outStyle, report } from "../report";
import { usage } from "../stages";
import { archivedNote, schemaLine } from "./init";
import { showOutcome } from "./plan";
import type { Verb } from "./verb";

export const importVerb: Verb = {
  usage: "import",
  arguments: [new Argument("[address]", "what to record"), new Argument("[id]", "its id")],
  summary: "Record something live under an address, by its id, or all that Terraform manages",
  detail:
    "The manifest has to declare the address: what is recorded and not declared, the next plan deletes. " +
    "Writes the state only, never the service. The next plan shows what differs. With --from-terraform-state all that a " +
    "Terraform state holds and the manifest declares is recorded, where it needs no write; take it out of Terraform " +
    "afterwards (terraform state rm).",
  options: [
    new Option(
      "--from-terraform-state <file>",
      "a Terraform state, as `terraform state pull` prints it; - for standard input",
    ),
    options.verifyValues,
    ...sourceOptions,
    options.state,
    options.answerTimeout,
    options.lockTimeout,
  ],
  examples: [
    [
      "rnv import service.shop.api 7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d",
      "adopt one service; `import:` in the manifest does it in git",
    ],
    ["terraform state pull | rnv import --from-terraform-state -", "take over what Terraform manages"],
  ],
  handler: async (invocation) => {
    const [address, id] = invocation.positional as readonly [string?, string?];
    const { fromTerraformState } = invocation.options;
    if (typeof fromTerraformState === "string" && address === undefined)
      return runTerraformImport(invocation, fromTerraformState);
    if (address === undefined || id === undefined || fromTerraformState !== undefined)
      throw usage(
        "rnv import takes an address and an id, or --from-terraform-state FILE",
        "rnv import service.shop.api <uuid>",
      );
    const lockTimeoutMs = invocation.options.lockTimeout as number;
    const files = listOf(invocation.options.file);
    const outcome = await withContext(invocation, (context) =>
      importResource(context, { address, id, lockTimeoutMs, files }),
    );
    report(invocation, outcome.diagnostics);
    if (outcome.recorded) {
      const { colors } = outStyle(invocation);
      const name = quoteText(outcome.recorded.name);
      invocation.terminal.out(
        `${colors.green(`Imported ${escapeText(address)}`)}: ${outcome.recorded.type} ${name} is managed now.\n` +
          "`rnv plan` shows what differs from the manifest.\n",
      );
    }
    return outcome.exitCode;
  },
};

async function runTerraformImport(invocation: Invocation, file: string): Promise<number> {
  const { terminal, options } = invocation;
  const state = await readTextOrInput(file, terminal);
  const outcome = await withContext(invocation, (context) =>
    takeOverTerraform(context, {
      ...{ state, files: listOf(options.file), reveals: options.verifyValues === true },
      ...{ lockTimeoutMs: options.lockTimeout as number, parallelism: 10 },
    }),
  );
  const { plan, taken, declared } = outcome;
  if (plan !== undefined) {
    const waiting = plan.changes.filter(({ action }) => action === "adopt").length;
    terminal.out(
      `Terraform manages ${counted(declared, "resource")}; ${taken} are recorded here now, and nothing was written to the service.\n` +
        "Take them out of Terraform before it plans again: terraform state rm ADDRESS…\n" +
        `${waiting === 0 ? "" : `Next: rnv apply --adopt --verify-values takes over ${counted(waiting, "resource")}; equal values are not written again.\n`}\n`,
    );
  }
  showOutcome(invocation, outcome);
  return outcome.exitCode;
}

export const exportVerb: Verb = {
  usage: "export",
  stacks: { use: "one", others: "none" },
  summary: "Write a manifest of what is live",
  detail:
    "Only configuration that differs from the defaults is written. Values of variables stay where they are: " +
    "they are written as `preserve: true`. `rnv apply --adopt` then changes nothing. Archived services are in no " +
    "list of the service: each can only be declared with `import: ID`.",
  options: [
    new Option("--project <name>", "only this project, by name or id"),
    new Option("-o, --out <file>", "write to this file, which must not exist (default: print it)"),
    options.answerTimeout,
    options.stage,
  ],
  examples: [
    ["rnv export", "print everything of the workspace"],
    ["rnv export --project Shop -out rnv.yaml", "one project, to a file"],
  ],
  handler: async (invocation) => {
    const { terminal, options, cwd } = invocation;
    const { project, out } = options as { readonly project?: string; readonly out?: string };
    const outcome = await withContext(invocation, (context) => exportManifest(context, { project }));
    report(invocation, outcome.diagnostics);
    const text = schemaLine(out === undefined ? cwd : dirname(resolve(cwd, out))) + outcome.text;
    if (out === undefined) terminal.out(text);
    else {
      writeWholeFile(out, text, { keep: true, mode: 0o666 & ~process.umask() });
      terminal.err(
        `Wrote ${counted(outcome.count, "resource")} to ${out}. To manage them: rnv apply --adopt\n`,
      );
    }
    terminal.err(archivedNote);
    return outcome.exitCode;
  },
};
