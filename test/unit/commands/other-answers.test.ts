import { join } from "node:path";
import { diagnosticOf } from "../../../src/api/api-error";
import type { Address } from "../../../src/model/address";
import { withOtherId, withoutFields } from "../../support/edited-answers";
import { rowsIn } from "../../support/rows";
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

const store = () => bench.emulator.store;
const idOf = async (address: string) => (await bench.state())?.resources[address as Address]?.id;
const applied: Workbench["applied"] = (...given) => bench.applied(...given);
const isQuiet = async () => {
  bench.fail();
  const { plan, diagnostics } = await bench.plan();
  expect({ diagnostics, changes: plan?.changes.filter(({ action }) => action !== "no-op") }).toEqual({
    ...{ diagnostics: [], changes: [] },
  });
};
/** The answer to each create of a kind is that of another resource. */
const answerCreatesWith = (route: string, id: string) =>
  bench.fail(new RegExp(`^POST .*/${route}$`), withOtherId(id));

/** DESIGN section 5: "a request by id gets that id; a create gets the name, kind and parent sent and an id not in the inventory". */
describe("an answer about another resource", () => {
  it.each(["services", "projects"] as const)(
    "to a create among %s leaves that as it is: the new resource is looked for and recorded",
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
  it.each(rowsIn(join(__dirname, "lists-without.tsv")))(
    "stops each command that needs it: %s without %s",
    async (list, field, told) => {
      await applied(shop());
      bench.emulator.resetLog();
      bench.fail(new RegExp(`^GET .*/${list}$`), withoutFields(field));
      const destroy = { mode: "destroy" } as const;
      for (const run of [bench.plan, bench.apply, bench.drift, () => bench.apply(destroy)]) {
        const found = diagnosticOf(await run().then(refused, (cause) => cause));
        expect(found.code).toBe("api.malformed");
        expect(found.summary.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")).toContain(told);
      }
      expect(bench.writes()).toEqual([]);
      await isQuiet();
    },
  );
});

/**
 * DESIGN section 5: "an answer to our own key with a new id is ours (projects and services), unless its name is that of
 * another declared or live resource of that parent". The length of a name is not shown in the interface.
 */
describe("a create that is answered with another name", () => {
  const long = "a service with a name of more than forty letters";
  const kept = long.slice(0, 40);
  const named = (name: string) => `
projects:
  shop:
    services:
      api: { name: "${name}", kind: web, deploy: { when: never } }
`;
  beforeEach(() => {
    bench = createWorkbench({ emulator: { readings: { name: "cut" } } });
  });

  it("is one service, recorded, where the first answer is lost", async () => {
    bench.write("rnv.yaml", named(long));
    bench.fail(/^POST .*\/services$/, { kind: "reset-after" }, 1);
    const { exitCode, diagnostics } = await bench.apply();
    expect({ exitCode, diagnostics }).toMatchObject({
      exitCode: 3,
      diagnostics: [{ code: "apply.not_taken" }],
    });
    expect(store().services()).toMatchObject([{ name: kept, id: await idOf(api) }]);
    await applied(named(kept));
    await isQuiet();
  });

  it("is one service, recorded, where the process dies before the answer", async () => {
    await applied("projects: { shop: {} }\n");
    bench.write("rnv.yaml", named(long));
    await bench.applyUntilDeath({ write: 1, when: "after" });
    expect(await bench.apply()).toMatchObject({ exitCode: 1, diagnostics: [{ code: "apply.not_taken" }] });
    expect(store().services()).toMatchObject([{ name: kept, id: await idOf(api) }]);
    await applied(named(kept));
    await isQuiet();
  });

  it("is recorded where it replaces the service that has that name", async () => {
    await applied(named(kept));
    bench.write("rnv.yaml", named(long).replace("web", "worker"));
    const startedAt = bench.clock.now();
    const { diagnostics } = await bench.apply({ confirmedDeletes: [api] });
    expect(diagnostics).toMatchObject([{ code: "apply.not_taken" }]);
    expect(bench.clock.now() - startedAt).toBeLessThan(5000);
    expect(store().services()).toMatchObject([{ name: kept, kind: "worker", id: await idOf(api) }]);
  });

  it("is looked for by its name where another service of the project has that name", async () => {
    bench = createWorkbench();
    const both = `${named("api")}      other: { name: other, kind: web, deploy: { when: never } }\n`;
    await applied("projects: { shop: {} }\n");
    // The answer to the one create is that to the other: it was given the wrong key by a proxy.
    let other: unknown;
    bench.fail(/^POST .*\/services$/, { kind: "edited", edit: (body) => (other ??= body) });
    await applied(both);
    const ids = store()
      .services()
      .map(({ name, id }) => [name, id]);
    expect(new Map(ids as [string, string][])).toEqual(
      new Map([
        ["api", await idOf(api)],
        ["other", await idOf("service.shop.other")],
      ]),
    );
  });
});
