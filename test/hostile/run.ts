import { ownTempFolder } from "../support/temp-folder";
import { judgeMutations } from "./judge-mutations";
import { openTargets } from "./targets";

/** `npm run hostile [cases] [seed]`: mutations of everything that is read from outside; exits 1 when one did not end cleanly. */
async function main(): Promise<void> {
  ownTempFolder();
  const [cases = 100_000, seed = 1] = process.argv.slice(2).map(Number);
  const opened = new Set<string>();
  const targets = await openTargets(opened);
  let failed = opened.size;
  console.log("kind      cases     accepted  slowest  failures");
  for (const target of targets) {
    const verdict = await judgeMutations(target, Math.ceil(cases / targets.length), seed);
    failed += verdict.failures.length;
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
  for (const path of opened) console.log(`opened outside the project: ${path}`);
  console.log(`most memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);
  process.exit(failed > 0 ? 1 : 0);
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
