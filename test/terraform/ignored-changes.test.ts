import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

/** One resource of each type; `v` distinguishes the values of one version, of which each resource ignores one. */
const everything = (v: number, more = v) =>
  textIn(join(__dirname, "ignored-changes.tf"), { v, more, commit: `${v}`.repeat(40) });
const ignoring = /lifecycle \{ ignore_changes = .* \}/g;

describeTerraform("ignore_changes", () => {
  const world = attachedFolder();
  const { emulator } = world;
  const service = () => emulator.store.services().find(({ deletedAt }) => deletedAt === null);
  const variables = () =>
    Object.fromEntries(
      emulator.store
        .variables(service()?.id ?? "")
        .map(({ id, key }) => [key, emulator.store.variableValue(id)]),
    );
  /** Bodies of the writes since the last `resetLog`, by the last part of their path that is no id. */
  const sent = (): Record<string, unknown> =>
    Object.fromEntries(
      emulator.log
        .filter(({ method }) => method !== "GET")
        .map(({ method, path, body }) => [
          `${method} ${path
            .replace(/[?].*$/, "")
            .replace(/\/[0-9a-f-]{36}$/, "")
            .split("/")
            .at(-1)}`,
          body,
        ]),
    );

  it("sends no ignored field while other fields change, also without a refresh", async () => {
    world.write(everything(1));
    await world.apply();
    const { id = "" } = service() ?? {};
    emulator.store.editConfiguration(id, { branch: "hotfix" });
    emulator.resetLog();
    world.write(everything(2));
    const output = await world.apply();
    expect(output).toContain("0 added, 6 changed, 0 destroyed");
    const bodies = sent();
    expect(bodies["PATCH projects"]).toEqual({ description: "text 2" });
    expect(bodies["PATCH services"]).toEqual({ configuration: { replicas: 2 } });
    expect(variables()).toEqual({ LEVEL_2: "value-1", A: "a-1", B: "b-2" });
    expect(bodies["PATCH canvas"]).toMatchObject({ positions: { [id]: { x: 1, y: 0 } }, viewport: { x: 2 } });
    expect(bodies["POST deploys"]).toEqual({ commitSha: "1".repeat(40) });
    expect(service()?.configuration).toMatchObject({ branch: "hotfix", replicas: 2 });
    await world.expectNoChanges();

    // Without a refresh the state stands for what is there.
    emulator.resetLog();
    world.write(everything(3));
    await world.apply("-refresh=false");
    expect(sent()["PATCH services"]).toEqual({ configuration: { replicas: 3 } });
    expect(variables()).toEqual({ LEVEL_3: "value-1", A: "a-1", B: "b-3" });
    expect(service()?.configuration).toMatchObject({ branch: "hotfix", replicas: 3 });
  }, 60_000);

  it("covers every field with `all`, and a field that is no longer ignored is applied", async () => {
    world.write(everything(4).replace(ignoring, "lifecycle { ignore_changes = all }"));
    await world.expectNoChanges();
    world.write(everything(5, 3).replace(ignoring, ""));
    emulator.resetLog();
    await world.apply();
    expect(sent()).toMatchObject({
      "PATCH projects": { color: "#000005" },
      "PATCH services": { configuration: { branch: "branch-5" } },
      "POST deploys": { commitSha: "5".repeat(40) },
    });
    expect(variables()).toEqual({ LEVEL_3: "value-5", A: "a-5", B: "b-3" });
    await world.expectNoChanges();
  }, 60_000);

  it("sends ignored fields in a replacement that is created before the old service is destroyed", async () => {
    const lifecycle = "lifecycle {\n create_before_destroy = true\n ignore_changes = [configuration] \n}";
    const other = (name: string, kind: string, branch: string) =>
      `resource "rnv_service" "w" {\n name = "${name}"\n kind = "${kind}"\n configuration { branch = "${branch}" }\n ${lifecycle}\n}\n`;
    world.write(other("one", "web", "a"));
    await world.apply();
    emulator.resetLog();
    world.write(other("two", "worker", "b"));
    await world.apply();
    expect(world.writes().map((write) => write.replace(/[0-9a-f-]{36}/, "ID"))).toEqual(
      expect.arrayContaining(["POST /services", "DELETE /services/ID"]),
    );
    expect(sent()["POST services"]).toMatchObject({ kind: "worker", configuration: { branch: "b" } });
    const order = world.writes().map((write) => write.split(" ")[0]);
    expect(order.indexOf("POST")).toBeLessThan(order.lastIndexOf("DELETE"));
    await world.expectNoChanges();
  }, 60_000);

  it("leaves a value that was changed outside where another field of its variable changes", async () => {
    const { store } = emulator;
    const { id: serviceId } = store.addService({ name: "left", kind: "web" });
    const write = (key: string, value: string) =>
      world.write(
        `resource "rnv_variable" "left" {\n service_id = "${serviceId}"\n key = "${key}"\n ${value}\n lifecycle { ignore_changes = [value, generate] }\n}\n`,
      );
    for (const [value, next] of [
      [`value = "1"`, `value = "2"`],
      ["generate = { length = 32 }", "generate = { length = 40 }"],
    ] as const) {
      write("LEFT", value);
      await world.apply();
      world.settle();
      const [left] = store.variables(serviceId);
      store.editVariable(left?.id ?? "", { value: "outside" });
      write("RENAMED", next);
      await world.apply();
      expect(store.variables(serviceId).map(({ id, key }) => [key, store.variableValue(id)])).toEqual([
        ["RENAMED", "outside"],
      ]);
      await world.expectNoChanges();
      world.write("");
      await world.apply();
    }
  }, 60_000);

  it("names a value that was changed outside where its service is replaced: it cannot be set again", async () => {
    const { store } = emulator;
    const write = (kind: string) =>
      world.write(
        `resource "rnv_service" "lost" {\n name = "lost"\n kind = "${kind}"\n}\n` +
          `resource "rnv_variable" "lost" {\n service_id = rnv_service.lost.id\n key = "LOST"\n value = "1"\n lifecycle { ignore_changes = [value] }\n}\n`,
      );
    write("web");
    await world.apply();
    world.settle();
    const { id } = store.services().find(({ name }) => name === "lost") ?? { id: "" };
    store.editVariable(store.variables(id)[0]?.id ?? "", { value: "outside" });
    write("worker");
    const output = await world.told("apply -auto-approve -input=false", 1);
    expect(output).toContain("The value of LOST is not known here, and cannot be set again");
    expect(output).toContain("Give it a value, or take value out of ignore_changes for this plan.");
  }, 60_000);
});
