import { deployment } from "../../../src/resources/deployment";
import { service } from "../../../src/resources/service";
import { createInput, type Embedded, embedded, settled, target } from "./embedded";

const web = { kind: "web", "configuration.repository": "https://git.example.com/shop/api" };
const removal = (id: string) => ({ address: createInput("api", {}).address, id, name: "api" });

async function running(world: Embedded): Promise<string> {
  const { id } = await service.create(world.endpoints, createInput("api", web));
  const { pending } = await deployment.create(world.endpoints, createInput("", { serviceId: id }));
  if (pending) await settled(world, deployment, pending);
  return id;
}

describe("deleting a service", () => {
  it("has to be proven by a read where the API answers that it is done", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", web));
    expect(await service.remove(world.endpoints, removal(id))).toEqual({
      id,
      pending: { kind: "operation", id, serviceId: id, deletes: true, isAnswered: true },
    });
    expect(await service.read(world.reads(), target("api", { id }))).toEqual({ kind: "gone" });
  });

  it("is seen in the deployments of the service where no route reads a service", async () => {
    const world = embedded({ gaps: { readService: false } });
    const { id } = await service.create(world.endpoints, createInput("api", web));
    const pending = { kind: "operation", serviceId: id, id, deletes: true } as const;
    await service.create(world.endpoints, createInput("other", web));
    await service.archive?.(world.endpoints, removal(id));
    expect(await service.poll(world.reads(), pending)).toMatchObject({ kind: "waiting" });
    await service.remove(world.endpoints, removal(id));
    expect(await service.poll(world.reads(), pending)).toEqual({ kind: "done" });
  });

  it("waits by looking at the service when it was queued without an operation to ask for", async () => {
    const world = embedded();
    const id = await running(world);
    const silent = {
      ...world.endpoints,
      deleteService: async (serviceId: string, confirm: string) => {
        const { operation: _operation, ...answer } = await world.endpoints.deleteService(serviceId, confirm);
        return answer;
      },
    };
    const { pending } = await service.remove(silent, removal(id));
    if (pending === undefined) throw new Error("nothing is pending");
    expect(await service.poll(world.reads(), pending)).toMatchObject({
      kind: "waiting",
      status: "deleting",
      atMost: { ms: 300_000 },
    });
    world.emulator.store.settle();
    expect(await service.poll(world.reads(), pending)).toEqual({ kind: "done", showsNothing: true });
  });

  it("needs the exact name", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", web));
    await expect(service.remove(world.endpoints, { ...removal(id), name: "Api" })).rejects.toMatchObject({
      kind: "refused",
    });
  });

  it("is an error when the service answers that nothing was deleted", async () => {
    const { endpoints } = embedded();
    const refusing = { ...endpoints, deleteService: async () => ({ deleted: false }) };
    await expect(service.remove(refusing, removal("s"))).rejects.toMatchObject({
      diagnostics: [{ code: "apply.not_taken" }],
    });
  });
});
