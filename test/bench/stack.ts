import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { App, TerraformResource, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type * as Constructs from "../../src/cdktf/cdktf";
import { SourceFile } from "../../src/diagnostics/diagnostic";
import type * as Resources from "../../src/resources";
import type * as Document from "../../src/stack/document";
import type * as Load from "../../src/stack/load-desired";
import { median } from "./measure";

/**
 * Stacks of 2,000 services (npm run build, then npx tsx test/bench/stack.ts [rounds]). Prints three ratios, each the median
 * of pairs taken in turn in one process:
 * - synth through our constructs against subclasses of TerraformResource written by hand, which write the same JSON, a service
 *   and its deployment: at most 1.3;
 * - reading, the text to a document in which every value has its place, against JSON.parse of it: no limit;
 * - checking, the text to a desired state with every reference, value and order checked, against JSON.parse: no limit.
 * What is ours comes from dist: tsx gives every closure its name at run time, which costs more than the work itself.
 */
const services = 2_000;

const built = (path: string) => require(join(__dirname, "..", "..", "dist", path));
const { Project, RnvProvider, Service } = built("cdktf/cdktf.js") as typeof Constructs;
const { loadDesired } = built("stack/load-desired.js") as typeof Load;
const { parseStackDocument } = built("stack/document.js") as typeof Document;
const { resourceTypes } = built("resources/index.js") as typeof Resources;

interface HandProps {
  readonly name: string;
  readonly kind: string;
  readonly projectId: string;
  readonly configuration: { readonly repository: string; readonly runtime: string; readonly port: number };
}

/** What a careful user would write, or a generator: nothing but this type. */
class HandService extends TerraformResource {
  readonly #props: HandProps;

  constructor(scope: Construct, id: string, props: HandProps) {
    super(scope, id, {
      terraformResourceType: "rnv_service",
      terraformGeneratorMetadata: { providerName: "rnv" },
    });
    this.#props = props;
  }

  get url(): string {
    return this.getStringAttribute("url");
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const { name, kind, projectId, configuration } = this.#props;
    const { repository, runtime, port } = configuration;
    return { name, kind, project_id: projectId, configuration: { repository, runtime, port } };
  }
}

/** The deployment that a service has: applied after it, and again when it changes. */
class HandDeployment extends TerraformResource {
  readonly #service: HandService;

  constructor(service: HandService, id: string) {
    super(service, id, {
      terraformResourceType: "rnv_deployment",
      terraformGeneratorMetadata: { providerName: "rnv" },
      dependsOn: [service],
    });
    this.#service = service;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const name = `rnv_service.${this.#service.friendlyUniqueId}`;
    const kept = `{ for name, value in ${name}.configuration : name => value if !contains(["description","notifications","auto_deploy"], name) }`;
    return {
      service_id: this.#service.getStringAttribute("id"),
      triggers: { configuration: `\${jsonencode(try(${kept}, null))}`, service: this.#service.url },
    };
  }
}

type Define = (stack: TerraformStack, project: Constructs.Project, id: string, i: number) => void;

const configuration = (i: number) => ({
  repository: `https://git.example.com/shop/${i}`,
  runtime: "node",
  port: 8000,
});

const ours: Define = (stack, project, id, i) => {
  new Service(stack, id, { name: id, kind: "web", projectId: project.id, configuration: configuration(i) });
};

const byHand: Define = (stack, project, id, i) => {
  const service = new HandService(stack, id, {
    name: id,
    kind: "web",
    projectId: project.id,
    configuration: configuration(i),
  });
  new HandDeployment(service, "deploy");
};

/** Milliseconds of a program from its first construct to the files of its synth. */
function synth(define: Define, folder: string): number {
  const started = performance.now();
  const app = new App({ outdir: folder });
  const stack = new TerraformStack(app, "shop");
  new RnvProvider(stack, "rnv");
  const project = new Project(stack, "shop", { name: "Shop" });
  for (let i = 0; i < services; i += 1) define(stack, project, `service-${i}`, i);
  app.synth();
  return performance.now() - started;
}

/** Ratios of a to b, measured in turn after one round of warming up. */
async function ratios(rounds: number, a: () => number | Promise<number>, b: () => number | Promise<number>) {
  const times: { a: number[]; b: number[] } = { a: [], b: [] };
  for (let i = 0; i <= rounds; i += 1) {
    const [first, second] = [await a(), await b()];
    if (i === 0) continue;
    times.a.push(first);
    times.b.push(second);
  }
  return {
    a: median(times.a),
    b: median(times.b),
    ratio: median(times.a.map((ms, i) => ms / (times.b[i] as number))),
  };
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const line = (what: string, found: { a: number; b: number; ratio: number }, most?: number): string =>
  `${what}: ${found.a.toFixed(1)} ms / ${found.b.toFixed(1)} ms = ${found.ratio.toFixed(2)}${most === undefined ? "" : ` (at most ${most})`}\n`;

async function main(): Promise<void> {
  const rounds = Number(process.argv[2] ?? 9);
  const folder = mkdtempSync(join(tmpdir(), "rnv-bench-stack-"));
  try {
    const synthesis = await ratios(
      rounds,
      () => synth(ours, folder),
      () => synth(byHand, folder),
    );
    synth(ours, folder);
    const file = join("stacks", "shop", "cdk.tf.json");
    const text = readFileSync(join(folder, file), "utf8");
    const parse = () => timed(() => JSON.parse(text));
    const reading = await ratios(rounds, () => timed(() => read(text)), parse);
    const checking = await ratios(rounds, () => load(folder), parse);
    process.stdout.write(
      line(`synth of ${services} services, our constructs / by hand`, synthesis, 1.3) +
        line(
          `reading ${(text.length / 1e6).toFixed(2)} MB of JSON, every value with its place / JSON.parse`,
          reading,
        ) +
        line("checking it, from the text to the desired state / JSON.parse", checking),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(text: string): void {
  if (!("root" in parseStackDocument(new SourceFile("cdk.tf.json"), text)))
    throw new Error("the stack is not JSON");
}

async function load(cwd: string): Promise<number> {
  const started = performance.now();
  const { desired } = await loadDesired({
    files: ["."],
    cwd,
    types: resourceTypes,
    environment: {},
    secrets: "resolve",
  });
  const ms = performance.now() - started;
  if (desired?.resources.size !== 2 * services + 1) throw new Error("the stack was not read as a whole");
  return ms;
}

void main();
