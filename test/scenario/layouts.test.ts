import type { Canvas } from "../../src/api/wire/shapes";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, eachScenario } from "../support/cli";
import { itInSoak } from "../support/soak";

const service = (name: string, more = "") => `      ${name}: { kind: web, deploy: { when: never }${more} }\n`;
const shop = (services: string, layout: string) =>
  `projects:\n  shop:\n    services:\n${services}    layout: ${layout}\n`;
const both = service("api") + service("web");
const at = (x: number) => `{ x: ${x}, y: 0 }`;

/** "Archived services are excluded" and "node ids must exist in the current canvas" (interface, "Canvas"). */
describe("the layout of a canvas", () => {
  // A node without a place is what "auto" is about.
  const scenario = eachScenario({ readings: { unplacedNodes: "absent" } });

  const ok = async (...args: string[]) => {
    const ended = await scenario.run(...args);
    expect({ args, ...ended }).toEqual({ args, ...ended, code: 0 });
    return ended;
  };
  const applied = async (services: string, layout: string, ...args: string[]) => {
    scenario.write("rnv.yaml", shop(services, layout));
    const ended = await ok("apply", ...approve, ...args);
    await scenario.isQuiet();
    return ended;
  };
  const store = () => scenario.emulator.store;
  const canvas = async (save?: object) => {
    const address = `${scenario.url}/workspaces/${embeddedWorkspaceId}/canvas?projectId=${store().projects()[0]?.id}`;
    const headers = { authorization: `Bearer ${embeddedApiKey}`, "content-type": "application/json" };
    const answer = await fetch(
      address,
      save ? { method: "PATCH", headers, body: JSON.stringify(save) } : { headers },
    );
    expect(answer.status).toBe(200);
    // Upper and lower case are one ID.
    const text = (await answer.text()).replace(/"[0-9A-F-]{36}"/g, (id) => id.toLowerCase());
    return JSON.parse(text) as Canvas;
  };
  const places = async () => {
    const { layout, nodes } = await canvas();
    const names = new Map(nodes.map(({ id, name }) => [id, name]));
    return Object.fromEntries(
      Object.entries(layout.positions).map(([id, { x }]) => [names.get(id) ?? id, x]),
    );
  };
  /** What someone does in the dashboard. */
  const move = async (name: string, x: number) => {
    const { layout } = await canvas();
    const { revision, viewport, positions } = layout;
    // A save takes no other fields, whatever a read shows.
    const kept = Object.fromEntries(
      Object.entries(positions).map(([id, place]) => [id, { x: place.x, y: place.y }]),
    );
    await canvas({ revision, viewport, positions: { ...kept, [scenario.idOf(name)]: { x, y: 5 } } });
  };

  it("a node that is renamed and moved in one edit is shown at its new place before it goes there", async () => {
    await applied(both, `{ positions: { api: ${at(0)}, web: ${at(1)} } }`);
    const renamed = service("api", ", name: checkout") + service("web");
    const layout = `{ positions: { checkout: ${at(640)}, web: ${at(1)} } }`;
    scenario.write("rnv.yaml", shop(renamed, layout));
    expect((await ok("plan")).stdout).toMatch(/\+ +"checkout": \{\s+\+ +"x": 640/);
    await applied(renamed, layout);
    expect(await places()).toEqual({ checkout: 640, web: 1 });
    // What is not declared any more has not drifted.
    scenario.write("rnv.yaml", shop(renamed, layout).replace(/ {4}layout.*\n/, ""));
    expect((await ok("drift")).stdout).toContain("No drift. 1 not applied yet.");
  });

  it("auto has a place for a service that is restored, made, replaced or adopted, after one apply", async () => {
    await applied(service("api", ", archived: true") + service("web"), "auto");
    expect(Object.keys(await places())).toEqual(["web"]);
    expect((await applied(both, "auto")).stdout).toContain("because service.shop.api needs a place");
    expect(Object.keys(await places()).sort()).toEqual(["api", "web"]);
    await applied(both + service("next", ", name: other"), "auto");
    expect((await applied(both + service("next"), "auto")).stdout).not.toContain("layout.shop");
    expect(Object.keys(await places()).sort()).toEqual(["api", "next", "web"]);
    await applied(
      both.replace("kind: web", "kind: static") + service("next"),
      "auto",
      "--confirm-delete",
      "service.shop.api",
    );
    expect(Object.keys(await places()).sort()).toEqual(["api", "next", "web"]);
    store().addService({ name: "found", projectId: store().projects()[0]?.id });
    await applied(
      both.replace("kind: web", "kind: static") + service("next") + service("found"),
      "auto",
      "--adopt",
    );
    expect(Object.keys(await places()).sort()).toEqual(["api", "found", "next", "web"]);
  });

  it("auto takes no service for refused that came between its read and its save", async () => {
    const add = async () => void store().addService({ name: "theirs", projectId: store().projects()[0]?.id });
    scenario.emulator.setFaults((_, { method, path }) =>
      method === "PATCH" && path.includes("/canvas") ? { kind: "hook", when: "before", run: add } : undefined,
    );
    scenario.write("rnv.yaml", shop(both, "auto"));
    await ok("apply", ...approve);
    scenario.emulator.setFaults(undefined);
    expect((await ok("plan")).stdout).toContain("because theirs has no place yet");
  });

  it("auto keeps what others moved by hand", async () => {
    await applied(both, "auto");
    await move("api", 777);
    await scenario.isQuiet();
    await applied(both + service("next"), "auto");
    expect((await places()).api).toBe(777);
  });

  itInSoak("auto finds a place for what others added", async () => {
    await applied(both, "auto");
    store().addService({ name: "theirs", projectId: store().projects()[0]?.id });
    // The layout was not changed, and no user is named.
    const drift = await ok("drift", "-json");
    expect(JSON.parse(drift.stdout)).toMatchObject({
      has_drift: false,
      drifted: [],
      pending: [{ address: "layout.shop", reason: "theirs has no place yet" }],
    });
    const { stdout } = await ok("plan");
    expect(stdout).toMatch(/layout\.shop will be updated in place\n +because theirs has no place yet/);
    expect(stdout).not.toContain("outside");
    await ok("apply", ...approve);
    await scenario.isQuiet();
    expect(Object.keys(await places()).sort()).toEqual(["api", "theirs", "web"]);
  });

  itInSoak("auto gives a place again to a service of which someone took it away", async () => {
    await applied(both, "auto");
    const { layout } = await canvas();
    await canvas({ revision: layout.revision, viewport: null, positions: {} });
    expect((await ok("plan")).stdout).toContain("because 2 nodes have no place yet");
    await ok("apply", ...approve);
    await scenario.isQuiet();
    expect(Object.keys(await places()).sort()).toEqual(["api", "web"]);
  });

  it("gives its place to a service that is made, replaced or restored in the same apply", async () => {
    const layout = `{ positions: { api: ${at(10)}, web: ${at(20)} } }`;
    await applied(both, layout);
    expect(await places()).toEqual({ api: 10, web: 20 });
    await applied(both.replace("kind: web", "kind: static"), layout, "--confirm-delete", "service.shop.api");
    expect(await places()).toEqual({ api: 10, web: 20 });
    const three = `{ positions: { api: ${at(10)}, web: ${at(20)}, next: ${at(30)} } }`;
    const ended = await applied(both + service("next"), three, "--confirm-delete", "service.shop.api");
    expect(ended.stdout).toContain("because 2 services need places");
    expect(await places()).toEqual({ api: 10, next: 30, web: 20 });
    await applied(both + service("next", ", archived: true"), three.replace("30", "40"));
    await applied(both + service("next"), three.replace("30", "40"));
    expect(await places()).toEqual({ api: 10, next: 40, web: 20 });
  });

  it("moves back what others moved, and only that", async () => {
    await applied(both, `{ positions: { api: ${at(10)} } }`);
    const { stdout } = await applied(both + service("next"), `{ positions: { api: ${at(10)} } }`);
    expect(stdout).not.toContain("layout.shop");
    await move("api", 777);
    await move("web", 888);
    expect((await scenario.run("plan", "-detailed-exitcode")).code).toBe(2);
    await ok("apply", ...approve);
    await scenario.isQuiet();
    expect(await places()).toEqual({ api: 10, web: 888 });
  });

  // "`positions` keys match the pattern of a UUID optionally prefixed with `group:`"; a group's `id` only starts with it.
  it("gives no place to a group of another id", async () => {
    await applied(service("api"), "{}");
    const [project] = store().projects();
    store().addGroup({
      id: "payments",
      name: "payments",
      serviceIds: [scenario.idOf("api")],
      projectId: project?.id,
    });
    await applied(both, "auto");
    expect(Object.keys(await places()).sort()).toEqual(["api", "web"]);
  });

  it("is an error of the plan where it places what is not there, at its line, with what there is", async () => {
    await applied(both, "auto");
    scenario.forget();
    for (const key of [
      "apii",
      "11111111-1111-4111-8111-111111111111",
      "group:11111111-1111-4111-8111-111111111111",
      scenario.idOf("api"),
    ]) {
      scenario.write("rnv.yaml", shop(both, `{ positions: { api: ${at(1)}, "${key}": ${at(2)} } }`));
      const isSame = key === scenario.idOf("api");
      for (const verb of [["plan"], ["apply", ...approve]]) {
        const { code, stderr } = await scenario.run(...verb);
        expect(code).toBe(1);
        expect(stderr).toContain(isSame ? `"api" and "${key}" are one node` : `no node "${key}"`);
        expect(stderr).toContain("--> rnv.yaml:6:");
        expect(stderr).toContain(isSame ? "keep one of the two" : "api, web");
      }
    }
    expect(scenario.requests()).toEqual([]);
    expect((await scenario.run("plan")).stderr).not.toContain("bug");
  });
});
