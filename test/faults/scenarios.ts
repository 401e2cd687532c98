import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
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

/** What others do in a scenario, by its name. */
const others: Readonly<Record<string, Pick<Scenario, "seed" | "between" | "arrange">>> = {
  adopt: {
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
  },
  mixed: {
    seed(store) {
      const { id } = store.addProject({ name: "Other" });
      store.addService({ name: "api", projectId: id, live: true });
      store.addService({ name: "new", projectId: id });
      store.addService({ name: "worker" });
    },
    between(store) {
      const ours = store.projects().find(({ name }) => name === "Shop");
      const service = store
        .services()
        .find(({ name, projectId }) => name === "api" && projectId === ours?.id);
      if (ours === undefined || service === undefined) throw new Error("the shop is not there");
      store.addService({ name: "theirs", projectId: ours.id, live: true });
      store.addVariable(service.id, "THEIRS", `${canary}-theirs`);
      store.editConfiguration(service.id, { maintenancePage: "theirs" });
    },
  },
  "failed-deletion": { arrange: (store) => store.failNextOperation("*") },
  "archived-outside": {
    between(store) {
      const service = store.services().find(({ name }) => name === "api");
      if (service === undefined) throw new Error("the shop is not there");
      store.editService(service.id, () => ({ archived: true }));
    },
  },
};

/** A text that is added, or named in `texts`; or replacements, each by the expression that finds its place. */
type Step = string | Readonly<Record<string, string>>;

/** A scenario as `scenarios.yaml` describes it. */
interface Described extends Omit<Scenario, "before" | "manifest" | "deletes" | "want"> {
  readonly before?: readonly (readonly Step[])[];
  readonly manifest: readonly Step[];
  readonly deletes?: readonly string[];
  readonly want: readonly Step[];
}

const { texts, scenarios: described } = parse(readFileSync(join(__dirname, "scenarios.yaml"), "utf8"), {
  merge: true,
}) as { readonly texts: Readonly<Record<string, string>>; readonly scenarios: readonly Described[] };

const textOf = (steps: readonly Step[]): string =>
  steps.reduce<string>(
    (text, step) =>
      typeof step === "string"
        ? text + (texts[step] ?? step)
        : Object.entries(step).reduce((rest, [from, to]) => rest.replace(new RegExp(from), to), text),
    "",
  );

export const scenarios = described.map(
  ({ before, manifest, deletes = [], want, ...one }): Scenario => ({
    ...{ ...one, ...others[one.name], deletes },
    ...(before && { before: before.map(textOf) }),
    manifest: textOf(manifest),
    want: textOf(want).trim().split("\n"),
  }),
);
