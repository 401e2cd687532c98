import { openScenario } from "../support/cli";
import { withFields } from "../support/edited-answers";
import { shareOf } from "../support/soak";

const manifest = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/a" } }
`;

describe("an archived service that no list shows and that has the name of a new service", () => {
  it.each(shareOf([true, false], 2))(
    "is not taken for what was created (archived in the answer: %s)",
    async (archived) => {
      const at = await openScenario();
      await at.applied("projects: { shop: {} }\n");
      const { store } = at.emulator;
      const projectId = store.projects()[0]?.id ?? "";
      const theirs = store.addService({ name: "api", kind: "web", projectId });
      store.editService(theirs.id, () => ({ archived: true }));
      const before = JSON.stringify(store.services());
      at.settle();
      at.write("rnv.yaml", manifest);
      const { id, createdAt } = theirs;
      at.fail(({ method, path }) =>
        method === "POST" && path.endsWith("/services") ? withFields({ id, createdAt, archived }) : undefined,
      );
      await at.applies();
      at.fail();
      const [made, ...more] = store.services().filter((one) => one.id !== id);
      expect(more).toEqual([]);
      expect(JSON.parse(at.read(".rnv/state.json")).resources["service.shop.api"].id).toBe(made?.id);
      expect(JSON.stringify(store.services().filter((one) => one.id === id))).toBe(before);
      await at.isQuiet();
    },
  );
});
