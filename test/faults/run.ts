import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { writeFigures } from "../support/figures-page";
import { ownTempFolder } from "../support/temp-folder";
import { casesOf } from "./cases";
import { plantedBugs } from "./planted-bugs";
import { play } from "./play";
import { randomCase } from "./random-case";
import { remoteStages } from "./remote-stages";
import { missingStops, newStops, writeStops } from "./stops";
import { add, emptyTally, type Tally } from "./tally";
import { allStages, readingsOf, type Share } from "./worker";

/**
 * `npm run faults`: the whole matrix and the random seeds. Arguments: `--only PREFIX`, `--fault EXPRESSION`,
 * `--every N`, `--seeds FROM-TO`,
 * `--trace NAME` replays one case and prints what happened, `--accept-stops` rewrites the list of stop cells,
 * `--soak` continues with ever new seeds until something is found.
 */
async function main(): Promise<number> {
  ownTempFolder();
  const name = option("--trace");
  if (name !== undefined) return replay(name);
  if (process.argv.includes("--soak")) return soak();
  const [from = 0, to = 0] = (option("--seeds") ?? "0-20000").split("-").map(Number);
  const startedAt = Date.now();
  const tally = await playAll({
    only: option("--only") ?? "",
    fault: option("--fault") ?? "",
    every: Number(option("--every") ?? 1),
    seeds: { from, to },
  });
  report(tally, (Date.now() - startedAt) / 1000);
  const isClean = Object.keys(tally.failures).length === 0;
  if (process.argv.length === 2 && isClean) writeFigures("tested", "faults", figuresOf(tally, to - from));
  if (process.argv.includes("--accept-stops")) writeStops(Object.keys(tally.stops));
  const unknown = newStops(Object.keys(tally.stops));
  for (const cell of unknown) console.log(`NEW STOP ${cell} (${tally.stops[cell]?.name})`);
  const missing = process.argv.length === 2 ? missingStops(Object.keys(tally.stops)) : [];
  for (const cell of missing) console.log(`STOP THAT DID NOT COME ${cell}`);
  const isWrong = Object.keys(tally.failures).length + unknown.length + missing.length > 0;
  return isWrong ? 1 : 0;
}

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

async function playAll(share: Pick<Share, "only" | "fault" | "every" | "seeds">): Promise<Tally> {
  const workers = Math.max(2, Math.min(4, availableParallelism()));
  const parts = await Promise.all(
    Array.from({ length: workers }, (_, worker) => inWorker({ ...share, worker, workers })),
  );
  const sum = emptyTally();
  for (const part of parts) add(sum, part);
  return sum;
}

const inWorker = (share: Share): Promise<Tally> =>
  new Promise((resolve, reject) => {
    const child = fork(join(__dirname, "worker.ts"), {
      execArgv: ["--import", "tsx"],
      env: { ...process.env, RNV_FAULTS_WORKER: "1" },
    });
    child.once("message", (tally) => resolve(tally as Tally));
    child.once("exit", (code) => reject(new Error(`a worker ended with ${code}`)));
    child.send(share);
  });

function report(tally: Tally, seconds: number): void {
  console.log("cases   fired  fault");
  for (const [fault, { cases, fired }] of Object.entries(tally.faults).sort())
    console.log(`${String(cases).padStart(5)}  ${String(fired).padStart(6)}  ${fault}`);
  console.log(`${stopped(tally)} cases in ${Object.keys(tally.stops).length} cells end in a stop`);
  for (const [found, { count, names }] of Object.entries(tally.failures).sort())
    console.log(`FAILURE ${count} x ${found}\n${names.map((shown) => `    ${shown}`).join("\n")}`);
  console.log(`${tally.cases} cases in ${seconds.toFixed(0)} s`);
}

/** Returns what `docs/explain/tested.md` says of a whole run. */
function figuresOf(tally: Tally, seeds: number): string {
  const shown = (figure: number): string => figure.toLocaleString("en-US");
  return `| test | result |
|---|---|
| each request, disk call and moment of a run with each fault; kills, power cuts, full disks, stolen locks, two runs, clocks off by 25 hours, reads that lag; states on disk, over HTTP and in S3 | ${shown(tally.cases)} cases, ${shown(seeds)} of them random: nothing lost, nothing created twice, nothing deleted by mistake; ${shown(stopped(tally))} end in a stop that says what to do |
| bugs planted in the sources | ${plantedBugs.length}, each found |

\`npm run faults\` plays this ([test/faults](../../test/faults/README.md)).`;
}

const stopped = ({ stops }: Tally): number => Object.values(stops).reduce((sum, { count }) => sum + count, 0);

async function replay(name: string): Promise<number> {
  const seed = /^seed (\d+)$/.exec(name)?.[1];
  const readings = seed === undefined ? undefined : readingsOf(Number(seed));
  const stages = name.startsWith("remote") ? await remoteStages() : await allStages(readings);
  const random = seed === undefined ? undefined : randomCase(stages, Number(seed));
  const found =
    random ??
    stages
      .flatMap((stage) => [...casesOf(stage)].map((one) => ({ stage, one })))
      .find(({ one }) => one.name.startsWith(name));
  if (found === undefined) throw new Error(`no case is called ${name}`);
  const { trace, ...played } = await play(found.stage, found.one);
  console.log(trace.join("\n"));
  console.log(played);
  if (random !== undefined) console.log(JSON.stringify(random.parts));
  return played.faults.length > 0 ? 1 : 0;
}

async function soak(): Promise<number> {
  const step = 10_000;
  for (let from = Math.floor(Date.now() / 1000) * step; ; from += step) {
    const tally = await playAll({ only: "none", fault: "", every: 1, seeds: { from, to: from + step } });
    console.log(`seeds from ${from}: ${tally.cases} cases, ${Object.keys(tally.failures).length} findings`);
    if (Object.keys(tally.failures).length === 0) continue;
    report(tally, 0);
    return 1;
  }
}

// The AWS SDK warns of Node 20, its bundle does not.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    process.exit(1);
  },
);
