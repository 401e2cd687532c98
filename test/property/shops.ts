import type { StoredService } from "../../src/emulator/records";
import type { EmulatorStore } from "../../src/emulator/store";
import { fc } from "../support/fixed-seed";
import type { Workbench } from "../support/workbench";

/** One service of a random manifest. */
interface ServiceSpec {
  readonly name: string;
  readonly kind: "web" | "worker" | "static";
  readonly grouped: boolean;
  readonly branch: string | null | undefined;
  readonly health: string | undefined;
  readonly ignorePaths: readonly string[] | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** It names the host of this service, where that one is declared before it. */
  readonly refersTo: string;
  readonly when: "changed" | "never";
  readonly onRemove: "delete" | "archive" | "retain";
  readonly preventDestroy: boolean;
}

export interface ShopSpec {
  readonly color: string | undefined;
  readonly description: string | undefined;
  readonly services: readonly ServiceSpec[];
}

const names = ["s0", "s1", "s2", "s3"] as const;

const serviceSpec = (isGuarded: boolean): fc.Arbitrary<ServiceSpec> =>
  fc.record({
    name: fc.constantFrom(...names),
    kind: fc.constantFrom("web", "web", "worker", "static"),
    grouped: fc.boolean(),
    branch: fc.constantFrom("main", "dev", "", null, undefined),
    health: fc.constantFrom("/a", "/b", undefined),
    ignorePaths: fc.constantFrom([], ["docs", "*.md"], undefined),
    variables: fc.dictionary(fc.constantFrom("A", "B", "C"), fc.constantFrom("1", "2", ' spaced: "text" '), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    refersTo: fc.constantFrom(...names),
    when: fc.constantFrom("changed", "changed", "never"),
    onRemove: isGuarded ? fc.constantFrom("delete", "archive", "retain") : fc.constant("delete"),
    preventDestroy: isGuarded ? fc.boolean() : fc.constant(false),
  });

const shopOf = (isGuarded: boolean): fc.Arbitrary<ShopSpec> =>
  fc.record({
    color: fc.constantFrom("#111111", "#222222", undefined),
    description: fc.constantFrom("", "text", undefined),
    services: fc.uniqueArray(serviceSpec(isGuarded), { maxLength: 4, selector: ({ name }) => name }),
  });

export const shopSpec = shopOf(false);
/** With protected services, and services that are kept when they are removed. */
export const guardedSpec = shopOf(true);

/** The manifest of a shop, in the JSON that is YAML; `reversed` writes all of its keys the other way round. */
export function manifestText({ color, description, services }: ShopSpec, reversed = false): string {
  const block = (grouped: boolean) =>
    Object.fromEntries(
      services.filter((one) => one.grouped === grouped).map((one) => [one.name, serviceBlock(one, services)]),
    );
  const document = {
    projects: { shop: { name: "Shop", color, description, services: block(true) } },
    services: block(false),
  };
  return JSON.stringify(reversed ? reverse(document) : document, undefined, 1);
}

function serviceBlock(spec: ServiceSpec, services: readonly ServiceSpec[]) {
  const { kind, branch, health, ignorePaths, when, onRemove, preventDestroy } = spec;
  const other = services.find(({ name }) => name === spec.refersTo && name < spec.name);
  const address = other && (other.grouped ? `service.shop.${other.name}` : `service.${other.name}`);
  return {
    kind,
    configuration: {
      repository: "https://git.example.com/shop",
      branch,
      ignorePaths,
      ...(kind === "web" && { healthCheckPath: health }),
    },
    variables: { ...spec.variables, ...(address && { HOST: `x:\${${address}.internalHost}` }) },
    deploy: { when },
    lifecycle: { onRemove, preventDestroy },
  };
}

const reverse = (value: unknown): unknown =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, reverse(inner)]),
      );

/** A change made behind our back. */
export type LiveEdit = (store: EmulatorStore) => void;

const ours = (store: EmulatorStore) =>
  store.services().filter(({ name }) => (names as readonly string[]).includes(name));

const editOf = (nth: number, what: string): LiveEdit => {
  const edit: LiveEdit = (store) => {
    const service = ours(store)[nth];
    if (!service) return;
    const [variable] = store.variables(service.id);
    if (what === "branch") store.editConfiguration(service.id, { branch: "behind" });
    if (what === "undeclared") store.editConfiguration(service.id, { startCommand: "behind" });
    if (what === "rename") store.renameService(service.id, `behind-${nth}`);
    if (what === "delete") store.deleteServiceNow(service.id);
    if (what === "deploy") store.deploy(service.id);
    if (what === "add variable" && !store.variables(service.id).some(({ key }) => key === "THEIRS"))
      store.addVariable(service.id, "THEIRS", "theirs");
    if (what === "edit variable" && variable) store.editVariable(variable.id, { value: "behind" });
    if (what === "delete variable" && variable) store.deleteVariableNow(variable.id);
    if (what === "project")
      for (const { id, name } of store.projects())
        if (name === "Shop") store.editProject(id, { color: "#000000" });
  };
  return Object.assign(edit, { toString: () => `${what} of service ${nth}` });
};

export const liveEdits: fc.Arbitrary<readonly LiveEdit[]> = fc.array(
  fc
    .tuple(
      fc.nat(3),
      fc.constantFrom(
        "branch",
        "undeclared",
        "rename",
        "delete",
        "deploy",
        "add variable",
        "edit variable",
        "delete variable",
        "project",
      ),
    )
    .map(([nth, what]) => editOf(nth, what)),
  { maxLength: 3 },
);

/** Things that no manifest declares. */
export function addForeign(store: EmulatorStore): void {
  const { id } = store.addProject({ name: "Theirs", description: "not ours" });
  for (const projectId of [id, undefined]) {
    const service = store.addService({
      name: "theirs",
      projectId,
      configuration: { branch: "theirs" },
      live: true,
    });
    store.addVariable(service.id, "A", "theirs");
  }
}

/** A service without the times that a check of its health by the platform may move. */
const withoutChecks = ({ healthCheckedAt, updatedAt, ...service }: StoredService) => service;

const isForeign = ({ name }: StoredService): boolean => name === "theirs";

/** Everything that was there before us, byte by byte. */
export const foreignThings = (store: EmulatorStore): unknown => [
  store.projects().filter(({ name }) => name === "Theirs"),
  store
    .services()
    .filter(isForeign)
    .map((service) => [withoutChecks(service), store.variables(service.id), store.deployments(service.id)]),
];

/** Writes to what was there before us. */
export const foreignWrites = ({ emulator: { store }, writes }: Pick<Workbench, "emulator" | "writes">) => {
  const theirs = [
    ...store.projects().filter(({ name }) => name === "Theirs"),
    ...store.services().filter(isForeign),
  ];
  return writes().filter((write) => theirs.some(({ id }) => write.includes(id)));
};

/** Everything there is, byte by byte, with the values of variables. */
export const liveThings = (store: EmulatorStore): unknown => [
  store.projects(),
  store.services().map(withoutChecks),
  store
    .services()
    .map(({ id }) => [
      store.variables(id).map((variable) => [variable, store.variableValue(variable.id)]),
      store.deployments(id),
    ]),
];

/** What of ours is live, without ids and times. */
export const manifestOf = (store: EmulatorStore) =>
  store
    .services()
    .filter(({ name }) => name !== "theirs")
    .map(({ id, name, kind, projectId, configuration, archived, liveDeploymentId }) => ({
      name,
      kind,
      grouped: projectId !== null,
      configuration,
      archived,
      isLive: liveDeploymentId !== null,
      variables: store
        .variables(id)
        .map(({ id: variable, key }) => `${key}=${key === "HOST" ? "" : store.variableValue(variable)}`)
        .sort(),
    }))
    .sort((a, b) => `${a.name} ${a.grouped}`.localeCompare(`${b.name} ${b.grouped}`));
