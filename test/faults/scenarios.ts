import type { RuntimeRequest } from "../../src/commands/act-on-service";
import type { EmulatorStore } from "../../src/emulator/store";
import type { ServiceWays } from "./machine";

/** What a variable's value looks like when it leaks: no output and no file but a request may hold it. */
export const canary = "CANARY-7f3a";

/** `saved`: a plan to a file, then `apply` of that file. Otherwise a verb outside of a plan. */
export type Command = "apply" | "saved" | Pick<RuntimeRequest, "address" | "action">;

export interface Scenario {
  readonly name: string;
  /** What others made before rnv came. */
  readonly seed?: (store: EmulatorStore) => void;
  /** Applied without a fault before the case begins, one after the other. */
  readonly before?: readonly string[];
  /** What others do after that. */
  readonly between?: (store: EmulatorStore) => void;
  readonly manifest: string;
  readonly confirmedDeletes?: readonly string[];
  readonly adopt?: boolean;
  /** How the service behaves in it. */
  readonly ways?: ServiceWays;
  /** What is wrong once, with the first run that meets it. Called on the service of every case. */
  readonly arrange?: (store: EmulatorStore) => void;
  /** How a person carries it out; `apply` unless said. */
  readonly command?: Command;
  /** The whole run plays every n-th case only: its like is played in full elsewhere. */
  readonly thinned?: number;
  /** Something of it is in no list: who is told for good that it is not there cannot know better. */
  readonly hidden?: true;
  /** Addresses whose things may be deleted. */
  readonly deletes: readonly string[];
  /** The picture of the service in the end; see `picture.ts`. */
  readonly want: readonly string[];
}

const repository = (name: string): string => `repository: "https://git.example.com/shop/${name}"`;

const shop = `
projects:
  shop:
    name: Shop
    services:
      api:
        kind: web
        configuration: { ${repository("api")}, healthCheckPath: /healthz }
        variables:
          LOG_LEVEL: ${canary}-info
          HOST: "${"$"}{service.shop.worker.internalHost}"
        deploy: { timeout: 40s }
      worker:
        kind: worker
        configuration: { ${repository("worker")} }
        deploy: { when: never }
`;

const docs = `
services:
  docs:
    kind: static
    configuration: { publishDirectory: build }
    deploy: { when: never }
`;

const api = 'service Shop/api web healthCheckPath="/healthz" repository="https://git.example.com/shop/api"';
const worker = 'service Shop/worker worker repository="https://git.example.com/shop/worker"';
const shopPicture = (deployments: number): string[] => [
  'project Shop ""',
  `${api} deployments=${deployments} live`,
  `variable Shop/api/HOST=<worker>`,
  `variable Shop/api/LOG_LEVEL=${canary}-info`,
  `${worker} deployments=0`,
];

const createAll: Scenario = {
  name: "create-all",
  manifest: `${shop.replace(`LOG_LEVEL: ${canary}-info`, `LOG_LEVEL: ${canary}-info\n          TOKEN: { generate: { length: 24 } }`)}${docs}`,
  deletes: [],
  want: [
    ...shopPicture(1),
    "variable Shop/api/TOKEN=<24>",
    'service /docs static publishDirectory="build" deployments=0',
  ],
};

const update: Scenario = {
  name: "update",
  before: [shop],
  manifest: shop
    .replace("name: Shop", 'name: Shop\n    description: "all of it"')
    .replace("healthCheckPath: /healthz", "healthCheckPath: /ready, startCommand: run")
    .replace(`LOG_LEVEL: ${canary}-info`, `LOG_LEVEL: ${canary}-debug\n          MODE: ${canary}-fast`)
    .replace(/ {10}HOST.*\n/, ""),
  deletes: ["variable.shop.api.HOST"],
  want: [
    'project Shop "all of it"',
    'service Shop/api web healthCheckPath="/ready" repository="https://git.example.com/shop/api" startCommand="run" deployments=2 live',
    `variable Shop/api/LOG_LEVEL=${canary}-debug`,
    `variable Shop/api/MODE=${canary}-fast`,
    `${worker} deployments=0`,
  ],
};

const remove: Scenario = {
  name: "delete",
  before: [`${shop}${docs}`],
  manifest: `${docs}\nremoved: [project.shop, service.shop.api, service.shop.worker]`,
  deletes: ["project.shop", "service.shop.api", "service.shop.worker"],
  want: ['service /docs static publishDirectory="build" deployments=0'],
};

const replace: Scenario = {
  name: "replace",
  before: [shop],
  manifest: shop.replace("kind: web", "kind: static"),
  confirmedDeletes: ["service.shop.api"],
  deletes: ["service.shop.api"],
  want: shopPicture(1).map((line) => line.replace("api web", "api static")),
};

const adopt: Scenario = {
  name: "adopt",
  seed(store) {
    const { id: projectId } = store.addProject({ name: "Shop" });
    const { id } = store.addService({
      name: "api",
      projectId,
      live: true,
      configuration: { repository: "https://git.example.com/shop/api", branch: "old" },
    });
    store.addVariable(id, "LOG_LEVEL", `${canary}-old`);
  },
  manifest: shop
    .replace("healthCheckPath: /healthz", "healthCheckPath: /healthz, branch: new")
    .replace(/ {10}HOST.*\n/, ""),
  adopt: true,
  deletes: [],
  want: [
    'project Shop ""',
    'service Shop/api web branch="new" healthCheckPath="/healthz" repository="https://git.example.com/shop/api" deployments=1 live',
    `variable Shop/api/LOG_LEVEL=${canary}-info`,
    `${worker} deployments=0`,
  ],
};

const noOp: Scenario = {
  name: "no-op",
  before: [shop],
  manifest: shop,
  deletes: [],
  want: shopPicture(1),
};

const moved: Scenario = {
  name: "moved",
  before: [
    shop
      .replace("      api:", "      web:\n        name: api")
      .replaceAll("service.shop.api", "service.shop.web"),
  ],
  manifest: `${shop.replace("/healthz", "/ready")}moved: [{ from: service.shop.web, to: service.shop.api }]`,
  deletes: [],
  want: shopPicture(2).map((line) => line.replace("/healthz", "/ready")),
};

/** Things of others that bear the same names, all around ours. */
const mixed: Scenario = {
  name: "mixed",
  seed(store) {
    const { id } = store.addProject({ name: "Other" });
    store.addService({ name: "api", projectId: id, live: true });
    store.addService({ name: "new", projectId: id });
    store.addService({ name: "worker" });
  },
  before: [shop],
  between(store) {
    const ours = store.projects().find(({ name }) => name === "Shop");
    const service = store.services().find(({ name, projectId }) => name === "api" && projectId === ours?.id);
    if (ours === undefined || service === undefined) throw new Error("the shop is not there");
    store.addService({ name: "theirs", projectId: ours.id, live: true });
    store.addVariable(service.id, "THEIRS", `${canary}-theirs`);
    store.editConfiguration(service.id, { maintenancePage: "theirs" });
  },
  manifest: shop
    .replace("/healthz", "/ready")
    .replace(
      / {6}worker:[\s\S]*/,
      `      new:\n        kind: worker\n        deploy: { when: never }\n    layout: auto\n`,
    )
    .replace(/ {10}HOST.*\n/, "")
    .concat("removed: [service.shop.worker]"),
  deletes: ["service.shop.worker", "variable.shop.api.HOST"],
  want: [
    'project Other ""',
    "service Other/api web deployments=0 live",
    "service Other/new web deployments=0",
    "service /worker web deployments=0",
    'project Shop ""',
    'service Shop/api web healthCheckPath="/ready" maintenancePage="theirs" repository="https://git.example.com/shop/api" deployments=2 live',
    "service Shop/theirs web deployments=0 live",
    `variable Shop/api/LOG_LEVEL=${canary}-info`,
    `variable Shop/api/THEIRS=${canary}-theirs`,
    "service Shop/new worker deployments=0",
  ],
};

/** A service that does not list variables: what a create of one left behind cannot be looked up. */
const unlisted: Scenario = {
  ...createAll,
  name: "unlisted",
  ways: { unlisted: true },
  manifest: shop,
  want: shopPicture(1),
};

/** The first deletion that is asked for is queued, and fails. */
const failedDeletion: Scenario = {
  ...remove,
  name: "failed-deletion",
  thinned: 2,
  arrange: (store) => store.failNextOperation("*"),
};

/** Every deletion is queued: of variables, of services that never ran, of the project. */
const queuedDeletions: Scenario = {
  name: "queued-deletions",
  ways: { conditions: ["queued-deletions"] },
  before: [`${shop}${docs}`],
  manifest: `${docs.replace("when: never }", "when: never }\n    variables: { MODE: quick }")}
removed: [project.shop, service.shop.api, service.shop.worker]`,
  deletes: ["project.shop", "service.shop.api", "service.shop.worker"],
  want: ['service /docs static publishDirectory="build" deployments=0', "variable /docs/MODE=quick"],
};

/** Someone archived a service in the dashboard, and the manifest changes it. */
const archivedOutside: Scenario = {
  name: "archived-outside",
  hidden: true,
  before: [shop],
  between(store) {
    const service = store.services().find(({ name }) => name === "api");
    if (service === undefined) throw new Error("the shop is not there");
    store.editService(service.id, () => ({ archived: true }));
  },
  manifest: shop.replace("/healthz", "/ready"),
  deletes: [],
  want: shopPicture(2).map((line) => line.replace("/healthz", "/ready")),
};

const archiving = shop.replace(
  "deploy: { when: never }",
  "deploy: { when: never }\n        lifecycle: { onRemove: archive }",
);

/** Archived by us because its block went, then declared again. */
const archivedAndBack: Scenario = {
  name: "archived-and-back",
  before: [archiving, shop.replace(/ {6}worker:[\s\S]*/, "").replace(/ {10}HOST.*\n/, "")],
  manifest: archiving,
  deletes: [],
  want: shopPicture(3),
};

const savedPlan: Scenario = { ...update, name: "saved-plan", command: "saved", thinned: 3 };

const verb = (
  action: RuntimeRequest["action"],
  want: (picture: readonly string[]) => readonly string[],
): Scenario => ({
  name: `verb-${action}`,
  before: [shop, shop.replace("/healthz", "/ready")],
  manifest: shop.replace("/healthz", "/ready"),
  command: { address: "service.shop.api", action },
  deletes: [],
  want: want(shopPicture(2).map((line) => line.replace("/healthz", "/ready"))),
});

const deployed = (lines: readonly string[]) =>
  lines.map((line) => line.replace("deployments=2", "deployments=3"));
const operated = (kind: string) => (lines: readonly string[]) =>
  lines.map((line) => line.replace("deployments=2 live", `deployments=2 live ${kind}=1`));

const verbs = [
  verb("deploy", deployed),
  { ...verb("clear-cache", deployed), thinned: 5 },
  verb("rollback", deployed),
  verb("restart", operated("restart")),
  { ...verb("suspend", operated("suspend")), thinned: 5 },
];

export const scenarios: readonly Scenario[] = [
  createAll,
  update,
  remove,
  replace,
  adopt,
  noOp,
  moved,
  mixed,
  unlisted,
  failedDeletion,
  queuedDeletions,
  archivedOutside,
  archivedAndBack,
  savedPlan,
  ...verbs,
];
