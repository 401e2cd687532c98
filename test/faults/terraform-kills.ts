import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatorImage } from "../../src/emulator/emulator";
import { CrashFolder, everything, type Killing } from "../support/crash-folder";

/** A command of Terraform that writes, from a service and a state that another one left. */
interface Stage {
  readonly name: string;
  /** Undefined destroys all. */
  readonly configuration: string | undefined;
  readonly command: readonly string[];
}

/** A service that is replaced loses its position: the layout is created again with it. */
const withLayoutAgain = (configuration: string): string =>
  configuration.replace(
    "depends_on = [rnv_service.api]",
    "lifecycle { replace_triggered_by = [rnv_service.api.id] }\n  depends_on = [rnv_service.api]",
  );

/** A replacement that is created first needs a name of its own; what depends on it is created first with it. */
const createdFirst = (configuration: string): string =>
  configuration
    .replace('name       = "api"', 'name = "site"\n  lifecycle { create_before_destroy = true }')
    .replace("{ api = {", "{ site = {");

const applied = (name: string, configuration: string): Stage => ({
  ...{ name, configuration: withLayoutAgain(configuration) },
  command: ["apply", "-auto-approve", "-input=false"],
});

const stages: readonly Stage[] = [
  applied("create", everything("1")),
  applied("update", everything("2").replace('A = "one"', 'A = "other"')),
  applied("replace", everything("2", "worker").replace('A = "one"', 'A = "other"')),
  applied(
    "replace, created first,",
    createdFirst(everything("2", "web").replace('A = "one"', 'A = "other"')),
  ),
  { name: "destroy", configuration: undefined, command: ["destroy", "-auto-approve", "-input=false"] },
];

/** The service and the state between two stages. */
interface Standing {
  readonly image: EmulatorImage | undefined;
  readonly state: string | undefined;
}

/** One kill: at which write of which stage, of which process, and whether the service commits it. */
export interface TerraformKill {
  readonly name: string;
  readonly run: () => Promise<readonly string[]>;
}

/** Returns a kill before and after each write of each stage; every third is one of Terraform itself. */
export async function terraformKills(): Promise<readonly TerraformKill[]> {
  const kills: TerraformKill[] = [];
  let standing: Standing = { image: undefined, state: undefined };
  for (const stage of stages) {
    const from = standing;
    const { next, writes, summary } = await runWhole(stage, from);
    for (const [index, write] of writes.entries())
      for (const when of ["before", "after"] as const) {
        const dies = kills.length % 3 === 2 ? "terraform" : "provider";
        const at = `${stage.name} ${index + 1} of ${writes.length}, ${write}`;
        const name = `${at}: ${dies} dies ${when} it`;
        kills.push({ name, run: () => runKilled(stage, from, { index, when, dies, summary }) });
      }
    standing = next;
  }
  return kills;
}

async function openWorld({ image, state }: Standing, { configuration = "" }: Stage): Promise<CrashFolder> {
  const world = new CrashFolder({ deploySeconds: 0.1, operationSeconds: 0.05, ...(image && { image }) });
  await world.open();
  if (state !== undefined) writeFileSync(join(world.folder, "w", "terraform.tfstate"), state);
  world.write(configuration);
  return world;
}

/** Runs a stage to its end: what it writes, what it leaves, and how that looks. */
async function runWhole(stage: Stage, from: Standing) {
  const world = await openWorld(from, stage);
  try {
    const first = await world.start(...stage.command);
    const sent = world.writes().length;
    // A replacement that is created first stops at the variables of the old service: the same command again ends it.
    if (first.code !== 0) await world.run(stage.command.join(" "));
    const writes = world
      .writes()
      .slice(0, sent)
      .map((write) => write.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID"));
    const next = { image: world.emulator.image(), state: world.stateText() };
    return { next, writes, summary: summaryOf(world) };
  } finally {
    await world.close();
  }
}

/** Returns all that stands at the service and in the state, but for ids and times. */
function summaryOf(world: CrashFolder): string {
  const { store } = world.emulator;
  const services = world.services().map((service) => ({
    ...{ name: service.name, kind: service.kind, branch: service.configuration.branch },
    variables: store
      .variables(service.id)
      .map(({ key }) => key)
      .sort(),
    deployments: store.deployments(service.id).length,
  }));
  const held = world.state().resources.map(({ type, name, instances }) => ({
    ...{ type, name },
    status: instances.map((instance) => ("status" in instance ? instance.status : "good")),
  }));
  return JSON.stringify({ projects: store.projects().map(({ name }) => name), services, held });
}

interface KilledRun extends Required<Pick<Killing, "dies">> {
  /** Number of the write, from 0. */
  readonly index: number;
  readonly when: "before" | "after";
  /** How it looks when nothing dies. */
  readonly summary: string;
}

/** Ends what was cut short, as the messages say: imports what a create stops at, and accepts that all is deleted. */
async function finish(world: CrashFolder, { configuration, command }: Stage): Promise<void> {
  if (configuration !== undefined) {
    // The address of a replacement that is created first is in use: what was created is deleted, as the message says.
    if (configuration.includes("create_before_destroy"))
      for (const { id } of world.services())
        if (!world.stateText().includes(id)) world.emulator.store.deleteServiceNow(id);
    world.settle();
    await world.applyImporting();
    await world.apply();
    return;
  }
  world.settle();
  const { code } = await world.start(...command);
  if (code === 0) return;
  world.write("", "accept_missing = true");
  await world.run(command.join(" "));
}

/** Kills one run, ends it as its messages say, and returns what is not as it would have been. */
async function runKilled(
  stage: Stage,
  from: Standing,
  { index, when, dies, summary }: KilledRun,
): Promise<readonly string[]> {
  const world = await openWorld(from, stage);
  const wrong: string[] = [];
  try {
    let seen = 0;
    const isIt = (): boolean => seen++ === index;
    await world.applyKilledAt(isIt, when, { dies, command: stage.command });
    const [left, state] = [join(world.folder, "left.tfstate"), join(world.folder, "w", "terraform.tfstate")];
    // Terraform that is killed while it writes its state leaves an empty file, and a backup to put in its place.
    if (existsSync(`${state}.backup`) && world.stateText() === "") copyFileSync(`${state}.backup`, state);
    if (world.state().resources.length > 0) {
      copyFileSync(state, left);
      if (readFileSync(left, "utf8").includes('"tainted"')) wrong.push("tainted");
    }
    await finish(world, stage);
    const after = summaryOf(world);
    if (after !== summary) wrong.push(`${after}\ninstead of ${summary}`);
    const plan = await world.start("plan", "-input=false", "-detailed-exitcode");
    if (stage.configuration !== undefined && plan.code !== 0)
      wrong.push(`plan is not empty:\n${plan.output}`);
  } finally {
    await world.close();
  }
  return wrong;
}
