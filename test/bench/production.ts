import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Shape } from "./data";
import { inPairs, measure, type Program, times } from "./measure";
import { atMost, idealRow, type Row, ratioRow, valuesRow } from "./row";
import { type Measurement, quiet } from "./rows";
import type { BenchService } from "./service";
import type { Site, Workbench } from "./workbench";

/** Answers late from now on. Returns the reads of the program, and the time that they take 32 at a time. */
export async function requestsOf(service: BenchService, latencyMs: number, program: Program) {
  service.delay(latencyMs);
  await service.report();
  await measure(program);
  const { reads } = await service.report();
  return { reads, ideal: Math.ceil(reads.length / 32) * latencyMs };
}

const shape: Shape = { count: 300, width: "lean", variables: 2 };
export const described = "300 services with two variables each";

/** A plan beside its requests, and beside a client that only sends those; on a platform that answers after a while. */
function late(latencyMs: number, target?: Row["target"]): Measurement {
  return {
    name: `production-${latencyMs}`,
    run: async (bench, pairs) => {
      const site = await bench.existing(shape);
      const program = { ...site.rnv("plan"), shows: quiet };
      const { reads, ideal } = await requestsOf(site.service, latencyMs, program);
      writeFileSync(join(site.folder, "reads.json"), JSON.stringify(reads));
      const compared = await inPairs(program, site.bare("reads", 32), pairs);
      const name = `no-op plan, ${described}, ${latencyMs} ms latency`;
      return [
        ...(latencyMs > 0 ? [idealRow(name, compared.a, ideal, target)] : []),
        ratioRow(name, "a bare undici client", compared, undefined, ["rnv", "a bare undici client"]),
      ];
    },
  };
}

const large: Measurement = {
  name: "production-1000",
  run: async (bench, pairs) => {
    const { service, rnv } = await bench.existing({ ...shape, count: 1000, variables: 1 });
    service.delay(50);
    const took = await times(pairs, async () => (await measure({ ...rnv("plan"), shows: quiet })).ms);
    const name = "no-op plan, 1,000 services with a variable each, 50 ms latency";
    return [valuesRow(name, "wall", took, "ms", atMost(2600))];
  },
};

async function ofManifests(bench: Workbench): Promise<Site> {
  const site = await bench.declared({ ...shape, perProject: 30, isSplit: "fleet" });
  await measure(site.rnv("fleet", "apply", "-auto-approve"));
  return site;
}

/** Another verb that reads everything, beside its requests. */
function verb(
  words: readonly string[],
  of = described,
  open = (bench: Workbench): Promise<Site> => bench.existing(shape),
): Measurement {
  return {
    name: `production-${words[0]}`,
    run: async (bench, pairs) => {
      const { service, rnv } = await open(bench);
      const program = rnv(...words);
      const { ideal } = await requestsOf(service, 50, program);
      const took = await times(pairs, async () => (await measure(program)).ms);
      return [idealRow(`\`rnv ${words.join(" ")}\`, ${of}, 50 ms latency`, took, ideal)];
    },
  };
}

const measured: readonly Measurement[] = [
  late(0),
  late(20),
  late(50, atMost(2)),
  large,
  verb(["drift"]),
  verb(["status"]),
  verb(["ci", "plan"]),
  verb(["fleet", "plan"], `${described} in ten manifests`, ofManifests),
];

/** Plans, drift and status as users wait for them: with variables, on a platform that takes its time. */
export const production = measured.map((one) => ({ ...one, section: "production" }));
