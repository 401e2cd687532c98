import { join } from "node:path";
import { createEmulator, type Emulator } from "../../src/emulator/emulator";
import { type EmulatorServer, serveEmulator } from "../../src/emulator/http-server";
import { decoded, PluginClient, plain } from "../support/plugin-client";
import { type RecordedCall, recordCalls } from "../support/recording-provider";
import { textIn } from "../support/rows";
import { inSoak, shareOf } from "../support/soak";
import { attachmentOf, describeTerraform, TerraformFolder } from "../support/terraform";

/** Services with variables of both kinds, deployments with and without triggers, a layout, and a data source. */
const configuration = (version: string) => textIn(join(__dirname, "replay.tf"), { version });

/** Deterministic shuffles. */
function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return [...list]
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
}

/** Each plan has a nonce of its own; all else is compared byte by byte. */
const withoutNonce = (answer: Buffer): string =>
  answer.toString("latin1").replace(/"nonce":"[0-9a-f-]{36}"/g, '"nonce":""');

/** The plan of the configuration, then its apply, as Terraform asked for them. */
describeTerraform("the provider, called in any order", () => {
  const world = new TerraformFolder();
  const folder = join(world.folder, "w");
  let configured: RecordedCall | undefined;
  let planning: readonly RecordedCall[] = [];
  let applying: readonly RecordedCall[] = [];
  let image: ReturnType<Emulator["image"]>;

  beforeAll(async () => {
    await world.openAttached();
    world.write(configuration("1"));
    await world.apply();
    await world.apply();
    world.settle();
    image = world.emulator.image();
    const provider = await PluginClient.start(folder, world.baseUrl);
    const socket = join(world.folder, "recorded");
    const { calls, close } = await recordCalls(provider, socket);
    world.environment = attachmentOf(provider.child.pid ?? 0, socket);
    world.write(configuration("2"));
    await world.run("plan -input=false -out=saved");
    configured = calls.find(({ method }) => method === "ConfigureProvider");
    const isPlanning = ({ method }: RecordedCall): boolean =>
      /^(Upgrade|Read|Plan|Validate(Data)?Resource)/.test(method) && method !== "ValidateProviderConfig";
    planning = calls.filter(isPlanning);
    calls.length = 0;
    await world.run("apply -input=false saved");
    applying = calls.filter(({ method }) => method === "ApplyResourceChange");
    provider.close();
    close();
  }, 120_000);

  const servers: EmulatorServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  /** A service as it was before the plan. */
  const openService = async (): Promise<{ readonly emulator: Emulator; readonly url: string }> => {
    const emulator = createEmulator({
      clock: world.clock,
      deploySeconds: 0.1,
      operationSeconds: 0.05,
      image,
    });
    const server = await serveEmulator(emulator);
    servers.push(server);
    return { emulator, url: server.url };
  };
  const openProvider = async (url: string): Promise<PluginClient> => {
    const provider = await PluginClient.start(folder, url);
    await provider.send("ConfigureProvider", configured?.request ?? Buffer.alloc(0));
    return provider;
  };

  /** Plays calls, at most `atOnce` of them at a time. */
  const playAll = async (
    calls: readonly RecordedCall[],
    atOnce: number,
    play: (call: RecordedCall) => Promise<Buffer>,
  ): Promise<ReadonlyMap<RecordedCall, string>> => {
    const answers = new Map<RecordedCall, string>();
    const waiting = [...calls];
    const playNext = async (): Promise<void> => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift())
        answers.set(call, withoutNonce(await play(call)));
    };
    await Promise.all(Array.from({ length: atOnce }, playNext));
    return answers;
  };
  const playAlone = async (url: string, { method, request }: RecordedCall): Promise<Buffer> => {
    const provider = await openProvider(url);
    return provider.send(method, request).finally(() => provider.close());
  };

  it.each([
    ["one by one, in one process", 1, 1, false],
    ["all at once, in one process", 2, 1000, false],
    // Validations and upgrades look at their request alone: a process for each of them too takes more than 20 s.
    ["each that asks the service in a process of its own", 3, 4, true],
  ])(
    "answers the calls of a plan equally: %s",
    async (_how, seed, atOnce, isAlone) => {
      const { emulator, url } = await openService();
      let isHeld = false;
      emulator.setFaults((_, { method, path }) => {
        if (isHeld || method !== "GET" || !path.endsWith("/variables")) return undefined;
        isHeld = true;
        return {
          kind: "hook",
          when: "before",
          run: () => new Promise((resolve) => setTimeout(resolve, 3000)),
        };
      });
      const asking = planning.filter(({ method }) => /^(Read|Plan)/.test(method));
      expect([planning.length > 80, asking.length > 50]).toEqual([true, true]);
      const played = isAlone ? shareOf(shuffled(asking, seed), 8) : shuffled(planning, seed);
      const shared = isAlone ? undefined : await openProvider(url);
      const answers = await playAll(played, atOnce, (call) =>
        shared === undefined ? playAlone(url, call) : shared.send(call.method, call.request),
      );
      shared?.close();
      for (const call of played)
        expect([call.method, answers.get(call)]).toEqual([call.method, withoutNonce(call.answer)]);
    },
    300_000,
  );

  /** The type of a call about a resource, and its answer with ids of new deployments and times left out. */
  const outcomeOf = (call: RecordedCall, answer: Buffer) => {
    const { type_name: typeName } = decoded("ApplyRequest", call.request);
    const { new_state: state, diagnostics } = decoded("ApplyResponse", answer);
    const text = JSON.stringify(plain(state)).replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, "TIME");
    return {
      typeName,
      diagnostics: JSON.stringify(diagnostics),
      state: typeName === "rnv_deployment" ? text.replace(/"id":"[0-9a-f-]+"/, '"id":"NEW"') : text,
    };
  };
  /** Reads and plans a resource again after its apply: its state, what a plan would make of it, what is said of it. */
  const planAgain = async (provider: PluginClient, { request }: RecordedCall, answer: Buffer) => {
    const { type_name: typeName, config } = decoded("ApplyRequest", request);
    const applied = decoded("ApplyResponse", answer);
    const current = { type_name: typeName, current_state: applied.new_state, private: applied.private };
    const read = await provider.call("ReadResource", current);
    const prior = { prior_state: read.new_state, prior_private: read.private };
    const plan = await provider.call("PlanResourceChange", { type_name: typeName, config, ...prior });
    return {
      typeName,
      before: plain(read.new_state),
      after: plain(plan.planned_state),
      kept: `${plan.planned_private}`,
      said: [...read.diagnostics, ...plan.diagnostics],
    };
  };
  /** A text with times left out; ids, nonces and digests, which are made of both, are numbered by their first appearance. */
  const numbered = (value: unknown): string => {
    const ids = new Map<string, number>();
    const number = (id: string): string => `ID${ids.get(id) ?? ids.set(id, ids.size).get(id)}`;
    return JSON.stringify(value, undefined, 1)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, "TIME")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}/g, number);
  };
  const writesTo = ({ log }: Emulator): readonly string[] =>
    log
      .filter(({ method }) => method !== "GET")
      .map(({ method, path, body }) => `${method} ${path} ${body}`)
      .sort();

  it("writes the same for each resource, and ends the same, in any order that the references of an apply allow", async () => {
    const isDeployment = (call: RecordedCall): boolean =>
      outcomeOf(call, call.answer).typeName === "rnv_deployment";
    const ends: unknown[] = [];
    for (const seed of inSoak([1, 2, 3], [1, 3])) {
      const { emulator, url } = await openService();
      const provider = await openProvider(url);
      const answers = new Map<RecordedCall, Buffer>();
      const play = async (call: RecordedCall): Promise<void> => {
        answers.set(call, await provider.send(call.method, call.request));
      };
      const before = shuffled(
        applying.filter((call) => !isDeployment(call)),
        seed,
      );
      if (seed === 3) await Promise.all(before.map(play));
      else for (const call of before) await play(call);
      for (const call of shuffled(applying.filter(isDeployment), seed)) await play(call);
      const outcomes = applying.map((call) => outcomeOf(call, answers.get(call) ?? call.answer));
      const writes = writesTo(emulator);
      const next = [];
      for (const call of applying)
        next.push(await planAgain(provider, call, answers.get(call) ?? call.answer));
      provider.close();
      for (const { typeName, before, after } of next) expect([typeName, after]).toEqual([typeName, before]);
      ends.push({ writes, outcomes, next: numbered(next) });
    }
    expect(applying.length).toBeGreaterThanOrEqual(22);
    const recorded = applying.map((call) => outcomeOf(call, call.answer));
    for (const end of ends) expect(end).toEqual({ ...(ends[0] as object), outcomes: recorded });
  }, 120_000);
});
