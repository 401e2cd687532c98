import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { approve, openScenario, type Scenario } from "../support/cli";

const manifest = `projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never }, variables: { LEVEL: one, KEPT: two } }
      worker: { kind: web, deploy: { when: never } }
  docs: {}
`;
const kinds = [
  ["service", manifest.replace(/ {6}worker.*\n/, ""), "service.shop.worker"],
  ["project", manifest.replace(/ {2}docs.*\n/, ""), "project.docs"],
  ["variable", manifest.replace("LEVEL: one, ", ""), "variable.shop.api.LEVEL"],
] as const;

/** DESIGN section 4, "Ends of pending work": "A deletion counts as done when the thing is proven gone, never because its operation ended or is not found." */
describe("a queued deletion that the service no longer shows", () => {
  let scenario: Scenario;
  const store = () => scenario.emulator.store;
  const things = () => [
    ...store().projects(),
    ...store().services(),
    ...store()
      .services()
      .flatMap(({ id }) => store().variables(id)),
  ];
  const isRecorded = async (address: string) =>
    (await scenario.run("state", "list")).stdout.split("\n").includes(address);
  afterEach(() => scenario.close());

  const arrange = async (operationSeconds: number): Promise<void> => {
    scenario = await openScenario({ operationSeconds });
    scenario.write("rnv.yaml", manifest);
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    store().setCondition("queued-deletions", true);
  };

  const afterDelete = (answer: (request: SeenRequest) => Fault | undefined): void => {
    let isAsked = false;
    scenario.fail((request) => {
      const fault = isAsked ? answer(request) : undefined;
      isAsked ||= request.method === "DELETE";
      return fault;
    });
  };

  describe.each(kinds)("of a %s", (_kind, without, address) => {
    it.each([404, 405])("is waited for where its operation is answered %d", async (status) => {
      await arrange(0.8);
      const before = things().length;
      scenario.write("rnv.yaml", without);
      afterDelete(({ path }) => (path.includes("/operations/") ? { kind: "status", status } : undefined));
      expect(await scenario.run("apply", ...approve, "-confirm-delete", address)).toMatchObject({ code: 0 });
      expect(things()).toHaveLength(before - 1);
      scenario.fail();
      await scenario.isQuiet();
    });
  });

  it.each(kinds.slice(0, 2))(
    "of a %s stays recorded where the key lost its membership: nothing is shown to it, and all answers are 404",
    async (_kind, without, address) => {
      await arrange(3600);
      // What was written a moment ago is not believed to be gone on the word of any list.
      scenario.settle();
      scenario.write("rnv.yaml", without);
      afterDelete(({ method, path }) => {
        if (path === "/catalog") return undefined;
        if (/(projects|canvas)$/.test(path) && method === "GET") return { kind: "empty-lists" };
        return { kind: "status", status: 404 };
      });
      const first = await scenario.run("apply", ...approve, "-confirm-delete", address);
      expect(first.code).toBe(1);
      expect(first.stderr).toContain(`error[live.gone_unproven]: unknown whether ${address} was deleted`);
      expect(await isRecorded(address)).toBe(true);
      const again = await scenario.run("apply", ...approve, "-confirm-delete", address);
      expect({ code: again.code, stderr: again.stderr }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("error[live.gone_unproven]"),
      });
      expect(await isRecorded(address)).toBe(true);
    },
  );

  it("of the last things there are ends a destroy: nothing else is recorded that should be shown", async () => {
    await arrange(0.3);
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(things()).toEqual([]);
    expect((await scenario.run("state", "list")).stdout).toBe("");
  });
});
