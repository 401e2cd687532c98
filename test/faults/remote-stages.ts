import { buildRnv } from "./build-rnv";
import type { RemoteKind } from "./remote-server";
import { scenarios } from "./scenarios";
import { type Stage, stageOf } from "./stage";

/** What is played with a state on a server, on which kind of server, and every how many cases. */
const played: readonly (readonly [RemoteKind, string, number])[] = [
  ["http", "update", 1],
  ["http", "no-op", 1],
  ["http", "create-all", 5],
  ["http-lax", "delete", 1],
  ["http-lax", "replace", 5],
  ["http-lax", "create-all", 5],
  ["s3", "update", 1],
  ["s3", "no-op", 1],
  ["s3", "create-all", 5],
  ["s3-sealed", "delete", 1],
  ["s3-sealed", "mixed", 5],
];

export async function remoteStages(): Promise<Stage[]> {
  const rnv = await buildRnv();
  const stages: Stage[] = [];
  for (const [kind, name, thinned] of played)
    for (const scenario of scenarios.filter((one) => one.name === name))
      stages.push({ ...(await stageOf(rnv, scenario, kind)), thinned });
  return stages;
}
