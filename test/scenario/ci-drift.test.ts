import { createHmac } from "node:crypto";
import { statSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { driftDocumentSchema } from "../../src/plan/drift";
import { failing, oneScenario, printing } from "../support/cli";
import { closing } from "../support/closing";
import { type StateService, serveState } from "../support/http-state-server";
import { textIn } from "../support/rows";

interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that takes what a webhook is sent, and answers with the next of `answers`, else 200. */
async function openReceiver() {
  const delivered: Delivered[] = [];
  const answers: number[] = [];
  const answer: StateService = ({ headers, body }) => {
    delivered.push({ headers, body });
    return { status: answers.shift() ?? 200, headers: { "retry-after": "0" }, body: "ok" };
  };
  const { url } = closing(await serveState(answer, new Map()));
  return { url: `${url}/hooks/T0KEN-of-a-channel`, delivered, answers };
}

/** Values of Prometheus' text, by metric and labels as they are written. */
const readExposition = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^(rnv_\w+\{.*\}) (\S+)$/gm)].map(([, sample = "", value]) => [sample, Number(value)]),
  );

const names = Array.from({ length: 6 }, (_, at) => `s${at + 1}`);
const manifest = textIn(join(__dirname, "ci-drift.yaml"), {
  stages: names.map((name) => `  ${name}: {}\n`).join(""),
});

describe("a drift job of several stages", () => {
  const scenario = oneScenario();
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  const service = (stage: string) => {
    const { store } = scenario.emulator;
    const project = store.projects().find(({ name }) => name === `Shop ${stage}`)?.id;
    return store.services().find(({ projectId }) => projectId === project)?.id ?? "";
  };
  /** A sample as it is written: the same wherever the job runs, and of two repositories none is that of the other. */
  const labelled = (metric: string, stage: string) =>
    `rnv_drift_${metric}{repository="github.com/acme/shop",manifest="rnv.yaml",stage="${stage}"}`;
  const job = (...args: readonly string[]) =>
    scenario.runWith({ env: { RNV_WEBHOOK_SECRET: "canary-signing-key" } }, "ci", "drift", ...args);
  beforeAll(async () => {
    receiver = await openReceiver();
    scenario.write("rnv.yaml", manifest);
    scenario.write(".git/config", '[remote "origin"]\n  url = git@github.com:acme/shop.git\n');
    for (const name of names) await scenario.applies("--stage", name);
  });
  beforeEach(() => {
    receiver.delivered.length = 0;
  });

  it("tells a clean run too: one report, a signed heartbeat, metrics of each stage; nothing is written to the service", async () => {
    scenario.forget();
    const ended = await job("--all-stages", "--webhook", receiver.url, "--metrics", "rnv.prom");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^ {4}s1 no drift \(4 resources\)$/m);
    expect(ended.stdout).toMatch(/\n6 stages: 6 no drift\.\n$/);
    expect(scenario.requests()).toEqual([]);
    const [{ headers, body } = { headers: {}, body: "" }, ...more] = receiver.delivered;
    expect(more).toEqual([]);
    expect(headers["x-rnv-signature"]).toBe(
      `sha256=${createHmac("sha256", "canary-signing-key").update(body).digest("hex")}`,
    );
    expect(JSON.parse(body)).toMatchObject({
      text: "rnv drift of rnv.yaml. 6 stages: 6 no drift.",
      manifest: "rnv.yaml",
      event: "drift",
      status: "clean",
    });
    const samples = readExposition(scenario.read("rnv.prom"));
    for (const name of names)
      expect([
        samples.get(labelled("resources", name)),
        samples.get(labelled("drifted", name)),
        samples.get(labelled("exit_code", name)),
      ]).toEqual([4, 0, 0]);
    await job("--all-stages", "--metrics", "again.prom");
    expect([...readExposition(scenario.read("again.prom")).keys()]).toEqual([...samples.keys()]);
    expect(statSync(join(scenario.folder, "rnv.prom")).mode & 0o777).toBe(0o644);
  });

  it("a resource that another stage of the job records is managed, a resource that no stage records is not", async () => {
    expect(await job("--all-stages", "--fail-on", "unmanaged")).toMatchObject({ code: 0 });
    expect(await job("--stage", "s1", "--fail-on", "unmanaged")).toMatchObject({ code: 2 });
    const { id } = scenario.emulator.store.addService({ name: "theirs" });
    const ended = await job("--all-stages", "--fail-on", "unmanaged", "--json");
    scenario.emulator.store.deleteServiceNow(id);
    expect(ended.code).toBe(2);
    const { stages } = JSON.parse(ended.stdout);
    expect(stages.map((one: { unmanaged: number }) => one.unmanaged)).toEqual(names.map(() => 1));
    expect(stages[0].drift.unmanaged).toMatchObject([{ type: "service", name: "theirs" }]);
  });

  it("an error in one stage stops no other; drift, what is missing and what failed are in one report, and the worst exit code wins", async () => {
    const { store } = scenario.emulator;
    store.editConfiguration(service("s3"), { branch: "<!channel> evil" });
    // What was made within two minutes is not believed gone.
    scenario.settle();
    store.deleteServiceNow(service("s4"));
    scenario.write(".rnv/s5/state.json", "{ broken");
    const flags = ["--metrics", "rnv.prom", "--report", "out/drift", "--webhook", receiver.url];
    const ended = await job("--all-stages", ...flags);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/\n6 stages: 1 not checked, 2 drift, 3 no drift\.\n$/);
    for (const text of ["branch", "service.shop.api", "state.unreadable"])
      expect(ended.stdout).toContain(text);
    const { text, status, stages } = JSON.parse(receiver.delivered[0]?.body ?? "");
    expect([status, stages.length]).toEqual(["error", 6]);
    expect(text).toContain("• s3: Drift: 1 changed outside rnv.");
    expect(text).toMatch(/• s5: .*state\.json cannot be read/);
    const samples = readExposition(scenario.read("rnv.prom"));
    const of = (metric: string, stage: string) => samples.get(labelled(metric, stage));
    expect([of("drifted", "s3"), of("exit_code", "s3"), of("missing", "s4")]).toEqual([
      1,
      2,
      expect.any(Number),
    ]);
    expect([of("resources", "s5"), of("drifted", "s5"), of("exit_code", "s5")]).toEqual([
      undefined,
      undefined,
      1,
    ]);
    expect(of("last_run_timestamp_seconds", "s3")).toEqual(expect.any(Number));
    const document = JSON.parse(scenario.read("out/drift/drift.json"));
    expect(document.stages.map((one: { stage: string }) => one.stage)).toEqual(names);
    for (const { drift } of document.stages) if (drift) driftDocumentSchema.parse(drift);
    expect(scenario.read("out/drift/drift.md")).toContain("- `s5` not checked\n");
    const shown = [ended.stdout, ended.stderr, ...scenario.files().map(({ text: file }) => file)].join("\n");
    for (const secret of ["canary-signing-key", "T0KEN-of-a-channel"]) expect(shown).not.toContain(secret);
  });

  it("only stages that are named are looked at; a missing stage is an error of its own", async () => {
    const ended = await job("--stage", "s1", "--stage", "s3", "--stage", "nope", "--json");
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout).stages).toMatchObject([
      { stage: "s1", status: "clean", exit_code: 0 },
      { stage: "s3", status: "drift", exit_code: 2, drifted: 1 },
      { stage: "nope", status: "error", diagnostics: [{ code: "manifest.stage_unknown" }] },
    ]);
    expect(await job()).toMatchObject(printing(1, "manifest.stage_missing"));
    expect(await job("--stage", "s1", "--all-stages")).toMatchObject({ code: 1, stdout: "" });
  });

  it("a webhook that refuses is asked again and then an error; its address is never shown, nor is plain http sent", async () => {
    receiver.answers.push(503, 429);
    expect(await job("--stage", "s1", "--webhook", receiver.url)).toMatchObject({ code: 0 });
    expect(receiver.delivered).toHaveLength(3);
    receiver.answers.push(404);
    const refused = await job("--stage", "s1", "--webhook", receiver.url);
    expect(refused).toMatchObject(failing(1, "error[command.undelivered]"));
    expect(refused.stderr).toContain("it answered 404");
    expect(refused.stderr).not.toContain("T0KEN");
    for (const url of ["http://hooks.example.com/T0KEN", "T0KEN", "https://user:T0KEN@hooks.example.com/"]) {
      const ended = await job("--stage", "s1", "--webhook", url);
      expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("config.invalid") });
      expect(ended.stderr).not.toContain("T0KEN");
    }
  });
});
