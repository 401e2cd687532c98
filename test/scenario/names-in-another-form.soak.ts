import { approve, openScenario, type Scenario } from "../support/cli";
import { withOtherId } from "../support/edited-answers";

const shop = (project: string, service: string) => `projects:
  shop:
    name: "${project}"
    services:
      api: { name: "${service}", kind: worker, deploy: { when: never }, variables: { LEVEL: info } }
`;

/** A service may keep names in a form of its own; what was made with one is still ours. */
describe("a service that keeps names trimmed and in lower case", () => {
  let at: Scenario;
  beforeEach(async () => {
    at = await openScenario({ conditions: ["plain-names"] });
  });
  afterEach(() => at.close());
  const apply = () => at.run("apply", ...approve);
  const recorded = (address: string): string | undefined =>
    JSON.parse(at.read(".rnv/state.json")).resources[address]?.id;

  it("makes each thing once: it is recorded, both names are told, and what to declare", async () => {
    at.write("rnv.yaml", shop("shop", "API "));
    const first = await apply();
    expect(first.code).toBe(3);
    expect(first.stderr).toContain("error[apply.not_taken]");
    expect(first.stderr).toContain('name: "API " was sent, and the answer of the service shows "api".');
    expect(first.stderr).toContain('declare name: "api"');
    expect(first.stderr).not.toContain("apply.uncertain");
    const again = await apply();
    expect(again.stderr).toContain('name: "API " was sent, and the answer of the service shows "api".');
    expect(at.emulator.store.services().map(({ name }) => name)).toEqual(["api"]);
    expect(recorded("service.shop.api")).toBe(at.emulator.store.services()[0]?.id);

    at.write("rnv.yaml", shop("shop", "api"));
    expect(await apply()).toMatchObject({ code: 0 });
    await at.isQuiet();
  });

  it("makes a project once, and its contents once its name is declared as it is kept", async () => {
    at.write("rnv.yaml", shop("My Shop", "api"));
    const { code, stderr } = await apply();
    expect(code).not.toBe(0);
    expect(stderr).toContain('name: "My Shop" was sent, and the answer of the service shows "my shop".');
    at.write("rnv.yaml", shop("my shop", "api"));
    expect(await apply()).toMatchObject({ code: 0 });
    expect(at.emulator.store.projects()).toHaveLength(1);
    await at.isQuiet();
  });

  it("makes nothing twice when the run is cut short before the answer is recorded", async () => {
    at.write("rnv.yaml", shop("shop", "API "));
    const run = at.start({}, "apply", ...approve);
    at.fail(({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/services")) return undefined;
      run.process.kill("SIGKILL");
      return { kind: "reset-after" };
    });
    expect((await run.ended).code).toBe(-1);
    at.fail();
    await apply();
    expect(at.emulator.store.services()).toHaveLength(1);
    expect(recorded("service.shop.api")).toBe(at.emulator.store.services()[0]?.id);
  });

  it("does not make a stranger's service of that form ours", async () => {
    at.write("rnv.yaml", "projects: { shop: {} }\n");
    expect(await apply()).toMatchObject({ code: 0 });
    const [project] = at.emulator.store.projects();
    const theirs = at.emulator.store.addService({ name: "api", kind: "worker", projectId: project?.id });
    at.write("rnv.yaml", shop("shop", "API "));
    at.fail(({ method, path }) =>
      method === "POST" && path.endsWith("/services") ? withOtherId(theirs.id) : undefined,
    );
    await apply();
    expect(recorded("service.shop.api")).not.toBe(theirs.id);
    at.fail();
    await apply();
    const ours = at.emulator.store.services().filter(({ id }) => id !== theirs.id);
    expect(ours).toHaveLength(1);
    expect(recorded("service.shop.api")).toBe(ours[0]?.id);
  });
});
