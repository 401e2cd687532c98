import { diagnosticOf } from "../../../src/api/api-error";
import type { Address } from "../../../src/model/address";
import { withOtherId, withoutFields } from "../../support/edited-answers";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = (mode = "one", deploy = "deploy: { when: never }", more = "") => `
projects:
  shop:
    services:
      api: { kind: web, ${deploy}, variables: { MODE: ${mode} } }
${more}`;
const worker = "      worker: { kind: web, deploy: { when: never }, variables: { MODE: two } }\n";
const api = "service.shop.api" as Address;

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench.remove());

const store = () => bench.emulator.store;
const idOf = async (address: string) => (await bench.state())?.resources[address as Address]?.id;
const applied = async (text: string) => {
  bench.write("rnv.yaml", text);
  expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
};
const isQuiet = async () => {
  bench.emulator.setFaults(undefined);
  const { plan, diagnostics } = await bench.plan();
  expect({ diagnostics, changes: plan?.changes.filter(({ action }) => action !== "no-op") }).toEqual({
    ...{ diagnostics: [], changes: [] },
  });
};
/** The answer to each create of a kind is that of another resource. */
const answerCreatesWith = (route: string, id: string) =>
  bench.emulator.setFaults((_, { method, path }) =>
    method === "POST" && path.endsWith(`/${route}`) ? withOtherId(id) : undefined,
  );

/** DESIGN section 5: "a request by id gets that id; a create gets the name, kind and parent sent and an id not in the inventory". */
describe("an answer about another resource", () => {
  it.each(["services", "projects"] as const)(
    "of a create among %s leaves that as it is: what was made is looked for and recorded",
    async (route) => {
      const theirs = {
        services: () => store().addService({ name: "theirs", live: true }),
        projects: () => store().addProject({ name: "Theirs" }),
      }[route]();
      const shown = () =>
        JSON.stringify([...store().services(), ...store().projects()].find(({ id }) => id === theirs.id));
      const before = shown();
      answerCreatesWith(route, theirs.id);
      await applied(shop());
      expect(store()[route]()).toHaveLength(2);
      const made = store()
        [route]()
        .find(({ id }) => id !== theirs.id);
      expect(await idOf(route === "services" ? api : "project.shop")).toBe(made?.id);
      expect(shown()).toBe(before);
      await isQuiet();
    },
  );

  it("does not record one variable twice", async () => {
    await applied(shop());
    answerCreatesWith("variables", (await idOf("variable.shop.api.MODE")) ?? "");
    await applied(shop("one", "deploy: { when: never }", worker));
    const [made] = store().variables((await idOf("service.shop.worker")) ?? "");
    expect(await idOf("variable.shop.worker.MODE")).toBe(made?.id);
    await isQuiet();
  });
});

const refused = () => {
  throw new Error("it was not refused");
};

/** DESIGN section 5: "A listing that fails, is short, or does not parse is an error; it never means empty." */
describe("a list that does not show what a plan decides on", () => {
  it.each([
    ["canvas", "configuration", "nodes.0.configuration of ID"],
    ["canvas", "name", "nodes.0.name of ID"],
    ["canvas", "id", "nodes.0.id:"],
    ["canvas", "kind", "nodes.0.kind of ID"],
    ["projects", "name", "projects.0.name of ID"],
    ["variables", "updatedAt", "variables.0.updatedAt of ID"],
    ["variables", "key", "variables.0.key of ID"],
  ])("stops each command that needs it: %s without %s", async (list, field, told) => {
    await applied(shop());
    bench.emulator.resetLog();
    bench.emulator.setFaults((_, { method, path }) =>
      method === "GET" && path.endsWith(`/${list}`) ? withoutFields(field) : undefined,
    );
    const destroy = { mode: "destroy" } as const;
    for (const run of [bench.plan, bench.apply, bench.drift, () => bench.apply(destroy)]) {
      const found = diagnosticOf(await run().then(refused, (cause) => cause));
      expect(found.code).toBe("api.malformed");
      expect(found.summary.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")).toContain(told);
    }
    expect(bench.writes()).toEqual([]);
    await isQuiet();
  });
});
