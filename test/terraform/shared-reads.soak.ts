import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform } from "../support/terraform";

const count = 200;

describeTerraform("a plan of many services", () => {
  const world = attachedFolder();
  it("costs three requests, and no more for any service", async () => {
    const services = Array.from({ length: count }, (_, index) =>
      world.emulator.store.addService({ name: `s-${index}`, kind: "web", configuration: { branch: "main" } }),
    );
    const ids = services.map(({ id }, index) => `    ${index} = "${id}"`).join("\n");
    world.write(textIn(join(__dirname, "imported.tf"), { ids }));
    await world.apply();
    expect(world.writes()).toEqual([]);
    world.emulator.resetLog();
    await world.expectNoChanges();
    expect(world.emulator.log.map(({ path }) => path.replace(/^.*\//, "")).sort()).toEqual([
      "canvas",
      "catalog",
      "projects",
    ]);
  }, 180_000);
});

describeTerraform("the lists of variables of a plan", () => {
  const world = attachedFolder();
  const declared = (managed: number): string => textIn(join(__dirname, "shared-reads.tf"), { managed });
  /** Returns the services whose lists a plan asks for, and how many of the requests wait for their answers at once. */
  const watched = async () => {
    const asked: string[] = [];
    let [waiting, most] = [0, 0];
    world.emulator.setFaults((_, { path }) => {
      if (!path.endsWith("/variables")) return undefined;
      const run = async () => {
        asked.push(path);
        waiting += 1;
        most = Math.max(most, waiting);
        await sleep(100);
        waiting -= 1;
      };
      return { kind: "hook", when: "before", run };
    });
    await world.expectNoChanges();
    world.emulator.setFaults(undefined);
    return { asked, most };
  };

  it("leave together once the first is asked for, one for each service; few of services without managed variables", async () => {
    world.write(declared(120));
    await world.apply("-parallelism=50");
    world.settle();
    const all = await watched();
    expect(all.most).toBeGreaterThan(30);
    expect([all.asked.length, new Set(all.asked).size]).toEqual([120, 120]);
    world.write(declared(2));
    await world.apply("-parallelism=50");
    const few = await watched();
    expect(new Set(few.asked).size).toBe(few.asked.length);
    expect(few.asked.length).toBeLessThanOrEqual(2 * 9);
  }, 180_000);
});
