import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { desiredServices, manifestFiles, type Shape, terraformConfiguration, terraformState } from "./data";
import { measure, type Program } from "./measure";
import { type BenchService, type ServiceOptions, startService } from "./service";

const root = resolve(__dirname, "../..");

/** A folder of `rnv` against a service of its own. */
export interface Site {
  readonly folder: string;
  readonly service: BenchService;
  rnv(...args: readonly string[]): Program;
  floor(): Program;
  /** Sends the reads in `reads.json`, or makes all that is declared, in no project; so many at a time. */
  bare(job: "reads" | "creates", parallelism: number): Program;
}

/** Everything a measurement needs, made in a temporary folder and removed afterwards. */
export interface Workbench {
  /** Null where there is no terraform. */
  readonly terraform: string | null;
  /** Services that exist, already applied by rnv. One per shape and run. */
  existing(shape: Shape): Promise<Site>;
  /** Declared services that do not exist yet. */
  declared(shape: Shape, options?: ServiceOptions): Promise<Site>;
  /** A folder of terraform; with `isApplied`, its state says that all of it exists. */
  terraformSite(
    shape: Shape,
    isApplied: boolean,
  ): Promise<{ folder: string; run(...args: string[]): Program }>;
  close(): Promise<void>;
}

export async function createWorkbench(): Promise<Workbench> {
  const home = mkdtempSync(join(tmpdir(), "rnv-bench-"));
  await build({
    entryPoints: [
      join(__dirname, "service-process.ts"),
      join(__dirname, "floor.ts"),
      join(__dirname, "bare-client.ts"),
    ],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    outdir: home,
    logLevel: "warning",
  });
  // A copy, so that a build in the meantime changes nothing.
  for (const part of ["package.json", "dist/bin", "dist/state"])
    cpSync(join(root, part), join(home, part), { recursive: true });
  const rnvEntry = join(home, "dist/bin/rnv.js");
  const started: BenchService[] = [];
  const sites = new Map<string, Promise<Site>>();
  let folders = 0;
  const newFolder = (): string => {
    folders += 1;
    const folder = join(home, `site-${folders}`);
    mkdirSync(folder);
    return folder;
  };
  const declared: Workbench["declared"] = async (shape, options) => {
    const service = await startService(join(home, "service-process.js"), options);
    started.push(service);
    const folder = newFolder();
    for (const [file, text] of manifestFiles(shape)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    writeFileSync(join(folder, "desired.json"), JSON.stringify(desiredServices(shape)));
    const program = (args: readonly string[]): Program => ({
      command: process.execPath,
      args,
      cwd: folder,
      env: service.env,
    });
    return {
      folder,
      service,
      rnv: (...args) => program([rnvEntry, ...args]),
      bare: (job, parallelism) => program([join(home, "bare-client.js"), job, String(parallelism)]),
      floor: () => ({ ...program([join(home, "floor.js")]), shows: "No changes." }),
    };
  };
  return {
    terraform: terraformVersion(),
    declared,
    existing: (shape) => {
      const key = JSON.stringify(shape);
      const made = sites.get(key) ?? appliedSite(() => declared(shape));
      sites.set(key, made);
      return made;
    },
    terraformSite: async (shape, isApplied) => {
      const folder = newFolder();
      writeFileSync(join(folder, "main.tf.json"), terraformConfiguration(shape));
      writeFileSync(join(folder, "terraform.rc"), "disable_checkpoint = true\n");
      const env = { TF_CLI_CONFIG_FILE: join(folder, "terraform.rc"), CHECKPOINT_DISABLE: "1" };
      const run = (...args: string[]): Program => ({ command: "terraform", args, cwd: folder, env });
      await measure(run("init", "-input=false"));
      if (isApplied) writeFileSync(join(folder, "terraform.tfstate"), terraformState(shape));
      return { folder, run };
    },
    close: async () => {
      await Promise.all(started.map((service) => service.stop()));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function appliedSite(make: () => Promise<Site>): Promise<Site> {
  const site = await make();
  await measure(site.rnv("apply", "-auto-approve", "-parallelism", "32"));
  return site;
}

function terraformVersion(): string | null {
  try {
    const text = execFileSync("terraform", ["version", "-json"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, CHECKPOINT_DISABLE: "1" },
    });
    return (JSON.parse(text.toString()) as { terraform_version: string }).terraform_version;
  } catch {
    return null;
  }
}
