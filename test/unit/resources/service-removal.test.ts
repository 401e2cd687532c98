import { deployment } from "../../../src/resources/deployment";
import { service } from "../../../src/resources/service";
import { createInput, type Embedded, embedded, settled, subject } from "./embedded";

const web = { kind: "web", "configuration.repository": "https://git.example.com/shop/api" };
const removal = (id: string) => ({ address: createInput("api", {}).address, id, name: "api" });

async function running(world: Embedded): Promise<string> {
  const { id } = await service.create(world.endpoints, createInput("api", web));
  const { pending } = await deployment.create(world.endpoints, createInput("", { serviceId: id }));
  if (pending) await settled(world, deployment, pending);
  return id;
}

describe("deleting a service", () => {
  it("is done at once when nothing runs", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", web));
    expect(await service.remove(world.endpoints, removal(id))).toEqual({ id });
    expect(await service.read(world.reads(), subject("api", { id }))).toEqual({ kind: "gone" });
  });

  it("waits for the queued operation when something runs", async () => {
    const world = embedded();
    const id = await running(world);
    const { pending } = await service.remove(world.endpoints, removal(id));
    expect(pending).toMatchObject({ kind: "operation", serviceId: id });
    if (pending === undefined) return;
    expect(await settled(world, service, pending)).toEqual({ kind: "done", notes: ["queued", "running"] });
  });

  it("reports an operation that failed", async () => {
    const world = embedded();
    const id = await running(world);
    world.emulator.store.failNextOperation(id);
    const { pending } = await service.remove(world.endpoints, removal(id));
    expect(pending && (await settled(world, service, pending))).toMatchObject({
      kind: "failed",
      summary: 'the operation "delete" failed',
    });
  });

  it("is done when neither operation nor service is shown any more", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", web));
    const unknown = { kind: "operation", serviceId: id, id: "00000000-0000-4000-8000-000000000000" } as const;
    expect(await service.poll(world.reads(), unknown)).toMatchObject({ kind: "failed" });
    await service.remove(world.endpoints, removal(id));
    expect(await service.poll(world.reads(), unknown)).toEqual({ kind: "done" });
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
    expect(await service.poll(world.reads(), pending)).toEqual({ kind: "waiting", status: "deleting" });
    world.emulator.store.settle();
    expect(await service.poll(world.reads(), pending)).toEqual({ kind: "done" });
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

describe("archiving a service in place of deleting it", () => {
  it("leaves it readable and archived", async () => {
    const world = embedded();
    const { id } = await service.create(world.endpoints, createInput("api", web));
    const accepted = await service.archive?.(world.endpoints, removal(id));
    expect(accepted?.live?.attributes.get("archived")).toBe(true);
  });
});
