import type { Lags } from "../../../src/emulator/lag";
import { shareOf } from "../../support/soak";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api" }
        variables: { LEVEL: info }
      worker: { kind: worker, deploy: { when: never } }
`;

const lags: readonly (readonly [string, Lags])[] = [
  ["300 ms", { all: { ms: 300 } }],
  ["1.5 s", { all: { ms: 1500 } }],
  ["5 s", { all: { ms: 5000 } }],
  ["20 s", { all: { ms: 20_000 } }],
  ["2 reads", { all: { reads: 2 } }],
  ["5 reads", { all: { reads: 5 } }],
  ["5 s in the list of projects", { projects: { ms: 5000 } }],
  ["5 s in the canvas", { canvas: { ms: 5000 } }],
  ["5 s in services by their id", { service: { ms: 5000 } }],
  ["5 s in variables", { variables: { ms: 5000 } }],
  ["5 s in deployments", { deployments: { ms: 5000 } }],
];

describe.each(shareOf(lags, 6))(
  "a run that goes on where another was killed, with reads %s behind",
  (_, lag) => {
    let bench: Workbench;
    beforeEach(() => {
      bench = createWorkbench();
      bench.write("rnv.yaml", shop);
      bench.emulator.store.setLag(lag);
    });
    afterEach(() => bench.remove());
    const goOn = async (changed = {}) => {
      const { exitCode, diagnostics } = await bench.apply({}, changed).catch((failure) => ({
        exitCode: 1,
        diagnostics: failure.diagnostics ?? [failure],
      }));
      expect({ exitCode, diagnostics }).toEqual({ exitCode: 0, diagnostics: [] });
    };
    const eachIsThereOnce = async () => {
      const { store } = bench.emulator;
      const services = store.services();
      expect(store.projects()).toHaveLength(1);
      expect(services.map(({ name }) => name).sort()).toEqual(["api", "worker"]);
      const api = services.find(({ name }) => name === "api")?.id ?? "";
      expect(store.variables(api)).toHaveLength(1);
      expect(store.deployments(api)).toHaveLength(1);
      store.setLag();
      const { plan } = await bench.plan();
      expect(plan?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
    };

    it.each([1, 2, 3, 4, 5, 6])(
      "makes each thing once, where the write %d had arrived or not",
      async (write) => {
        for (const when of ["before", "after"] as const) {
          bench.remove();
          bench = createWorkbench();
          bench.write("rnv.yaml", shop);
          bench.emulator.store.setLag(lag);
          await bench.applyUntilDeath({ write, when });
          await goOn();
          await eachIsThereOnce();
        }
      },
    );

    it.each([1, 2, 3])(
      "makes each thing once with another API key, where the write %d had arrived",
      async (write) => {
        await bench.applyUntilDeath({ write, when: "after" });
        await goOn({ credential: () => "fedcba9876543210" });
        await eachIsThereOnce();
      },
    );
  },
);
