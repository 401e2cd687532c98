import { dirname, resolve } from "node:path";
import { exportManifest } from "../../commands/export-manifest";
import { importResource } from "../../commands/import-resource";
import { takeOverTerraform } from "../../commands/take-over-workspace";
import { escapeText, quoteText } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import { readTextOrInput, writeWholeFile } from "../files";
import type { Run } from "../open-target";
import { argument, pick, type SharedValues, sourceOptions, text } from "../options";
import { report, usage } from "../screen";
import { defineVerb } from "../verb";
import { archivedNote, schemaLine } from "./init";
import { showOutcome } from "./plan";

export const importVerb = defineVerb({
  name: "import",
  arguments: { address: argument("[address]", "what to record"), id: argument("[id]", "its id") },
  scope: "one",
  summary: "Record something live under an address, by its id, or all that Terraform manages",
  detail:
    "The manifest has to declare the address: what is recorded and not declared, the next plan deletes. " +
    "Writes the state only, never the platform. The next plan shows what differs. With --from-terraform-state all that a " +
    "Terraform state holds and the manifest declares is recorded, where it needs no write; take it out of Terraform " +
    "afterwards (terraform state rm).",
  options: {
    fromTerraformState: text(
      "--from-terraform-state <file>",
      "a Terraform state, as `terraform state pull` prints it; - for standard input",
    ),
    ...sourceOptions,
    ...pick("verifyValues", "state", "answerTimeoutMs", "lockTimeoutMs", "stage"),
  },
  examples: [
    [
      "rnv import service.shop.api 7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d",
      "adopt one service; `import:` in the manifest does it in git",
    ],
    ["terraform state pull | rnv import --from-terraform-state -", "take over what Terraform manages"],
  ],
  run: async (given, run) => {
    const { address, id, fromTerraformState, lockTimeoutMs } = given;
    const { target, screen } = run;
    if (fromTerraformState !== undefined && address === undefined)
      return importTerraform(fromTerraformState, given, run);
    if (address === undefined || id === undefined || fromTerraformState !== undefined)
      throw usage(
        "rnv import takes an address and an id, or --from-terraform-state FILE",
        "rnv import service.shop.api <uuid>",
      );
    const request = { address, id, lockTimeoutMs, files: target.files };
    const { recorded, diagnostics, exitCode } = await importResource(run.context, request);
    report(screen, diagnostics);
    if (recorded) {
      const imported = screen.terminal.style.colors.green(`Imported ${escapeText(address)}`);
      screen.terminal.tell(
        `${imported}: ${recorded.type} ${quoteText(recorded.name)} is managed now.\n` +
          "`rnv plan` shows what differs from the manifest.\n",
      );
    }
    return exitCode;
  },
});

async function importTerraform(file: string, given: SharedValues, run: Run): Promise<number> {
  const { verifyValues = false, lockTimeoutMs = 0 } = given;
  const { target, screen, context } = run;
  const { terminal } = screen;
  const state = await readTextOrInput(file, terminal);
  const request = { state, files: target.files, reveals: verifyValues, lockTimeoutMs };
  const outcome = await takeOverTerraform(context, request);
  const { plan, taken, declared } = outcome;
  if (plan !== undefined) {
    const waiting = plan.changes.filter(({ action }) => action === "adopt").length;
    terminal.tell(
      `Terraform manages ${counted(declared, "resource")}; ${taken} are recorded here now, and nothing was written to the platform.\n` +
        "Take them out of Terraform before it plans again: terraform state rm ADDRESS…\n" +
        `${waiting === 0 ? "" : `Next: rnv apply --adopt --verify-values takes over ${counted(waiting, "resource")}; equal values are not written again.\n`}\n`,
    );
  }
  showOutcome(screen, outcome);
  return outcome.exitCode;
}

export const exportVerb = defineVerb({
  name: "export",
  scope: "one",
  worksOn: "state",
  others: "none",
  summary: "Write a manifest of what is live",
  detail:
    "Only configuration that differs from the defaults is written. Values of variables stay where they are: " +
    "they are written as `preserve: true`. `rnv apply --adopt` then changes nothing. Archived services " +
    "cannot be listed. To manage one, write `import: ID` in its block.",
  options: {
    project: text("--project <name>", "only this project, by name or id"),
    out: text("-o, --out <file>", "write to this file, which must not exist (default: print it)"),
    ...pick("answerTimeoutMs", "stage"),
  },
  examples: [
    ["rnv export", "print everything of the workspace"],
    ["rnv export --project Shop -out rnv.yaml", "one project, to a file"],
  ],
  run: async ({ project, out }, { context, screen }) => {
    const { terminal, cwd } = screen;
    const outcome = await exportManifest(context, { project });
    report(screen, outcome.diagnostics);
    const text = schemaLine(out === undefined ? cwd : dirname(resolve(cwd, out))) + outcome.text;
    if (out === undefined) terminal.out(text);
    else {
      writeWholeFile(out, text, { keep: true, mode: 0o666 & ~process.umask() });
      terminal.note(
        `Wrote ${counted(outcome.count, "resource")} to ${out}. To manage them: rnv apply --adopt\n`,
      );
    }
    terminal.note(archivedNote);
    return outcome.exitCode;
  },
});
