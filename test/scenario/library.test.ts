import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as rnv from "../../src";
import {
  createEmulator,
  type EmulatorServer,
  embeddedApiKey,
  embeddedWorkspaceId,
  serveEmulator,
} from "../../src/emulator/testing";
import { builtLibrary } from "../support/built-library";
import { closing } from "../support/closing";
import { newFolder } from "../support/temp-folder";

const manifest = {
  projects: {
    shop: {
      services: {
        api: {
          kind: "web",
          configuration: { repository: "https://git.example.com/shop/api", branch: "main" },
          variables: { TOKEN: { fromEnv: "TOKEN" } },
        },
        worker: { kind: "worker", configuration: { repository: "https://git.example.com/shop/worker" } },
      },
    },
  },
};

const unheard = { code: "command.undelivered", severity: "warning", summary: "onEvent failed: no database" };
const throwing = (): void => {
  throw new Error("no database");
};

describe("the library, over HTTP", () => {
  const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
  let server: EmulatorServer;
  let cwd: string;
  const open = (options: Partial<rnv.ContextOptions> = {}): rnv.Context => {
    const context = rnv.openContext({
      ...{ cwd, baseUrl: server.url, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey },
      ...{ state: "state.json", environment: { TOKEN: "t0p-s3cret-t0ken" }, ...options },
    });
    return closing(context);
  };
  beforeAll(async () => {
    server = closing(await serveEmulator(emulator));
    cwd = newFolder("library");
  });

  it("plans, applies what was saved, finds drift, tells what runs, and destroys all of it", async () => {
    const events: rnv.ApplyEvent[] = [];
    const context = open({ onEvent: (event) => events.push(event) });
    expect(await rnv.plan(context, { manifest })).not.toHaveProperty("savedPlan", expect.anything());
    expect(readdirSync(cwd)).toEqual([]);
    const planned = await rnv.plan(context, { manifest, save: true });
    expect(planned).toMatchObject({ exitCode: 0, diagnostics: [], plan: { summary: { add: 6 } } });
    const applied = await rnv.apply(context, { manifest, savedPlan: planned.savedPlan });
    expect(applied).toMatchObject({ exitCode: 0, counts: { added: 6 } });
    expect(events.at(-1)).toMatchObject({ type: "summary", exitCode: 0, at: expect.any(String) });
    expect(await rnv.drift(context, { manifest })).toMatchObject({
      exitCode: 0,
      report: { has_drift: false },
    });
    const api = emulator.store.services().find(({ name }) => name === "api");
    emulator.store.editConfiguration(api?.id as string, { branch: "elsewhere" });
    expect(await rnv.drift(context, { manifest })).toMatchObject({
      exitCode: 2,
      report: { has_drift: true },
    });
    const running = await rnv.status(context, { address: "service.shop.api" });
    expect(running.status?.services).toMatchObject([{ address: "service.shop.api", runs: "release" }]);
    const found = await rnv.deployments(context, { address: "service.shop.api" });
    expect(found.deployments?.deployments).toHaveLength(1);
    const destroyed = await rnv.apply(context, { manifest, mode: "destroy" });
    expect(destroyed).toMatchObject({ exitCode: 0, counts: { destroyed: 6 }, diagnostics: [] });
    expect(emulator.store.projects()).toEqual([]);
    await context.close();
    await expect(rnv.plan(context, { manifest })).rejects.toThrow("the context is closed");
    const all = { planned, applied, running, found, destroyed, events };
    expect(JSON.stringify(all)).not.toContain("t0p-s3cret");
  });

  it("takes an option that is undefined for one that is left out", async () => {
    const context = open({ state: "undefined.json", stage: undefined, timeoutMs: undefined });
    const files = undefined;
    const scope = { files, targets: undefined, excludes: undefined };
    const confirmations = { confirmedDeletes: undefined, allowEmpty: undefined, policies: undefined };
    const wishes = { ...scope, ...confirmations, mode: undefined, replace: undefined, adopt: undefined };
    const own = { ...wishes, parallelism: undefined, approve: undefined, savedPlan: undefined };
    const outcomes = [
      await rnv.plan(context, { ...wishes, save: undefined, manifest }),
      await rnv.validate(context, { files, policies: undefined, manifest }),
      await rnv.drift(context, { ...scope, failOn: undefined, strict: undefined, manifest }),
      await rnv.apply(context, { ...own, manifest }),
    ];
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const destroyed = await rnv.apply(context, { ...own, manifest, mode: "destroy" });
    expect(destroyed).toMatchObject({ exitCode: 0, counts: { destroyed: 6 } });
  });

  it.each([
    [{ target: ["service.shop.api"] }, "there is no option target"],
    [{ confirmsAll: true }, "there is no option confirmsAll"],
    [{ mode: "refresh_only" }, 'mode must be one of "apply", "destroy", "refresh-only"'],
    [{ confirmedDeletes: "service.shop.worker" }, "confirmedDeletes must be a list"],
    [{ approve: true }, "approve must be a function"],
  ])("refuses %j of a program without types before it asks the platform", async (wrong, summary) => {
    const context = open({ state: "refused.json" });
    emulator.resetLog();
    const request = { manifest, ...wrong } as rnv.ApplyRequest;
    const refused = { exitCode: 1, diagnostics: [{ code: "command.usage", summary }] };
    expect(await rnv.apply(context, request)).toMatchObject(refused);
    expect(emulator.log).toEqual([]);
  });

  it.each<[string, unknown, string[], (context: rnv.Context, request: never) => Promise<rnv.Outcome>]>([
    ["plan", { limit: 3 }, ["there is no option limit"], rnv.plan],
    ["plan", null, ["the object of options must be a mapping"], rnv.plan],
    ["apply", { save: true }, ["there is no option save"], rnv.apply],
    ["drift", { adopt: true, save: 1 }, ["there is no option adopt", "there is no option save"], rnv.drift],
    ["status", { manifest: {} }, ["there is no option manifest"], rnv.status],
    ["deployments", {}, ["address is missing"], rnv.deployments],
    ["deployments", undefined, ["the object of options is missing"], rnv.deployments],
    ["deployments", { address: "service.shop.api", limit: 0 }, ["limit must be >=1"], rnv.deployments],
    ["validate", { targets: [] }, ["there is no option targets"], rnv.validate],
    ["exportManifest", { project: 5 }, ["project must be text"], rnv.exportManifest],
    ["importResource", { address: "project.shop" }, ["id is missing"], rnv.importResource],
  ])("%s refuses %j", async (_, request, summaries, command) => {
    const context = open({ state: "refused.json" });
    const { exitCode, diagnostics } = await command(context, request as never);
    expect({ exitCode, summaries: diagnostics.map(({ summary }) => summary) }).toEqual({
      exitCode: 1,
      summaries,
    });
  });

  // "exactly that is done, or nothing": a saved plan holds its own scope.
  it("refuses a wish that a saved plan holds, and an approval that is no list", async () => {
    const context = open({ state: "saved-scope.json", workspaceId: embeddedWorkspaceId.toUpperCase() });
    expect(await rnv.apply(context, { manifest })).toMatchObject({ exitCode: 0 });
    const { worker: _, ...services } = manifest.projects.shop.services;
    const less = { projects: { shop: { services } } };
    const { savedPlan } = await rnv.plan(context, {
      manifest: less,
      save: true,
      confirmedDeletes: ["service.shop.worker"],
    });
    for (const wish of [
      { excludes: ["service.shop.worker"] },
      { mode: "refresh-only" },
      { adopt: false },
    ] as const)
      expect(await rnv.apply(context, { manifest: less, savedPlan, ...wish })).toMatchObject({
        exitCode: 1,
        diagnostics: [{ summary: `${Object.keys(wish)[0]} cannot change a saved plan: give it to plan` }],
      });
    const approve = (async () => "service.shop.worker") as never;
    expect(await rnv.apply(context, { manifest: less, approve })).toMatchObject({
      exitCode: 1,
      diagnostics: [{ summary: "approve returned no list" }],
    });
    expect(emulator.store.services()).toHaveLength(2);
    expect(await rnv.apply(context, { manifest: less, savedPlan })).toMatchObject({ exitCode: 0 });
    expect(await rnv.apply(context, { manifest, mode: "destroy" })).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["throws", () => throwing()],
    ["rejects", async () => throwing()],
  ])("finishes an apply whose onEvent %s, and warns of it", async (_, onEvent) => {
    const context = open({ state: "unheard.json", onEvent });
    const warned = { diagnostics: expect.arrayContaining([expect.objectContaining(unheard)]) };
    expect(await rnv.apply(context, { manifest })).toMatchObject({ exitCode: 0, ...warned });
    expect(await rnv.apply(context, { manifest, mode: "destroy" })).toMatchObject({ exitCode: 0, ...warned });
  });

  it("ends a manifest in TypeScript once it is aborted", async () => {
    const stop = new AbortController();
    const folder = newFolder("library");
    symlinkSync(join(__dirname, "../../node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "rnv.config.ts"), "while (true);");
    const context = open({ cwd: folder, signal: stop.signal });
    setTimeout(() => stop.abort(), 1500);
    const outcome = await rnv.plan(context);
    expect(outcome).toMatchObject({ exitCode: 130, diagnostics: [{ code: "apply.interrupted" }] });
  });

  it("deletes nothing that is not confirmed, and asks `approve` with the plan", async () => {
    const context = open({ state: "confirmed.json" });
    expect(await rnv.apply(context, { manifest })).toMatchObject({ exitCode: 0 });
    const { worker: _, ...services } = manifest.projects.shop.services;
    const less = { projects: { shop: { services } } };
    expect(await rnv.apply(context, { manifest: less })).toMatchObject({ exitCode: 4 });
    const asked: rnv.PlanDocument[] = [];
    const approve = async (plan: rnv.PlanDocument) => {
      asked.push(plan);
      return undefined;
    };
    const cancelled = await rnv.apply(context, { manifest: less, approve });
    expect(cancelled).toMatchObject({ exitCode: 1, cancelled: true });
    expect(asked).toMatchObject([{ summary: { destroy: 2 } }]);
    expect(emulator.store.services()).toHaveLength(2);
    const confirmed = await rnv.apply(context, {
      manifest: less,
      approve: async () => ["service.shop.worker"],
    });
    expect(confirmed).toMatchObject({ exitCode: 0, counts: { destroyed: 2 } });
    expect(await rnv.apply(context, { manifest, mode: "destroy" })).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["a key that is not known", 401, "api.unauthorized"],
    ["a key that may not", 403, "api.forbidden"],
  ])("returns an outcome for %s", async (_, status, code) => {
    emulator.setFaults(() => ({ kind: "status", status }));
    const context = open({ state: "refused.json" });
    for (const command of [rnv.plan, rnv.apply, rnv.drift])
      expect(await command(context, { manifest })).toMatchObject({ exitCode: 1, diagnostics: [{ code }] });
    emulator.setFaults(undefined);
  });

  it("returns an outcome where no server answers, and after an abort", async () => {
    const stranger = async () => Promise.reject(Object.assign(new Error(), { code: "CERT_HAS_EXPIRED" }));
    const transport = { send: stranger, close: async () => undefined };
    const unanswered = await rnv.plan(open({ state: "unanswered.json", transport }), { manifest });
    expect(unanswered).toMatchObject({ exitCode: 1, diagnostics: [{ code: "api.unavailable" }] });
    const aborted = open({ signal: AbortSignal.abort() });
    const interrupted = { exitCode: 130, diagnostics: [{ code: "apply.interrupted" }] };
    for (const command of [rnv.plan, rnv.apply, rnv.drift])
      expect(await command(aborted, { manifest })).toMatchObject(interrupted);
  });

  it("returns an outcome for a manifest that is wrong, with the path of the mistake", async () => {
    const wrong = { projects: { shop: { servces: {} } } };
    const { exitCode, diagnostics } = await rnv.validate(open(), { manifest: wrong });
    expect([exitCode, diagnostics]).toMatchObject([1, [{ code: "manifest.unknown_key" }]]);
  });

  it("reads a manifest as it is when the command is called", async () => {
    const shop = { name: "Early" };
    const context = open({ state: "early.json" });
    const planned = rnv.plan(context, { manifest: { projects: { shop } } });
    shop.name = "Late";
    expect(JSON.stringify((await planned).plan?.resource_changes)).toMatch(/Early(?!.*Late)/);
  });

  it("validates every stage of a manifest, and names the stage of a finding that is not of all", async () => {
    const stages = { production: {}, preview: { each: true, state: "s3://states/${stage.id}.json" } };
    const named = (name: string) => ({ manifest: { stages, projects: { shop: { name } } } });
    const findings = async (name: string) =>
      (await rnv.validate(open(), named(name))).diagnostics.map(({ stage, code }) => [stage, code]);
    expect(await findings("Shop")).toEqual([["preview", "guard.stage"]]);
    expect(await findings("Shop ${env.NOT_SET}")).toEqual([]);
    expect(await findings("${project.shop.id}")).toEqual([[undefined, "manifest.reference_syntax"]]);
  });

  it("refuses options that are wrong when a context is opened: by their types and forms, then by their use", () => {
    const mistakesOf = (opening: () => unknown): string => {
      try {
        opening();
      } catch (cause) {
        if (cause instanceof rnv.DiagnosticsError)
          return cause.diagnostics.map(({ summary }) => summary).join("; ");
      }
      throw new Error("nothing is refused as a mistake");
    };
    const mistyped = { state: {}, environment: { A: 5 }, signal: {}, onEvent: 5, stgae: "production" };
    expect(mistakesOf(() => open({ ...mistyped, ...{ cwd: ".", workspaceId: "shop" } } as never))).toBe(
      "cwd must be an absolute path; workspaceId must be a UUID; state must be text; environment.A must be text; " +
        "signal.aborted is missing; onEvent must be a function; there is no option stgae",
    );
    expect(mistakesOf(() => open({ state: "", timeoutMs: 0 }))).toBe(
      "state must be a path or an address; timeoutMs must be >0",
    );
    const unusable = { baseUrl: "https://api.example.com", apiKey: "key", state: "${stage.name}.json" };
    expect(mistakesOf(() => open(unusable))).toBe(
      "the base URL does not end in /api/v1; apiKey does not hold an API key; " +
        "state holds ${stage.…}, and `stage` is not given",
    );
    expect(mistakesOf(() => rnv.openContext(undefined as never))).toBe("the object of options is missing");
  });

  it("runs several at once, each in a stage and a state of its own", async () => {
    const staged = {
      stages: { staging: {}, production: {} },
      projects: { shop: { name: "Shop ${stage.name}" } },
    };
    const applied = ["staging", "production"].map((stage) =>
      rnv.apply(open({ stage, state: "${stage.name}.json" }), { manifest: staged }),
    );
    for (const one of await Promise.all(applied))
      expect(one).toMatchObject({ exitCode: 0, counts: { added: 1 } });
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(["staging.json", "production.json"]));
    expect(
      emulator.store
        .projects()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Shop production", "Shop staging"]);
  });
});

it("a program that only imports the library loads at most 250 modules", () => {
  builtLibrary();
  const count = "require('./dist'); console.log(Object.keys(require.cache).length)";
  const loaded = execFileSync(process.execPath, ["-e", count], { cwd: join(__dirname, "../..") });
  expect(Number(loaded)).toBeLessThanOrEqual(250);
});
