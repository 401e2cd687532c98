// Looks for drift repeatedly and posts its findings: `node drift-service.mts FOLDER…`. Each folder holds a manifest
// and its state. `WEBHOOK` is told when the answer for a folder changes; `EVERY_SECONDS` is the pause between two looks.
import { setTimeout as sleep } from "node:timers/promises";
import { type DriftOutcome, drift, openContext } from "terraform-provider-rnv";
import { settings } from "./settings.mts";

const folders = process.argv.slice(2);
const { WEBHOOK = "", EVERY_SECONDS = "900" } = process.env;
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

async function lookAt(cwd: string): Promise<DriftOutcome> {
  const context = openContext({ ...settings(), cwd, state: ".rnv/state.json", signal: stopping.signal });
  try {
    return await drift(context);
  } finally {
    await context.close();
  }
}

/** Exit code 2 is drift; any other but 0 means that nothing is known. */
function wordsFor({ exitCode, report, diagnostics }: DriftOutcome): string {
  const found = [...(report && "drifted" in report ? report.drifted : [])].map(({ address }) => address);
  const missing = report && "missing" in report ? report.missing.map(({ address }) => address) : [];
  if (exitCode === 0) return "no drift";
  if (exitCode === 2) return `drift: ${[...found, ...missing].join(", ")}`;
  return `not checked: ${diagnostics.map(({ summary }) => summary).join("; ")}`;
}

const told = new Map<string, string>();

while (!stopping.signal.aborted) {
  for (const folder of folders) {
    const words = wordsFor(await lookAt(folder));
    if (stopping.signal.aborted || told.get(folder) === words) continue;
    told.set(folder, words);
    console.log(`${folder}: ${words}`);
    if (WEBHOOK !== "")
      await fetch(WEBHOOK, { method: "POST", body: JSON.stringify({ text: `${folder}: ${words}` }) });
  }
  await sleep(Number(EVERY_SECONDS) * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
}
