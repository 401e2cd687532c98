import { createWorkbench, type Workbench } from "../../support/workbench";

const minute = 60_000;
const shop = (deploy: string, port = 3000): string => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: https://git.example.com/api, port: ${port} }
        deploy: { ${deploy} }
`;

// DESIGN section 4: "`queued` with `blockedReason` → streamed to the user"; no worker takes this one.
describe("a deployment that an earlier run left queued", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = createWorkbench({ emulator: { conditions: ["worker-offline"] } });
  });

  /** Minutes that `act` took by the clock of the bench. */
  const minutesOf = async (act: () => Promise<unknown>): Promise<number> => {
    const before = bench.clock.now();
    await act();
    return (bench.clock.now() - before) / minute;
  };
  const leaveByKill = async (deploy: string): Promise<void> => {
    bench.write("rnv.yaml", shop(deploy));
    // The project, the service, and then the deployment.
    await bench.applyUntilDeath({ write: 3, when: "after" }, { parallelism: 4 });
    expect(bench.writes().at(-1)).toMatch(/\/deploys$/);
    bench.emulator.resetLog();
  };
  const waits = () =>
    bench.events.flatMap((event) =>
      event.type === "progress" && event.note.includes("earlier run") ? [event.note] : [],
    );
  const deploys = () => bench.writes().filter((write) => write.endsWith("/deploys")).length;

  it("is waited for as its own timeout says, which is said, and no later apply waits for it again", async () => {
    await leaveByKill("timeout: 10m");
    const waited = await minutesOf(async () => {
      const { exitCode, diagnostics } = await bench.apply();
      expect(exitCode).toBe(7);
      expect(diagnostics).toContainEqual(
        expect.objectContaining({ code: "apply.deploy_timeout", address: "deployment.shop.api" }),
      );
    });
    expect(waited).toBeGreaterThan(9);
    expect(waited).toBeLessThan(11);
    expect(waits()).toEqual([
      expect.stringMatching(/^started by an earlier run; waiting for it, at most (10m|9m\d+s)$/),
    ]);
    const again = await minutesOf(async () => {
      expect(await bench.apply()).toMatchObject({
        exitCode: 7,
        diagnostics: [
          {
            summary: "deployment.shop.api: still queued after 10m",
            hint: expect.stringContaining("Run the same command to follow it"),
          },
        ],
      });
    });
    expect(again).toBeLessThan(1);
    expect(deploys()).toBe(0);
    bench.emulator.store.setCondition("worker-offline", false);
    bench.emulator.store.settle();
    expect((await bench.apply()).exitCode).toBe(0);
    expect(await bench.acting()).toEqual([]);
    expect(deploys()).toBe(0);
  });

  it("counts its time from when it was left, not from the next run", async () => {
    await leaveByKill("timeout: 10m");
    bench.clock.advance(7 * minute);
    const waited = await minutesOf(async () => expect((await bench.apply()).exitCode).toBe(7));
    expect(waited).toBeGreaterThan(2);
    expect(waited).toBeLessThan(4);
  });

  it("is not waited for by an apply of something else", async () => {
    await leaveByKill("timeout: 10m");
    const waited = await minutesOf(async () => {
      expect((await bench.apply({ targets: ["project.shop"] })).exitCode).toBe(0);
    });
    expect(waited).toBeLessThan(1);
  });

  it("fails the apply where it fails while it is waited for, and the next apply deploys again", async () => {
    bench.emulator.store.failNextDeployment("*", "out of memory");
    await leaveByKill("timeout: 10m");
    bench.clock.sleep(3 * minute).then(() => bench.emulator.store.setCondition("worker-offline", false));
    expect(await bench.apply()).toMatchObject({
      exitCode: 7,
      diagnostics: [{ code: "apply.deploy_failed", address: "deployment.shop.api" }],
    });
    expect(deploys()).toBe(0);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(deploys()).toBe(1);
    expect(await bench.acting()).toEqual([]);
  });

  it("is waited for before what depends on it is made", async () => {
    await leaveByKill("timeout: 10m");
    const web =
      "      web: { kind: web, dependsOn: [service.shop.api], configuration: { repository: https://git.example.com/web } }\n";
    bench.write("rnv.yaml", `${shop("timeout: 10m").trimEnd()}\n${web}`);
    expect((await bench.apply()).exitCode).toBe(7);
    expect(bench.emulator.store.services().map(({ name }) => name)).toEqual(["api"]);
    bench.emulator.store.setCondition("worker-offline", false);
    bench.emulator.store.settle();
    expect((await bench.apply()).exitCode).toBe(0);
    expect(bench.emulator.store.services().map(({ name }) => name)).toEqual(["api", "web"]);
  });
});
