import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { placeNodes } from "../../src/report/html/place-nodes";
import { s3Environment, serveS3 } from "../support/s3-server";
import type { Shape } from "./data";
import { inPairs, measure, median, type Program, peakMegabytes, times } from "./measure";
import { measurePage } from "./page";
import { atLeast, atMost, type ByNode, idealRow, onThisNode, type Row, ratioRow, valuesRow } from "./row";
import type { ServiceOptions, Writes } from "./service";
import type { Site, Workbench } from "./workbench";

/** Makes some rows; `pairs` is how many A B pairs are wanted. */
export interface Measurement {
  readonly name: string;
  readonly needsTerraform?: boolean;
  /** Section of the page, where its rows are in none with others. */
  readonly section?: string;
  readonly run: (bench: Workbench, pairs: number) => Promise<readonly Row[]>;
}

export const quiet = "No changes. Your infrastructure matches the configuration.";

const start: Measurement = {
  name: "start",
  run: async (bench, pairs) => {
    const site = await bench.declared({ count: 1, width: "lean" });
    const node: Program = { ...site.rnv(), args: ["-e", "0"] };
    const compared = await inPairs(site.rnv("version"), node, pairs);
    return [ratioRow("`rnv version`", "wall / `node -e 0`", compared, atMost(1.25), ["rnv", "node"])];
  },
};

const planOf = async (bench: Workbench, shape: Shape): Promise<Program> => ({
  ...(await bench.existing(shape)).rnv("plan"),
  shows: quiet,
});

/** A no-op plan against `terraform plan` of as many `terraform_data` with an equally sized input. */
function againstTerraform(shape: Shape, targets: ByNode): Measurement {
  const fields = shape.width === "lean" ? "12 fields" : "all 48 fields";
  return {
    name: `plan-${shape.width}-${shape.count}`,
    needsTerraform: true,
    run: async (bench, pairs) => {
      const terraform = await bench.terraformSite(shape, true);
      const planned = { ...terraform.run("plan", "-input=false"), shows: "No changes" };
      const compared = await inPairs(await planOf(bench, shape), planned, pairs);
      const name = `no-op plan, ${shape.count.toLocaleString("en")} services, ${fields}`;
      return [ratioRow(name, "wall / `terraform plan`", compared, onThisNode(targets), ["rnv", "terraform"])];
    },
  };
}

function againstFloor(shape: Shape): Measurement {
  const fields = shape.width === "lean" ? "12 fields" : "all 48 fields";
  return {
    name: `floor-${shape.width}-${shape.count}`,
    run: async (bench, pairs) => {
      const site = await bench.existing(shape);
      const compared = await inPairs(await planOf(bench, shape), site.floor(), pairs);
      const name = `no-op plan, ${shape.count.toLocaleString("en")} services, ${fields}`;
      return [ratioRow(name, "wall / floor program", compared, undefined, ["rnv", "floor"])];
    },
  };
}

const memory: Measurement = {
  name: "memory",
  run: async (bench, pairs) => {
    const peaks = async (width: Shape["width"]): Promise<number[]> => {
      const program = await planOf(bench, { count: 2000, width });
      return times(pairs, () => peakMegabytes(program));
    };
    return [
      valuesRow(
        "memory of the plan of 2,000, 12 fields",
        "peak resident",
        await peaks("lean"),
        "MB",
        onThisNode({ 20: 165, 22: 165 }),
      ),
      valuesRow(
        "memory of the plan of 2,000, all 48 fields",
        "peak resident",
        await peaks("full"),
        "MB",
        onThisNode({ 20: 225, 22: 225 }),
      ),
    ];
  },
};

const growth: Measurement = {
  name: "growth",
  run: async (bench, pairs) => {
    const many = await planOf(bench, { count: 5000, width: "lean" });
    const few = await planOf(bench, { count: 500, width: "lean" });
    const flat = await planOf(bench, { count: 2000, width: "lean" });
    const chained = await planOf(bench, { count: 2000, width: "lean", chained: true });
    return [
      ratioRow("growth of the plan", "wall at 5,000 / at 500", await inPairs(many, few, pairs), atMost(6), [
        "5,000",
        "500",
      ]),
      ratioRow(
        "chain of references in layers of ten, 2,000 services",
        "wall / flat",
        await inPairs(chained, flat, pairs),
        atMost(1.3),
        ["chain", "flat"],
      ),
    ];
  },
};

/** 20,000 services in 50 projects, each in a file of its own. */
const large: Measurement = {
  name: "large",
  run: async (bench, pairs) => {
    const shape = { count: 20_000, width: "lean", perProject: 400, isSplit: true } as const;
    const many = await planOf(bench, shape);
    const few = await planOf(bench, { count: 2000, width: "lean" });
    const compared = await inPairs(many, few, pairs);
    const name = "no-op plan, 20,000 services in 50 projects and files";
    const peaks = await times(Math.min(pairs, 3), () => peakMegabytes(many));
    const frugal = { ...many, args: ["--max-old-space-size=350", ...many.args] };
    const frugalPeaks = await times(Math.min(pairs, 3), () => peakMegabytes(frugal));
    return [
      valuesRow(name, "wall", compared.a, "ms", atMost(4000)),
      valuesRow(name, "peak resident", peaks, "MB", atMost(700)),
      valuesRow(name, "peak resident with --max-old-space-size=350", frugalPeaks, "MB", atMost(450)),
      ratioRow(name, "wall / that of 2,000", compared, atMost(12), ["20,000", "2,000"]),
    ];
  },
};

/** 100 manifests of 20 services in one workspace, which is read once. */
const fleet: Measurement = {
  name: "fleet",
  run: async (bench, pairs) => {
    const site = await bench.declared({ count: 2000, width: "lean", perProject: 20, isSplit: "fleet" });
    await measure(site.rnv("fleet", "apply", "-auto-approve"));
    const whole = { ...site.rnv("fleet", "drift"), shows: "Fleet: 100 members: 100 clean." };
    const one = { ...site.rnv("drift"), cwd: join(site.folder, "p0") };
    const compared = await inPairs(whole, one, pairs);
    const name = "drift of 100 manifests of 20 services in one workspace";
    return [
      valuesRow(name, "wall", compared.a, "ms", atMost(10_000)),
      ratioRow(name, "wall / that of one", compared, atMost(50), ["all", "one"]),
    ];
  },
};

/** A state in S3, on this machine, beside the same state on disk. */
const remoteState: Measurement = {
  name: "s3",
  run: async (bench, pairs) => {
    const site = await bench.existing({ count: 1, width: "lean" });
    const server = await serveS3();
    const onDisk = { ...site.rnv("plan"), shows: quiet };
    const RNV_STATE = `s3://bucket/state.json?endpoint=${server.url}`;
    const env = { ...onDisk.env, ...s3Environment, RNV_STATE };
    await measure({ ...site.rnv("state", "push", join(site.folder, ".rnv/state.json")), env });
    const { a, b } = await inPairs({ ...onDisk, env }, onDisk, pairs);
    await server.close();
    const added = a.map((ms, i) => ms - (b[i] as number));
    const medians = { "in S3": median(a), "on disk": median(b) };
    return [valuesRow("state in S3", "added to the plan", added, "ms", atMost(200), medians)];
  },
};

/** The ten policies of the example, which stop nothing here, on a plan that makes 2,000 services. */
const policies: Measurement = {
  name: "policies",
  run: async (bench, pairs) => {
    const site = await bench.declared({ count: 2000, width: "lean" });
    const rules = readFileSync(join(__dirname, "../../examples/policies/rnv.policy.yaml"), "utf8");
    const file = join(site.folder, "advisory.policy.yaml");
    writeFileSync(file, rules.replace(/level: \w+/g, "level: advisory"));
    const { a, b } = await inPairs(site.rnv("plan", "-policy", file), site.rnv("plan"), pairs);
    const added = a.map((ms, i) => ms - (b[i] as number));
    const medians = { "with policies": median(a), without: median(b) };
    return [
      valuesRow("ten policies of 2,000 changes", "added to the plan", added, "ms", atMost(100), medians),
    ];
  },
};

/** The page of the largest plan of a workspace. */
const page: Measurement = {
  name: "page",
  run: async (bench, pairs) => {
    const { megabytes, opened } = await measurePage(bench, pairs);
    const name = "page of a plan that makes 2,000 services, all fields";
    return [
      valuesRow(name, "size", [megabytes], "MB", atMost(2)),
      valuesRow(name, "opened and drawn in chromium", opened, "ms", atMost(1000)),
    ];
  },
};

/** The largest picture that shows services: 300 of them in one project, with 250 references, as dagre lays it out. */
const layout: Measurement = {
  name: "layout",
  run: async (_, pairs) => {
    const nodes = Array.from({ length: 300 }, (_, i) => ({ id: `service.shop.s${i}`, box: "project.shop" }));
    const edges = Array.from({ length: 250 }, (_, i) => ({
      from: `service.shop.s${i + 1}`,
      to: `service.shop.s${Math.floor(i / 3)}`,
      names: ["DATABASE_URL"],
    }));
    const took = Array.from({ length: pairs }, () => {
      const begun = process.cpuUsage();
      placeNodes({ nodes, edges }, () => 200);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 1000;
    });
    const name = "picture of 300 services and 250 references";
    return [valuesRow(name, "laid out, processor time", took, "ms", atMost(300))];
  },
};

interface Applied {
  /** First create to last answer, as the service saw it. */
  readonly createsMs: number;
  readonly writes: readonly Writes[];
  /** Whole process. */
  readonly wallMs: number;
}

type Creator = (site: Site, parallelism: number) => Program;

const byRnv: Creator = (site, parallelism) =>
  site.rnv("apply", "-auto-approve", "-parallelism", String(parallelism));
const byBareClient: Creator = (site, parallelism) => site.bare("creates", parallelism);

/** Makes services that do not exist, at a new service. */
async function applyNew(
  bench: Workbench,
  shape: Shape,
  parallelism: number,
  options: ServiceOptions,
  creator = byRnv,
): Promise<Applied> {
  const site = await bench.declared(shape, options);
  const run = await measure(creator(site, parallelism));
  const { writes } = await site.service.report();
  await site.service.stop();
  rmSync(site.folder, { recursive: true, force: true });
  const creates = writes.filter(({ isCreate, status }) => isCreate && status === 200);
  if (creates.length !== shape.count) throw new Error(`${creates.length} of ${shape.count} were created`);
  const first = Math.min(...creates.map(({ at }) => at));
  return { createsMs: Math.max(...creates.map(({ end }) => end)) - first, writes, wallMs: run.ms };
}

const latencyMs = 20;

/** Creates, first request to last answer, beside those of a client that does nothing else, in turn. */
function creates(count: number, parallelism: number, target?: number): Measurement {
  return {
    name: `apply-${count}-${parallelism}`,
    run: async (bench, pairs) => {
      const take = (creator: Creator) => async (): Promise<number> =>
        (await applyNew(bench, { count, width: "lean" }, parallelism, { latencyMs }, creator)).createsMs;
      const besideBare = await inPairs(take(byRnv), take(byBareClient), pairs);
      const name = `${count.toLocaleString("en")} creates, ${parallelism} at a time, 20 ms latency`;
      const most = target === undefined ? undefined : atMost(target);
      return [
        idealRow(name, besideBare.a, Math.ceil(count / parallelism) * latencyMs),
        ratioRow(name, "a bare undici client", besideBare, most, ["rnv", "a bare undici client"]),
      ];
    },
  };
}

const againstTerraformApply: Measurement = {
  name: "apply-terraform",
  needsTerraform: true,
  run: async (bench) => {
    const shape: Shape = { count: 2000, width: "lean" };
    const terraform = await bench.terraformSite(shape, false);
    const before = (): void => rmSync(join(terraform.folder, "terraform.tfstate"), { force: true });
    const compared = await inPairs(
      async () => (await applyNew(bench, shape, 32, {})).wallMs,
      { ...terraform.run("apply", "-auto-approve", "-input=false"), before },
      // Terraform takes minutes, and the ratio is far from its target.
      1,
    );
    const name = "2,000 creates without latency";
    return [
      ratioRow(name, "wall / `terraform apply`, local state", compared, atMost(0.1), ["rnv", "terraform"]),
    ];
  },
};

/** A service that takes so many requests a second: its rate after the first five seconds, and its refusals. */
function underLimit(requests: number): Measurement {
  return {
    name: `limit-${requests}`,
    run: async (bench, pairs) => {
      const runs = await times(pairs, () =>
        applyNew(bench, { count: requests * 15, width: "lean" }, 32, {
          latencyMs,
          rateLimit: { requests, perSeconds: 1 },
        }),
      );
      const shares = runs.map(({ writes }) => (100 * settledRate(writes)) / requests);
      const refusals = runs.map(
        ({ writes }) => (100 * writes.filter(({ status }) => status === 429).length) / writes.length,
      );
      const name = `limit of ${requests} requests/s`;
      return [
        valuesRow(name, "of the limit, from the fifth second on", shares, "%", atLeast(80)),
        valuesRow(name, "refused", refusals, "%", atMost(5)),
      ];
    },
  };
}

/** Accepted writes per second between the fifth second and the last answer. */
function settledRate(writes: readonly Writes[]): number {
  const from = Math.min(...writes.map(({ at }) => at)) + 5000;
  const accepted = writes.filter(({ at, status }) => status === 200 && at >= from);
  const last = Math.max(...accepted.map(({ at }) => at));
  return (accepted.length * 1000) / (last - from);
}

const journal: Measurement = {
  name: "journal",
  run: async (bench, pairs) => {
    const perWrite: number[] = [];
    const apply = (count: number) => async (): Promise<number> => {
      const { createsMs, wallMs } = await applyNew(bench, { count, width: "lean" }, 32, {});
      if (count === 5000) perWrite.push(createsMs / count);
      return wallMs;
    };
    const compared = await inPairs(apply(5000), apply(500), pairs);
    return [
      ratioRow("growth of apply", "wall of 5,000 creates / of 500", compared, atMost(11), ["5,000", "500"]),
      valuesRow(
        "5,000 creates without latency",
        "whole time per create: request, service, intent, outcome",
        perWrite,
        "ms",
        atMost(1),
      ),
    ];
  },
};

export const measurements: readonly Measurement[] = [
  start,
  againstTerraform({ count: 100, width: "lean" }, { 20: 0.98, 22: 0.82, 24: 0.85 }),
  againstTerraform({ count: 2000, width: "lean" }, { 20: 0.155, 22: 0.135, 24: 0.13 }),
  againstTerraform({ count: 5000, width: "lean" }, { 20: 0.09, 22: 0.08, 24: 0.08 }),
  againstTerraform({ count: 100, width: "full" }, { 22: 0.35 }),
  againstTerraform({ count: 2000, width: "full" }, { 22: 0.05 }),
  againstFloor({ count: 2000, width: "lean" }),
  againstFloor({ count: 2000, width: "full" }),
  memory,
  growth,
  large,
  fleet,
  policies,
  remoteState,
  page,
  layout,
  creates(500, 10),
  creates(500, 32, 1.45),
  creates(5000, 32, 1.35),
  againstTerraformApply,
  underLimit(40),
  underLimit(100),
  underLimit(400),
  journal,
];
