import { writeFigures } from "../support/figures-page";
import { ownTempFolder } from "../support/temp-folder";
import { type RealKill, realKill } from "./real-kill";

const atOnce = 2;

/** Of so many at least is the run struck between its first write and its last. */
const hitShare = 0.8;

/**
 * `npx tsx test/faults/run-kills.ts`: 300 real processes killed, stopped and left without a disk, about a quarter of an hour; the first
 * argument says how many. Fails when fewer than four of five were struck while they wrote.
 */
async function main(): Promise<number> {
  ownTempFolder();
  const total = Number(process.argv[2] ?? 300);
  const startedAt = Date.now();
  const done: RealKill[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let seed = next++; seed < total; seed = next++) {
      const result = await realKill(seed);
      done.push(result);
      for (const fault of result.faults) console.log(`FAILURE ${result.name}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const failed = done.filter(({ faults }) => faults.length > 0).length;
  const hit = done.filter((result) => result.hit).length;
  const target = Math.ceil(total * hitShare);
  console.log(
    `${done.length} kills, ${hit} hit between the first and the last write (target ${target}), ${failed} failed, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  if (process.argv.length === 2 && failed === 0)
    writeFigures(
      "tested",
      "kills",
      `${total} runs of the built program were killed, stopped or left without a disk, ${hit} of them between their first and last write. None failed.\n\n\`npx tsx test/faults/run-kills.ts\` plays this.`,
    );
  return failed === 0 && hit >= target ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    process.exit(1);
  },
);
