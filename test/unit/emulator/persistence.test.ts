import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type EmulatorOptions } from "../../../src/emulator/emulator";
import { FolderPersistence } from "../../../src/emulator/persistence";
import { Store } from "../../../src/emulator/records";
import { manualClock } from "../../../src/emulator/testing";
import { newFolder } from "../../support/temp-folder";
import { callerOf } from "./caller";

let folder: string;
beforeEach(() => {
  folder = join(newFolder("emulator"), "data");
});

const open = (options: EmulatorOptions = {}) => {
  const emulator = createEmulator({ folder, clock: manualClock(), ...options });
  return { emulator, call: callerOf(emulator), workspace: `/workspaces/${emulator.workspaceId}` };
};
const draft = { name: "Shop", color: "#101010" };

describe("an emulator with a folder", () => {
  it("shows the same canvas, projects and variables after a restart", async () => {
    const first = open();
    const project = first.emulator.store.addProject({ name: "Shop" });
    const service = first.emulator.store.addService({ name: "api", projectId: project.id, live: true });
    const { id } = first.emulator.store.addVariable(service.id, "TOKEN", "hush-1234");
    const path = `${first.workspace}/canvas`;
    await first.call("PATCH", path, {
      revision: 0,
      positions: { [service.id]: { x: 1, y: 2 } },
      viewport: null,
    });
    const before = (await first.call("GET", path)).body;
    const second = open();
    expect((await second.call("GET", path)).body).toEqual(before);
    expect(second.emulator.store.variableValue(id)).toBe("hush-1234");
    expect(second.emulator.store.deployments(service.id)).toHaveLength(1);
  });

  it("keeps receipts: the same key replays after a restart", async () => {
    const first = open();
    const headers = { "idempotency-key": "k" };
    const created = await first.call("POST", `${first.workspace}/projects`, draft, headers);
    const second = open();
    const again = await second.call("POST", `${second.workspace}/projects`, draft, headers);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.body).toEqual(created.body);
    expect(second.emulator.store.projects()).toHaveLength(1);
  });

  it("a long journal is replaced by what there is, and nothing is lost or comes back", () => {
    const first = open();
    const { id } = first.emulator.store.addProject();
    first.emulator.store.addProject({ name: "kept" });
    first.emulator.store.deleteProjectNow(id);
    const clock = manualClock();
    new FolderPersistence(folder, new Store(clock, undefined), 1);
    const lines = readFileSync(join(folder, "journal.ndjson"), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line)[0][2].name)).toEqual(["kept"]);
    first.emulator.store.addProject({ name: "after" });
    expect(
      open()
        .emulator.store.projects()
        .map((project) => project.name),
    ).toEqual(["kept", "after"]);
  });

  it("a deployment under way goes on after a restart", async () => {
    const clock = manualClock();
    const first = open({ clock });
    const { id } = first.emulator.store.addService({ name: "api" });
    const deployment = first.emulator.store.deploy(id);
    const second = open({ clock });
    clock.advance(60_000);
    const path = `${second.workspace}/services/${id}/deploys/${deployment.id}`;
    expect((await second.call("GET", path)).body.deployment.status).toBe("live");
  });

  it("every file and the folder are for the user only, and hold no variable value", () => {
    const { emulator } = open();
    const { id } = emulator.store.addService({ name: "api" });
    emulator.store.addVariable(id, "TOKEN", "hush-1234");
    open();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name), "utf8")).not.toContain("hush-1234");
    }
  });

  it("a line cut short by a crash is dropped, and what follows it is kept", () => {
    open().emulator.store.addProject({ name: "whole" });
    appendFileSync(join(folder, "journal.ndjson"), '[["projects","x",{"id":"x","na');
    open().emulator.store.addProject({ name: "later" });
    expect(
      open()
        .emulator.store.projects()
        .map((project) => project.name),
    ).toEqual(["whole", "later"]);
  });

  it("two processes on one folder see each other's commits", async () => {
    const [first, second] = [open(), open()];
    const names = async ({ call, workspace }: typeof first): Promise<string[]> =>
      (await call("GET", `${workspace}/projects`)).body.projects.map(
        (project: { name: string }) => project.name,
      );
    await first.call("POST", `${first.workspace}/projects`, { ...draft, name: "one" });
    expect(await names(second)).toEqual(["one"]);
    await second.call("POST", `${second.workspace}/projects`, { ...draft, name: "two" });
    expect(await names(first)).toEqual(["one", "two"]);
    first.emulator.store.editProject(first.emulator.store.projects()[0]?.id ?? "", { description: "again" });
    first.emulator.store.editProject(first.emulator.store.projects()[0]?.id ?? "", { description: "third" });
    new FolderPersistence(folder, new Store(manualClock(), undefined), 1);
    await first.call("POST", `${first.workspace}/projects`, { ...draft, name: "three" });
    expect(await names(second)).toEqual(["one", "two", "three"]);
  });

  it("expired receipts are not carried over", async () => {
    const clock = manualClock();
    const { call, workspace } = open({ clock });
    await call("POST", `${workspace}/projects`, draft, { "idempotency-key": "k" });
    clock.advance(24 * 60 * 60 * 1000);
    open({ clock });
    const store = new Store(clock, undefined);
    new FolderPersistence(folder, store);
    expect([...store.all("projects")]).toHaveLength(1);
    expect([...store.all("receipts")]).toEqual([]);
  });
});
