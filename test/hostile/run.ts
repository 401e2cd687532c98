import { writeFigures } from "../support/figures-page";
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
  let played = 0;
  console.log("kind      cases     accepted  slowest  failures");
  for (const target of targets) {
    const verdict = await judgeMutations(target, Math.ceil(cases / targets.length), seed);
    failed += verdict.failures.length;
    played += verdict.cases;
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
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`most memory: ${megabytes} MiB`);
  if (process.argv.length === 2 && failed === 0)
    writeFigures("tested", "hostile", figuresOf(played, megabytes));
  process.exit(failed > 0 ? 1 : 0);
}

const figuresOf = (played: number, megabytes: number): string =>
  `${played.toLocaleString("en-US")} changed copies of everything that is read from outside (manifests, stacks, states, plans, answers) were read. Each ended with a result or a clean error, within ${megabytes} MiB for all of them in one process.

\`npm run hostile\` plays this.`;

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
