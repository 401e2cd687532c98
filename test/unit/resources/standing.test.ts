import { deployment } from "../../../src/resources/deployment";
import { type Embedded, embedded, target } from "./embedded";

interface World extends Embedded {
  readonly serviceId: string;
}

const world = (): World => {
  const made = embedded();
  const { id } = made.emulator.store.addService({
    name: "api",
    live: true,
    configuration: { repository: "https://git.example.com/api" },
  });
  return { ...made, serviceId: id };
};

/** Where the deployment stands, for a state that recorded the release `recorded`. */
async function standing(made: World, recorded?: string, when = "changed") {
  const read = await deployment.read(
    made.reads(),
    target("", {
      values: { serviceId: made.serviceId, when },
      ...(recorded && { id: recorded, recorded: { id: recorded, applied: {} } as never }),
    }),
  );
  return read.kind === "found"
    ? read.live.standing?.map(({ code, class: of }) => `${of}: ${code}`)
    : read.kind;
}

const live = (made: World): string => made.emulator.store.service(made.serviceId)?.liveDeploymentId ?? "";

describe("where a deployment stands", () => {
  it("needs no word, and no request, while the release that was recorded is the latest and serves", async () => {
    const made = world();
    made.requests();
    expect(await standing(made, live(made))).toBeUndefined();
    expect(await standing(made)).toBeUndefined();
    expect(made.requests().filter((request) => request.includes("/deploys"))).toEqual([]);
  });

  it("is under way, waits, or awaits a checkout while the latest has not ended", async () => {
    const made = world();
    const { store } = made.emulator;
    store.setCondition("worker-offline", true);
    store.deploy(made.serviceId);
    made.clock.advance(60_000);
    expect(await standing(made)).toEqual(["running: waiting"]);
    store.setCondition("worker-offline", false);
    expect(await standing(made)).toEqual(["running: deploying"]);
    store.settle();
    store.editConfiguration(made.serviceId, { plan: "starter" });
    store.deploy(made.serviceId);
    made.clock.advance(60_000);
    expect(await standing(made)).toEqual(["pending: awaiting_checkout"]);
  });

  it("is an older release when the latest was live and another one serves", async () => {
    const made = world();
    const first = live(made);
    made.emulator.store.deploy(made.serviceId);
    made.emulator.store.settle();
    made.emulator.store.editService(made.serviceId, () => ({ liveDeploymentId: first }));
    expect(await standing(made, first)).toEqual(["running: older_release"]);
  });
});

it("of many services that were deployed elsewhere only the first are asked, in one reading of the workspace", async () => {
  const made = world();
  made.emulator.store.deploy(made.serviceId);
  made.emulator.store.settle();
  const reads = made.reads();
  made.requests();
  for (let i = 0; i < 150; i += 1)
    await deployment.read(
      reads.fresh(),
      target("", {
        values: { serviceId: made.serviceId },
        id: "other",
        recorded: { id: "other", applied: {} } as never,
      }),
    );
  expect(made.requests().filter((request) => request.includes("/deploys/"))).toHaveLength(100);
});
