import { parseReadings } from "../../src/emulator/readings";
import type { State } from "../../src/model/state";
import { type Case, isLookedFor } from "./cases";
import { apiKeys, type Machine } from "./machine";
import { picture, requestedDeployments } from "./picture";
import { type Ended, Process, type SentWrite } from "./process";
import { remoteFaultsOf, remotePlaces } from "./remote-judge";
import { canary } from "./scenarios";
import { backendOutside, type Stage } from "./stage";

export interface Verdict {
  readonly faults: readonly string[];
}

export interface End extends Verdict {
  /** Live is what is desired, and the next plan is empty. */
  readonly reached: boolean;
  /** Codes that the next plan ends with. */
  readonly codes: string;
}

export interface Run {
  readonly process: Process;
  readonly ended: Ended;
}

/** Everything that must hold after every run, however it ended. */
export async function judgeRun(
  stage: Stage,
  one: Case,
  machine: Machine,
  runs: readonly Run[],
): Promise<Verdict> {
  const read = await stateOf(stage, machine);
  const sent = runs.flatMap(({ process }) => process.sent);
  const last = runs.at(-1);
  return {
    faults: [
      ...read.faults,
      ...(last ? bugs(last) : []),
      ...(last ? exitCodeFaults(stage, machine, last, read.state, one) : []),
      ...(runs.length === 1 && last ? unsaid(one, last) : []),
      ...duplicates(machine),
      ...(one.rival?.overwrites ? [] : orphans(stage, machine, runs, read.state, one)),
      ...unapprovedDeletions(stage, machine, sent, one),
      ...keyFaults(sent),
      ...(last ? resentFaults(last.process.sent) : []),
      ...deploymentFaults(stage, machine, one),
      ...leaks(machine, runs),
      ...remoteFaultsOf(machine, runs, one.rival?.overwrites === true),
    ],
  };
}

/** Whether the end is reached; looks with a plan, which writes nothing. */
export async function judgeEnd(stage: Stage, one: Case, machine: Machine, key: string): Promise<End> {
  const isLive = one.foreign || samePicture(machine, stage, one);
  const before = machine.disk.calls.length;
  const remoteBefore = remoteText(machine);
  const looking = new Process(stage.rnv, machine, {}, key);
  const { plan, diagnostics, bug } = await looking.plan(stage.request);
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  const isEmpty = plan?.changes.every(({ action }) => action === "no-op") === true && codes.length === 0;
  const state = (await stateOf(stage, machine)).state;
  const isSettled =
    state === undefined ||
    (state.open.length === 0 &&
      state.run === null &&
      Object.values(state.resources).every(({ pending }) => pending === undefined));
  return {
    reached: isLive && isEmpty && isSettled,
    codes: [...new Set(codes)].sort().join(" "),
    faults: [
      ...(bug === undefined ? [] : [`plan: ${bug}`]),
      ...(looking.sent.length > 0 ? ["a plan sent a write"] : []),
      ...(machine.disk.calls.length > before ? ["a plan wrote to the disk"] : []),
      ...(remoteText(machine) !== remoteBefore ? ["a plan wrote to the server of the state"] : []),
    ],
  };
}

const remoteText = (machine: Machine): string => JSON.stringify(remotePlaces(machine));

const mayRedeploy = ({ rival, mayRedeploy }: Case): boolean => rival?.steals === true || mayRedeploy === true;

function samePicture(machine: Machine, stage: Stage, one: Case): boolean {
  const { scenario } = stage;
  // A process may die between an uncertain answer and its report: then it is asked for again.
  const mayRepeat = one.name.startsWith("seed ") && !isLookedFor(stage);
  const text = (lines: readonly string[]): string => {
    const all = lines.join("\n");
    if (mayRepeat) return all.replace(/(restart|suspend|resume)=\d+/g, "$1");
    return mayRedeploy(one) ? all.replace(/deployments=\d+/g, "") : all;
  };
  const ending = projectsEnding(machine).map(({ name }) => `project ${name} `);
  const live = picture(machine.emulator.store).filter((line) => !ending.some((one) => line.startsWith(one)));
  return text(live) === text([...scenario.want].sort());
}

/** Returns the projects whose deletion goes on, in readings that do not show them any more: a run takes them to be gone. */
function projectsEnding({ ways: { readings }, emulator: { store } }: Machine) {
  if (readings === undefined || parseReadings(readings).deletingProject !== "gone") return [];
  const isGoingOn = (id: string): boolean =>
    store.operations().some(({ deletes, status }) => deletes?.id === id && /queued|running/.test(status));
  return store.projects().filter(({ id }) => isGoingOn(id));
}

async function stateOf({ rnv }: Stage, machine: Machine): Promise<{ state?: State; faults: string[] }> {
  try {
    return { state: await backendOutside(rnv, machine).read(), faults: [] };
  } catch (cause) {
    return { faults: [`the state cannot be read: ${String((cause as Error).message)}`] };
  }
}

/** A stop that should come and does not. */
const unsaid = ({ says }: Case, { ended }: Run): string[] =>
  says === undefined || ended.killed || ended.diagnostics.some(({ code }) => code === says)
    ? []
    : [`does not stop with ${says}`];

const bugs = ({ ended }: Run): string[] => [
  ...(ended.bug === undefined ? [] : [`thrown: ${ended.bug}`]),
  ...ended.diagnostics
    .filter(({ code }) => code === "internal.bug")
    .map(({ summary, detail }) => `${summary} ${detail}`),
];

/** 0 says that all is done; anything else says why not. */
function exitCodeFaults(
  stage: Stage,
  machine: Machine,
  { ended }: Run,
  state: State | undefined,
  one: Case,
): string[] {
  if (ended.killed) return [];
  const errors = ended.diagnostics.filter(({ severity }) => severity === "error");
  const isTold = errors.length > 0 || (ended.exitCode === 7 && ended.diagnostics.length > 0);
  if (ended.exitCode !== 0) return isTold ? [] : [`exit ${ended.exitCode} without a reason`];
  const faults: string[] = [];
  if (errors.length > 0) faults.push("exit 0 with errors");
  if (!one.foreign && !samePicture(machine, stage, one))
    faults.push("exit 0, but live is not what is desired");
  for (const { address, method } of state?.open ?? [])
    faults.push(`exit 0 with a write left open: ${method} ${address}`);
  return faults;
}

function duplicates(machine: Machine): string[] {
  const { store } = machine.emulator;
  const isOurs = ({ id }: { readonly id: string }): boolean => !machine.theirs.has(id);
  const names = [
    ...store
      .projects()
      .filter(isOurs)
      .map(({ name }) => `project ${name}`),
    ...store
      .services()
      .filter(({ deletedAt, deletionRequestedAt }) => deletedAt === null && deletionRequestedAt === null)
      .filter(isOurs)
      .map(({ name, projectId }) => `service ${projectId}/${name}`),
  ];
  return names.filter((name, i) => names.indexOf(name) !== i).map((name) => `duplicate: ${name}`);
}

/** What is live and not another user's is recorded, under an intent that is still open, or reported by its id. */
function orphans(
  { foreign }: Stage,
  machine: Machine,
  runs: readonly Run[],
  state: State | undefined,
  one: Case,
): string[] {
  const { store } = machine.emulator;
  const resources = Object.values(state?.resources ?? {});
  const recorded = new Set(resources.map(({ id }) => id));
  // Recorded under the id that the service told: another is not known.
  const live = machine.ids();
  const misnamed = new Set(
    one.lies ? resources.filter(({ id }) => !live.has(id)).map(({ name }) => name) : [],
  );
  const open = new Set((state?.open ?? []).map(({ name }) => name));
  const told = JSON.stringify(runs.map(({ ended }) => ended.diagnostics));
  const services = store.services().filter(({ deletionRequestedAt }) => deletionRequestedAt === null);
  const ending = projectsEnding(machine).map(({ id }) => id);
  const things = [
    ...store
      .projects()
      .filter(({ id }) => !ending.includes(id))
      .map(({ id, name }) => ({ id, name })),
    ...services.map(({ id, name }) => ({ id, name })),
    // A service that is reported by its id is reported with its variables.
    ...services
      .filter(({ id }) => recorded.has(id) || !told.includes(id))
      .flatMap(({ id }) => store.variables(id).map((one) => ({ id: one.id, name: one.key }))),
  ];
  return things
    .filter(
      ({ id }) => !foreign.has(id) && !machine.theirs.has(id) && !recorded.has(id) && !told.includes(id),
    )
    .filter(({ name }) => !open.has(name) && !misnamed.has(name))
    .filter(({ id }) => !adoptable(machine, id))
    .map(({ name, id }) => `orphan: ${name} (${id.slice(0, 8)})`);
}

/** Things of the adoption scenario are unmanaged until they are adopted. */
const adoptable = (machine: Machine, id: string): boolean => machine.seeded.has(id);

function unapprovedDeletions(
  { deletable, scenario }: Stage,
  machine: Machine,
  sent: readonly SentWrite[],
  one: Case,
): string[] {
  const deletions = sent.filter(({ method }) => method === "DELETE");
  const wrong = deletions.filter(({ path }) => !deletable.has(path.split("/").at(-1) ?? ""));
  const { store } = machine.emulator;
  const live = new Set([
    ...store.projects().map(({ id }) => id),
    ...store.services().map(({ id }) => id),
    ...store.services().flatMap(({ id }) => store.variables(id).map((variable) => variable.id)),
  ]);
  const lost = one.foreign
    ? []
    : [...machine.seeded].filter((id) => !live.has(id) && !deletable.has(id) && !scenario.deletes.length);
  return [
    ...wrong.map(({ path }) => `deleted without approval: ${path.split("/").slice(3).join("/")}`),
    ...lost.map((id) => `lost: ${id}`),
  ];
}

/** Every write but the layout has a key, and no key stands for two requests. */
function keyFaults(sent: readonly SentWrite[]): string[] {
  const bodies = new Map<string, string>();
  const faults: string[] = [];
  for (const { method, path, body, key } of sent) {
    const isLayout = path.endsWith("/canvas");
    if (key === undefined) {
      if (!isLayout) faults.push(`no key: ${method} ${path}`);
      continue;
    }
    const request = `${method} ${path} ${body}`;
    const earlier = bodies.get(key);
    if (earlier !== undefined && earlier !== request)
      faults.push(`one key for two requests: ${method} ${path}`);
    bodies.set(key, request);
  }
  return faults;
}

/** A key that the service knows from another write is not sent again by the same run. */
function resentFaults(sent: readonly SentWrite[]): string[] {
  const known = sent.findIndex(({ mishap }) => mishap === "409-idempotency" || mishap === "409-legacy");
  if (known === -1) return [];
  const again = sent.slice(known + 1).filter(({ key }) => key !== undefined && key === sent[known]?.key);
  return again.map(({ method, path }) => `sent again although its key was known: ${method} ${path}`);
}

/** At most as many deployments as the scenario means, for each service; one more where others interfere. */
function deploymentFaults({ scenario }: Stage, machine: Machine, one: Case): string[] {
  const { store } = machine.emulator;
  const shop = store.projects().find(({ name }) => name === "Shop");
  const wanted = /service Shop\/api .*deployments=(\d+)/.exec(scenario.want.join("\n"))?.[1];
  if (shop === undefined || wanted === undefined) return [];
  // Whoever breaks the lock of a run that only stands still has it write again when it goes on.
  const most = Number(wanted) + (one.mayRedeploy ? 2 : one.foreign || mayRedeploy(one) ? 1 : 0);
  return store
    .services()
    .filter(({ projectId, name }) => projectId === shop.id && name === "api")
    .map(({ id }) => requestedDeployments(store, id))
    .filter((count) => count > most)
    .map((count) => `${count} deployments instead of ${wanted}`);
}

const isSecretPath = (path: string): boolean => /\/variables(\/|$)/.test(path);

/** No secret stands in a file, in what was told, or in a request that is not meant to carry it. */
function leaks(machine: Machine, runs: readonly Run[]): string[] {
  const secrets = [canary, ...apiKeys];
  const places: [string, string][] = [
    ...remotePlaces(machine),
    ...[...machine.disk.names].map(([path, { content }]): [string, string] => [
      path,
      content.toString("latin1"),
    ]),
    ["diagnostics", JSON.stringify(runs.map(({ ended }) => ended.diagnostics))],
    ["events", JSON.stringify(runs.map(({ process }) => process.events))],
    ...runs
      .flatMap(({ process }) => process.sent)
      .filter(({ path }) => !isSecretPath(path))
      .map(({ path, body, key }): [string, string] => [path, `${body}${key}`]),
  ];
  return places.flatMap(([place, text]) =>
    secrets.filter((secret) => text.includes(secret)).map(() => `a secret stands in ${place}`),
  );
}
