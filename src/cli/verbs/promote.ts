import { statSync } from "node:fs";
import { type Promotion, promote } from "../../commands/promote";
import { shownPath } from "../../declaration/project-files";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import { programName } from "../../manifest/find-files";
import type { FoundStages } from "../../manifest/load-manifest";
import { findStage, listStages } from "../../manifest/stage-declarations";
import { editManifest } from "../../manifest/write";
import { type StageName, splitStage, stageText } from "../../model/stage";
import { escapeText } from "../../report/escape-text";
import { resourceTypes } from "../../resources";
import { readText, writeWholeFile } from "../files";
import { type Run, runOn } from "../open-target";
import { argument, flag, pick, text, type ValuesOf } from "../options";
import { report, type Screen, usage } from "../screen";
import { requireStages } from "../stages";
import { defineVerb } from "../verb";

export const promoteOptions = {
  all: flag("--all", "every service that both stages deploy"),
  from: text("--from <stage>", "the stage whose commits are taken").makeOptionMandatory(),
  to: text("--to <stage>", "the stage that pins them (default: the only other one)"),
  ...pick("files", "untrusted"),
};

export const promoteVerb = defineVerb({
  name: "promote",
  arguments: { address: argument("[address]", "the service to promote") },
  summary: "Pin the commit that runs in one stage in the overlay of another",
  detail:
    "Reads what serves in the stage --from, and writes its commit as deploy.commit into the overlay of the stage --to. " +
    "Nothing is deployed: review the change, and apply the stage. It stops where the service is not healthy, runs another " +
    "commit than it pins, or has a live deployment without a commit.",
  options: { ...promoteOptions, dryRun: flag("--dry-run", "show the difference, and write nothing") },
  examples: [
    ["rnv promote service.shop.api --from staging --to production", "one service"],
    ["rnv promote --all --from staging", "all of them, into the only other stage"],
  ],
  run: (given, run) =>
    promoteInto(given, run, async ({ overlay, text, to }) => {
      if (given.dryRun) return;
      writeWholeFile(overlay, text, { mode: statSync(overlay).mode & 0o777 });
      const file = shownPath(overlay, run.target.cwd);
      run.screen.terminal.tell(`\nWrote ${file}. Next: rnv plan --stage ${to}\n`);
    }),
});

interface EditedOverlay extends Record<"overlay" | "text" | "from" | "to", string> {
  readonly promotions: readonly Promotion[];
}

/** Shows a promotion, and calls `write` with the edited overlay; returns the exit code. */
export async function promoteInto(
  given: ValuesOf<typeof promoteOptions> & { readonly address: string | undefined },
  { target, screen }: Pick<Run, "target" | "screen">,
  write: (edited: EditedOverlay) => Promise<void>,
): Promise<number> {
  const { address: wanted, all } = given;
  const { terminal } = screen;
  if ((wanted === undefined) !== all) throw usage("rnv promote takes the address of a service, or --all");
  const found = await requireStages(target, screen);
  const from = splitStage(given.from ?? "");
  const source = found.enter(from);
  const to = stageTo(found, from, given.to);
  const overlay = overlayOf(found, to);
  const outcome = await runOn(source, screen, ({ context }) =>
    promote(context, { files: target.files, wanted, from, to }),
  );
  report(screen, outcome.diagnostics);
  const { promotions, exitCode } = outcome;
  if (exitCode !== 0) return exitCode;
  if (promotions.length === 0) {
    terminal.tell(`No changes. ${stageText(to)} pins what runs in ${stageText(from)}.\n`);
    return 0;
  }
  if (overlay === undefined || programName.test(overlay)) {
    const commits = promotions.map(({ address, commit }) => `commit: "${commit}" of ${address}`);
    throw usage(`stage ${stageText(to)} has no overlay in YAML to write to`, `write ${commits.join(", ")}`);
  }
  terminal.out(differenceText(screen, shownPath(overlay, target.cwd), promotions));
  const edits = promotions.map(({ edit }) => edit);
  const edited = editManifest(readText(overlay), edits, resourceTypes);
  if ("problem" in edited) throw new DiagnosticsError([edited.problem]);
  await write({ overlay, text: edited.text, from: stageText(from), to: stageText(to), promotions });
  return 0;
}

function stageTo({ stages }: FoundStages, from: StageName, given: string | undefined): StageName {
  if (given !== undefined) return splitStage(given);
  const [only, ...others] = [...stages.values()].filter(({ name, each }) => name !== from.name && !each);
  if (only !== undefined && others.length === 0) return { name: only.name };
  throw usage(
    "promote needs the stage that pins the commits",
    `--to STAGE; there are: ${listStages(stages)}`,
  );
}

function overlayOf(found: FoundStages, to: StageName): string | undefined {
  const declared = findStage(found.stages, to);
  if (declared.stage === undefined) throw new DiagnosticsError([declared.mistake], 1);
  const { settings, diagnostics } = found.settingsOf(to);
  if (diagnostics.length > 0) throw new DiagnosticsError(diagnostics, 1);
  return settings.overlay;
}

function differenceText(screen: Screen, file: string, promotions: readonly Promotion[]): string {
  const { colors } = screen.terminal.style;
  const lines = promotions.flatMap(({ address, before, commit }) => [
    `  ${escapeText(address)}`,
    ...(before === undefined ? [] : [colors.red(`    - commit: ${escapeText(before)}`)]),
    colors.green(`    + commit: ${escapeText(commit)}`),
  ]);
  return `${escapeText(file)}\n${lines.join("\n")}\n`;
}
