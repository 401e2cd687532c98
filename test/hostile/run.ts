import { writeFigures } from "../support/figures-page";
import { ownTempFolder } from "../support/temp-folder";
import { judgeMutations } from "./judge-mutations";
import { judgeLeaks } from "./leaks";
import { openTargets } from "./targets";

/** `npx tsx test/hostile/run.ts [cases] [seed]`: mutations of everything that is read from outside; exits 1 when one did not end cleanly. */
async function main(): Promise<void> {
  ownTempFolder();
  const [cases = 100_000, seed = 1] = process.argv.slice(2).map(Number);
  const opened = new Set<string>();
  const targets = await openTargets(opened);
  let failed = opened.size;
  const verdicts: { readonly kind: string; readonly cases: number }[] = [];
  console.log("kind      cases     accepted  slowest  failures");
  for (const target of targets) {
    const verdict = await judgeMutations(target, Math.ceil(cases / targets.length), seed);
    failed += verdict.failures.length;
    verdicts.push({ kind: `a changed ${changed[verdict.kind] ?? verdict.kind}`, cases: verdict.cases });
    const { kind, cases: run, accepted, slowestMs, failures } = verdict;
    const cells = [
      kind.padEnd(8),
      String(run).padEnd(8),
      String(accepted).padEnd(8),
      `${slowestMs} ms`.padEnd(7),
    ];
    console.log(`${cells.join("  ")}  ${failures.length}`);
    for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
  }
  const leaks = judgeLeaks(Math.ceil(cases / 5), seed);
  for (const { kind, cases: run, failures } of leaks) {
    failed += failures.length;
    console.log(`${kind}: ${run} cases, ${failures.length} failures`);
    for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
  }
  for (const path of opened) console.log(`opened outside the project: ${path}`);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`most memory: ${megabytes} MiB`);
  if (process.argv.length === 2 && failed === 0)
    writeFigures("tested", "hostile", figuresOf([...verdicts, ...leaks], megabytes));
  process.exit(failed > 0 ? 1 : 0);
}

/** What is changed, in words for readers, by the kind of a target. */
const changed: Readonly<Record<string, string>> = {
  YAML: "manifest",
  JSON: "stack",
  plan: "saved plan",
  response: "answer of the platform",
};

const figuresOf = (
  played: readonly { readonly kind: string; readonly cases: number }[],
  megabytes: number,
): string =>
  `| attack | cases |
|---|---|
${played.map(({ kind, cases }) => `| ${kind} | ${cases.toLocaleString("en-US")} |`).join("\n")}

Each changed text was read and ended with a result or a clean error, within ${megabytes} MiB for all of them in one process. No output showed a value, and none held a line that a CI runner obeys.

\`npx tsx test/hostile/run.ts\` plays this.`;

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
