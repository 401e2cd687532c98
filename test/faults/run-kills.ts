import { ownTempFolder } from "../support/temp-folder";
import { type RealKill, realKill } from "./real-kill";

const atOnce = 2;

/** `npm run kills`: 300 real processes killed, stopped and left without a disk; the first argument says how many. */
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
  const fired = done.filter((result) => result.fired).length;
  console.log(
    `${done.length} kills, ${fired} fired, ${failed} failed, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    process.exit(1);
  },
);
