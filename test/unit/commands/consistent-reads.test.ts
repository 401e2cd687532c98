import { diagnosticOf } from "../../../src/api/api-error";
import type { WireRequest, WireResponse } from "../../../src/api/transport";
import type { AnswerBody } from "../../../src/emulator/faults";
import { createLocalBackend } from "../../../src/state/stores/local-backend";
import { MemoryDisk } from "../../support/memory-disk";
import { createWorkbench, type Workbench, type WorkbenchOptions } from "../../support/workbench";

/** DESIGN section 5, "Consistent reads". */
const shop = (replicas: number, more = "") => `projects:
  shop:
    services:
${more}      api: { kind: worker, configuration: { replicas: ${replicas} }, deploy: { when: never } }
`;
const minute = 60_000;
const forever = { ms: 10 ** 9 };

let bench: Workbench;
const open = (options?: WorkbenchOptions) => {
  bench = createWorkbench(options);
};
/** Opens a bench whose platform gives changed answers. */
const openWith = (change: (answer: WireResponse, request: WireRequest) => WireResponse) =>
  open({
    transport: ({ send, close }) => ({
      send: async (request) => change(await send(request), request),
      close,
    }),
  });
beforeEach(() => open());

const store = () => bench.emulator.store;
const applied: Workbench["applied"] = (...given) => bench.applied(...given);
const changes = () => bench.acting();
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (cause) => (cause.diagnostics?.[0] ?? diagnosticOf(cause)).code,
  );

it("a version that is older than the record does not make a revert say that nothing changes", async () => {
  await applied(shop(1));
  bench.clock.advance(10 * minute);
  store().setLag({ all: forever });
  await applied(shop(2));
  bench.clock.advance(60 * minute);
  bench.write("rnv.yaml", shop(1));
  expect(await refusal(bench.plan())).toBe("live.stale");
  store().setLag();
  expect(await changes()).toEqual(["update service.shop.api"]);
});

it("an edit outside in the second of our write is newer, also where our write has a whole second", async () => {
  await applied(shop(1));
  bench.clock.advance(minute - (bench.clock.now() % 1000));
  await applied(shop(2));
  const [service] = store().services();
  expect(service?.updatedAt).toMatch(/\.000Z$/);
  bench.clock.advance(300);
  store().editConfiguration(service?.id ?? "", { replicas: 3 });
  expect(await changes()).toEqual(["update service.shop.api"]);
});

describe("two writes in one second of a service with times in whole seconds", () => {
  beforeEach(async () => {
    bench.remove();
    open({ emulator: { readings: { timeForm: "seconds" } } });
    bench.clock.advance(minute - (bench.clock.now() % 1000));
    await applied(shop(1));
  });

  it("are two versions to the next run, whose reads are from before the second", async () => {
    const run = async () => store().setLag({ all: { ms: 3000 } });
    bench.fail(/^PATCH /, { kind: "hook", when: "before", run });
    await applied(shop(2));
    expect(await changes()).toEqual([]);
  });

  it("leave the next run without a doubt where the answer to the second was lost", async () => {
    bench.fail(/^PATCH /, { kind: "reset-after" });
    bench.write("rnv.yaml", shop(2));
    expect(await bench.apply()).not.toMatchObject({ exitCode: 0 });
    bench.fail();
    expect(await changes()).toEqual([]);
  });
});

describe("the age of a write", () => {
  it.each([-60, 60])(
    "is measured by the clock of the service, not by ours, %i minutes apart",
    async (minutes) => {
      store().setLag({ all: { ms: 3000 } });
      await applied(shop(1));
      const clock = { ...bench.clock, now: () => bench.clock.now() + minutes * minute };
      await applied(shop(1), {}, { clock });
      expect(store().services()).toHaveLength(1);
    },
  );

  it("counts from the Date of its answer, also where that is ahead of the times in it", async () => {
    bench.remove();
    open({ emulator: { readings: { dateHeader: "ahead" } } });
    store().setLag({ all: { ms: 3000 } });
    await applied(shop(1));
    await applied(shop(1));
    expect(store().services()).toHaveLength(1);
  });

  it("counts for five minutes longer without a Date: clocks may differ", async () => {
    let isDated = true;
    openWith(({ headers, ...answer }) => {
      const { date, ...undated } = headers;
      return { ...answer, headers: isDated ? headers : undated };
    });
    await applied(shop(1));
    bench.clock.advance(4 * minute);
    store().deleteServiceNow(store().services()[0]?.id ?? "");
    isDated = false;
    expect(await refusal(bench.plan())).toBe("live.stale");
    isDated = true;
    expect(await changes()).toEqual(["create service.shop.api"]);
  });
});

/** "An unsaved layout has revision 0." "Empty `positions` and null `viewport` reset the layout." */
it("a layout that was reset outside, and counts as unsaved again, is saved again", async () => {
  let isReset = false;
  const fresh = { revision: 0, positions: {}, viewport: null };
  const answered = (body: string) =>
    body.includes('"layout":') ? JSON.stringify({ ...JSON.parse(body), layout: fresh }) : body;
  openWith((answer) => (isReset ? { ...answer, body: answered(answer.body) } : answer));
  await applied(shop(1).replace("    services", "    layout: auto\n    services"));
  bench.clock.advance(10 * minute);
  isReset = true;
  expect(await changes()).toEqual(["update layout.shop"]);
});

it("a layout is saved again while the canvas does not show a service that was created with it", async () => {
  bench.fail(/^PATCH .*\/canvas/, { kind: "status", status: 400, code: "canvas_invalid_node" }, 3);
  await applied(shop(1).replace("    services", "    layout: auto\n    services"));
  const saves = bench.emulator.log.filter(({ method, path }) => method === "PATCH" && /canvas$/.test(path));
  expect(saves).toHaveLength(4);
  expect(await changes()).toEqual([]);
});

it("a doubt ends without a Date too", async () => {
  open({ emulator: { readings: { dateHeader: "absent" } } });
  await applied(shop(1));
  store().deleteServiceNow(store().services()[0]?.id ?? "");
  expect(await refusal(bench.plan())).toBe("live.stale");
  bench.clock.advance(8 * minute);
  expect(await changes()).toEqual(["create service.shop.api"]);
});

describe("two copies of one service in a list", () => {
  const older = ({ configuration, ...node }: { readonly configuration: object }) => ({
    ...node,
    configuration: { ...configuration, replicas: 9 },
    updatedAt: "2020-01-01T00:00:00.000Z",
  });
  const doubled = ({ url }: WireRequest, answer: WireResponse, isOlderFirst: boolean): WireResponse => {
    if (!url.endsWith("/canvas")) return answer;
    const { nodes, ...rest } = JSON.parse(answer.body);
    const both = isOlderFirst ? [...nodes.map(older), ...nodes] : [...nodes, ...nodes.map(older)];
    return { ...answer, body: JSON.stringify({ ...rest, nodes: both }) };
  };

  it.each([true, false])("are the newer copy; the older copy is first: %s", async (isOlderFirst) => {
    let isDoubled = false;
    openWith((answer, request) => (isDoubled ? doubled(request, answer, isOlderFirst) : answer));
    await applied(shop(1));
    bench.clock.advance(60 * minute);
    isDoubled = true;
    expect(await bench.drift()).toMatchObject({ exitCode: 0, diagnostics: [] });
  });
});

it("a create by name sees a service of its name that was made a second ago", async () => {
  const first = "      aaa: { kind: worker, deploy: { when: never } }\n";
  bench.write("rnv.yaml", shop(1, first));
  const add = async () => {
    bench.clock.advance(1200);
    store().addService({ name: "api", kind: "worker", projectId: store().projects()[0]?.id });
  };
  bench.emulator.setFaults((_, { method, path, body }) =>
    method === "POST" && path.endsWith("/services") && body?.includes('"aaa"')
      ? { kind: "hook", when: "after", run: add }
      : undefined,
  );
  const { exitCode, diagnostics } = await bench.apply({ parallelism: 1 });
  expect({ exitCode, summaries: diagnostics.map(({ summary }) => summary) }).toMatchObject({
    exitCode: 3,
    summaries: [expect.stringContaining("service.shop.api was created after the plan was made")],
  });
  expect(bench.names().filter((name) => name === "api")).toHaveLength(1);
});

it("a resource that a run of one state deleted is not shown to a run of another state in the same process", async () => {
  const services = (...names: readonly string[]) =>
    `services:\n${names.map((name) => `  ${name}: { kind: worker, deploy: { when: never } }\n`).join("")}`;
  const { baseUrl, workspaceId, host, pid, clock } = bench.context;
  const connection = await bench.context.connect();
  const connect = async () => ({ ...connection, close: async () => {} });
  const disk = new MemoryDisk();
  const other = createLocalBackend({
    ...{ path: "/other/state.json", disk, host, pid, isAlive: () => true, clock, baseUrl, workspaceId },
  });
  await applied(services("first"), {}, { connect, backend: other });
  await applied(services("api", "kept"), {}, { connect });
  let before: AnswerBody | undefined;
  const onCanvas = (edit: (body: AnswerBody) => AnswerBody) =>
    bench.fail(/\/canvas$/, { kind: "edited", edit });
  onCanvas((body) => (before ??= body));
  await bench.plan();
  bench.fail();
  await applied(services("kept"), { confirmedDeletes: ["service.api"] }, { connect });
  onCanvas((body) => before ?? body);
  // A run has one key for one request: this one asks for another service of that name.
  const api = "  api: { kind: static, deploy: { when: never } }\n";
  await applied(services("first") + api, {}, { connect, backend: other });
  expect(bench.names()).toEqual(["api", "first", "kept"]);
});
