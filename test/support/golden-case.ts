import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "yaml";
import type { PlanRequest } from "../../src/commands/context";
import type { DriftRequest } from "../../src/commands/drift";
import type { Readings } from "../../src/emulator/readings";
import type { Configuration } from "../../src/emulator/records";
import type { EmulatorStore } from "../../src/emulator/store";
import { Secret } from "../../src/model/secret";
import { sha256 } from "../../src/model/sha256";
import { canonicalJson, type Plain } from "../../src/model/value";
import { planDocument } from "../../src/plan/document";
import { recordPlan } from "../../src/plan/plan-record";
import { planFromDocument } from "../../src/plan/read-document";
import { diagnosticsText } from "../../src/report/diagnostics";
import { driftText } from "../../src/report/drift-report";
import { escapeJson } from "../../src/report/escape-text";
import { planText } from "../../src/report/plan-text";
import { plainStyle } from "../../src/report/style";
import { keyIdOf } from "../../src/state/key";
import { MemoryDisk } from "./memory-disk";
import { createWorkbench, stateKey, type Workbench } from "./workbench";

/** A `case.yaml`. */
interface GoldenCase {
  /** The text of `rnv.yaml`; `<api>` stands for the ID of that live thing. */
  readonly manifest: string;
  /** The text of `rnv.policy.yaml`. */
  readonly policies?: string;
  readonly request?: Partial<PlanRequest>;
  /** The report of `rnv drift` is told, not the plan. */
  readonly drift?: Partial<DriftRequest>;
  /** Rows that the expected text is about. */
  readonly readings?: Partial<Readings>;
  readonly live?: LiveCase;
  /** Manifests that are applied first, one after another; every deletion is confirmed. */
  readonly before?: readonly string[];
  /** What others do to services afterwards, by their names. */
  readonly edits?: Readonly<Record<string, LiveEdit>>;
  /** By address. Without it nothing was ever applied. */
  readonly state?: Readonly<Record<string, RecordedCase>>;
}

/** Resources that the service holds, each by its path of names: `Shop/api/LOG_LEVEL`. */
interface LiveCase {
  readonly projects?: Readonly<Record<string, { readonly color?: string; readonly description?: string }>>;
  /** By path; `Shop/api` lies in the project `Shop`, `docs` in none. */
  readonly services?: Readonly<Record<string, LiveService>>;
}

interface LiveService {
  readonly name?: string;
  readonly kind?: string;
  readonly configuration?: Configuration;
  readonly archived?: boolean;
  readonly live?: boolean;
  readonly commit?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

interface LiveEdit extends Pick<LiveService, "name" | "archived" | "configuration"> {
  readonly gone?: true;
  /** Why a new deployment fails. */
  readonly fails?: string;
  /** The new value by key; null deletes it. */
  readonly variables?: Readonly<Record<string, string | null>>;
}

/** A recorded resource. Fields that are left out are as a first apply would have left them. */
interface RecordedCase {
  /** Path of the live thing; undefined for one that is gone. */
  readonly live?: string;
  readonly name?: string;
  readonly parent?: string;
  readonly applied?: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly preventDestroy?: boolean;
  readonly onRemove?: string;
  readonly ignoreChanges?: readonly string[];
  readonly writes?: number;
  /** Writes by path of what was deployed. */
  readonly inputs?: Readonly<Record<string, number>>;
}

export interface GoldenOutcome {
  /** Plan, diagnostics and exit code, with a line `---` between them. */
  readonly text: string;
  /** The plan as JSON; empty where there is none. */
  readonly json: string;
  /** The digest of the plan, and a hash of the record that a review keeps of it. */
  readonly prints: string;
}

const goneId = "99999999-9999-4999-8999-999999999999";

/** Plans the case that the file at `path` describes. */
export async function planCase(path: string): Promise<GoldenOutcome> {
  const { manifest, policies, request, drift, readings, live, before, edits, state } = parse(
    readFileSync(path, "utf8"),
  ) as GoldenCase;
  const bench = createWorkbench({
    disk: new MemoryDisk(),
    emulator: { random: sequence(), readings },
    environment: {},
  });
  const ids = seed(bench.emulator.store, live);
  for (const earlier of before ?? []) await applyAll(bench, earlier);
  nameAll(bench.emulator.store, ids);
  editAll(bench.emulator.store, edits);
  bench.emulator.resetLog();
  if (state) bench.putState(JSON.stringify(stateOf(bench, state, ids)));
  bench.write(
    "rnv.yaml",
    [...ids].reduce((text, [name, id]) => text.replaceAll(`<${name}>`, id), manifest),
  );
  if (policies !== undefined) bench.write("rnv.policy.yaml", policies);
  const outcome = drift ? await bench.drift(drift) : await bench.plan(request);
  const { plan: made, diagnostics, exitCode } = outcome;
  const report = "report" in outcome && outcome.report && driftText(outcome.report, plainStyle);
  // It moves with every value of a case; what moves it is tested elsewhere.
  const plan = made && { ...made, digest: undefined };
  expect(bench.writes()).toEqual([]);
  const named = (text: string): string =>
    [...ids].reduce((rest, [name, id]) => rest.replaceAll(id, `<${name}>`), text);
  // `show` says of a saved plan what the plan has said. It does not have the files that its findings point into.
  const textOf = (shown: typeof made) => shown && planText({ ...shown, diagnostics: [] }, plainStyle);
  expect(textOf(plan && planFromDocument(planDocument(plan)))).toBe(textOf(plan));
  const sections = [
    report || (plan ? planText(plan, plainStyle).trimEnd() : ""),
    diagnosticsText(diagnostics, plainStyle).trimEnd(),
    `exit ${exitCode}\n`,
  ];
  return {
    text: named(sections.filter((section) => section !== "").join("\n---\n")),
    json: plan ? `${named(escapeJson(planDocument(plan), 2))}\n` : "",
    prints: made ? `${made.digest} ${sha256(canonicalJson(jsonOf(recordPlan(made, stateKey))))}` : "",
  };
}

const jsonOf = (value: object): Plain => JSON.parse(JSON.stringify(value));

async function applyAll(bench: Workbench, manifest: string): Promise<void> {
  bench.write("rnv.yaml", manifest);
  const { plan } = await bench.plan();
  const blocked = (plan?.changes ?? []).filter(({ blockedBy }) => blockedBy);
  const { diagnostics } = await bench.apply({ confirmedDeletes: blocked.map(({ address }) => address) });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  bench.clock.advance(reliableMs);
  bench.emulator.store.settle();
}

/** What was written before it is no longer younger than reads may be behind. */
const reliableMs = 10 * 60_000;

/** Adds what an earlier apply made to the ids by path. */
function nameAll(store: EmulatorStore, ids: Map<string, string>): void {
  const add = (path: string, id: string | undefined) => id && !ids.has(path) && ids.set(path, id);
  const projects = new Map(store.projects().map(({ id, name }) => [id, name]));
  for (const [id, name] of projects) add(name, id);
  for (const { id, name, projectId } of store.services()) {
    const path = projectId === null ? name : `${projects.get(projectId)}/${name}`;
    add(path, id);
    for (const variable of store.variables(id)) add(`${path}/${variable.key}`, variable.id);
    add(`${path}/deployment`, store.deployments(id).at(-1)?.id);
  }
}

function editAll(store: EmulatorStore, edits: GoldenCase["edits"] = {}): void {
  for (const [service, { gone, fails, configuration, variables = {}, ...fields }] of Object.entries(edits)) {
    const { id } = store.services().find(({ name }) => name === service) ?? { id: "" };
    if (gone) store.deleteServiceNow(id);
    if (configuration) store.editConfiguration(id, configuration);
    if (Object.keys(fields).length > 0) store.editService(id, () => fields);
    if (fails !== undefined) store.failNextDeployment(id, fails);
    if (fails !== undefined) store.deploy(id);
    for (const [key, value] of Object.entries(variables)) {
      const variable = store.variables(id).find((one) => one.key === key);
      if (variable && value === null) store.deleteVariableNow(variable.id);
      else if (variable && value !== null) store.editVariable(variable.id, { value });
    }
  }
  store.settle();
}

/** Numbers that are the same in every run. */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ids by path; a deployment by the path of its service and `deployment`. */
function seed(store: EmulatorStore, live: LiveCase = {}): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [name, fields] of Object.entries(live.projects ?? {}))
    ids.set(name, store.addProject({ name, ...fields }).id);
  for (const [path, service] of Object.entries(live.services ?? {})) {
    const { variables = {}, archived, name = basename(path).replace(/#.*/, ""), commit, ...fields } = service;
    const projectId = path.includes("/") ? ids.get(path.slice(0, path.indexOf("/"))) : undefined;
    const { id } = store.addService({ name, projectId, ...fields });
    ids.set(path, id);
    for (const [key, value] of Object.entries(variables))
      ids.set(`${path}/${key}`, store.addVariable(id, key, value).id);
    if (archived) store.editService(id, () => ({ archived }));
    for (const deployment of store.deployments(id)) {
      if (commit !== undefined) store.editDeployment(deployment.id, { commitSha: commit });
      ids.set(`${path}/deployment`, deployment.id);
    }
  }
  return ids;
}

function stateOf(
  bench: Workbench,
  recorded: Readonly<Record<string, RecordedCase>>,
  ids: ReadonlyMap<string, string>,
): unknown {
  const idOf = (path: string | undefined): string =>
    path === undefined ? goneId : (ids.get(path) ?? goneId);
  const resources = Object.entries(recorded).map(([address, one]) => {
    const { live, applied = {}, secret, inputs, ...rest } = one;
    const inner = Object.fromEntries(
      Object.entries(applied).map(([path, value]) => [
        path,
        typeof value === "string" && value.startsWith("$") ? idOf(value.slice(1)) : value,
      ]),
    );
    const value = secret && { value: { fingerprint: new Secret(secret).fingerprint(stateKey, address) } };
    return [
      address,
      {
        type: address.slice(0, address.indexOf(".")),
        id: idOf(live),
        name: address.slice(address.lastIndexOf(".") + 1),
        dependsOn: [],
        computed: {},
        preventDestroy: false,
        onRemove: "delete",
        writes: 1,
        updatedAt: updatedAt(bench.emulator.store, idOf(live)),
        ...rest,
        applied: { ...inner, ...value },
        ...(inputs && {
          inputs: Object.fromEntries(Object.entries(inputs).map(([path, writes]) => [idOf(path), writes])),
        }),
      },
    ];
  });
  const { workspaceId, baseUrl } = bench.context;
  const document = { format: "rnv-state", version: 1, lineage: goneId, serial: 1, workspaceId, baseUrl };
  return {
    ...document,
    keyId: keyIdOf(stateKey),
    resources: Object.fromEntries(resources),
    outputs: {},
    run: null,
    open: [],
  };
}

function updatedAt(store: EmulatorStore, id: string): string | undefined {
  const services = store.services();
  const things = [...store.projects(), ...services, ...services.flatMap((one) => store.variables(one.id))];
  return things.find((thing) => thing.id === id)?.updatedAt;
}
