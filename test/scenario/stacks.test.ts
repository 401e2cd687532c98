import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { generate, Project, RnvProvider, Service } from "../../src/cdktf/cdktf";
import { eventSchema } from "../../src/model/apply-event";
import { approve, eachScenario, failing, printing, refusing } from "../support/cli";
import { itInSoak, shareOf } from "../support/soak";
import { BaseStack, ServicesStack } from "../support/stack-programs";

function synthesizeInto(folder: string, define: (app: App) => void): void {
  const app = new App({ outdir: join(folder, "cdktf.out") });
  define(app);
  app.synth();
}

/** `eu` is a construct around stacks, not one of them. */
const twoPlaces = (app: App): void => {
  const eu = new Construct(app, "eu");
  new ServicesStack(app, "staging-apps", new BaseStack(app, "staging"));
  new ServicesStack(eu, "prod-apps", new BaseStack(eu, "prod"));
};

describe("an app of several stacks", () => {
  const scenario = eachScenario();
  const rnv = (...args: string[]) => scenario.run(args[0] as string, "-f", "cdktf.out", ...args.slice(1));
  const recorded = (stack: string) => JSON.parse(scenario.read(`.rnv/${stack}/state.json`));
  const headings = (text: string) => [...text.matchAll(/^Stack (.*)$/gm)].map(([, name]) => name);
  const worlds = () => ({
    projects: scenario.emulator.store.projects().map(({ name }) => name),
    services: scenario.emulator.store.services().length,
  });
  beforeEach(async () => {
    synthesizeInto(scenario.folder, twoPlaces);
  });

  it.each(shareOf(["--confirm-delete", "--replace"], 2))(
    "asks which stack %s means where two record it",
    async (flag) => {
      await rnv("apply", ...approve);
      scenario.forget();
      for (const [address, why] of [
        ["service.api", "prod-apps and staging-apps record"],
        ["service.nowhere", "no stack records"],
      ] as const)
        expect(await rnv("apply", ...approve, flag, address)).toMatchObject(failing(1, `${why} ${address}`));
      expect(await rnv("plan", "-out", "plan.rnvplan")).toMatchObject(failing(1, "--out is about one stack"));
      expect(scenario.requests()).toEqual([]);
      expect(await rnv("apply", "staging-apps", ...approve, flag, "service.api")).toMatchObject({ code: 0 });
    },
  );

  it("gives --confirm-delete to the stack that records the address", async () => {
    const define = (names: readonly string[]) =>
      synthesizeInto(scenario.folder, (app) => {
        new BaseStack(app, "staging");
        const { shop } = new BaseStack(app, "prod");
        for (const name of names) shop.addService(name, { kind: "web" });
      });
    define(["worker"]);
    await rnv("apply", ...approve);
    define([]);
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 4 });
    const confirmed = await rnv("apply", ...approve, "--confirm-delete", "service.shop.worker");
    expect(confirmed).toMatchObject({ code: 0 });
    expect(worlds().services).toBe(0);
  });

  it("apply -json names each stack before its events, of which the last is its summary", async () => {
    const { stdout } = await rnv("apply", "-json", ...approve, "prod", "prod-apps");
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => eventSchema.parse(JSON.parse(line)).type);
    const ends = types.filter((type) => type === "stack" || type === "summary");
    expect([...ends, types.at(-1)]).toEqual(["stack", "summary", "stack", "summary", "summary"]);
  });

  it("refuses the state of a stack that was renamed, and says how to write the new name into it", async () => {
    await rnv("apply", ...approve);
    synthesizeInto(scenario.folder, (app) => {
      new ServicesStack(app, "staging-apps", new BaseStack(app, "staging"));
      new BaseStack(app, "production");
    });
    renameSync(join(scenario.folder, ".rnv", "prod"), join(scenario.folder, ".rnv", "production"));
    const [, hinted = ""] = /state pull --state (\S+),/.exec((await rnv("plan", "production")).stderr) ?? [];
    const pulled = await scenario.run("state", "pull", "--state", hinted);
    const file = join(scenario.folder, "moved.json");
    writeFileSync(file, pulled.stdout.replace('"stack": "prod"', '"stack": "production"'));
    await scenario.run("state", "push", "--force", "--state", hinted, file);
    const again = await rnv("plan", "production");
    expect(again.stdout).toContain('~ project.shop ("prod shop") will be updated in place');
  });

  it("leaves a service whose removed block says destroy = false, and forgets it with its variables", async () => {
    const shop = (more: (stack: BaseStack) => void) =>
      synthesizeInto(scenario.folder, (app) => more(new BaseStack(app, "shop")));
    shop(({ shop: project }) => {
      for (const name of ["api", "worker"])
        project.addService(name, { kind: "web" }).addVariables({ LEVEL: "info", TOKEN: "x" });
    });
    await rnv("apply", ...approve);
    const before = scenario.emulator.store.services().map(({ id, name }) => ({ id, name }));
    scenario.forget();
    shop((stack) => {
      const removed = (name: string) => ({
        from: `rnv_service.shop__${name}`,
        lifecycle: { destroy: false },
      });
      stack.addOverride("removed", [removed("api"), removed("worker")]);
    });
    const planned = await rnv("plan");
    expect(planned.stdout).toMatch(/service\.shop\.api .*will no longer be managed/);
    expect(planned.stdout).toContain("removed with destroy = false");
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    expect(scenario.emulator.store.services().map(({ id, name }) => ({ id, name }))).toEqual(before);
    expect((await scenario.run("state", "list")).stdout).not.toContain("service.shop");
    expect(await rnv("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("is applied stack by stack, each with a state of its own, and then is as it is declared", async () => {
    const planned = await rnv("plan");
    expect({ ...planned, headings: headings(planned.stdout) }).toMatchObject({
      code: 0,
      headings: ["prod", "prod-apps", "staging", "staging-apps"],
      stdout: expect.stringMatching(
        /variable\.api\.PROJECT will be created\n +construct eu\/prod-apps\/api\/PROJECT, in service\.api\n.*\n.*value +\(known after apply\)/,
      ),
    });
    expect(planned.stdout).toContain("construct staging-apps/api, in a project known after apply");
    expect(scenario.requests()).toEqual([]);
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
    expect(worlds()).toEqual({ projects: ["prod shop", "staging shop"], services: 2 });
    for (const stack of ["prod", "prod-apps", "staging", "staging-apps"])
      expect([stack, recorded(stack).stack]).toEqual([stack, stack]);
    expect(existsSync(join(scenario.folder, ".rnv/state.json"))).toBe(false);
    const [shop] = scenario.emulator.store.projects();
    const { stdout } = await scenario.run("output", "-raw", "id", "--stack", "prod");
    expect(stdout).toBe(shop?.id);
    const outputs = await scenario.run("output");
    expect([outputs.code, headings(outputs.stdout)]).toEqual([
      0,
      ["prod", "prod-apps", "staging", "staging-apps"],
    ]);
    expect(outputs.stdout).toContain(`Stack prod\n\nid = "${shop?.id}"\n`);
    const asJson = JSON.parse((await scenario.run("output", "-json")).stdout).stacks.prod;
    expect(asJson).toEqual({ id: { sensitive: false, type: "string", value: shop?.id } });
    expect(await scenario.run("output", "id")).toMatchObject(failing(1, "--stack prod"));
    // It is not reported that the others are not managed here.
    const quiet = await rnv("plan", "-detailed-exitcode");
    expect({ code: quiet.code, others: quiet.stdout.includes("not managed here") }).toEqual({
      code: 0,
      others: false,
    });
    const kept = "{ address: service.other, until: 2099-01-01, reason: that of another stack }";
    scenario.write("rnv.drift.yaml", `accepted: [${kept}]`);
    expect(await rnv("drift", "-strict")).toMatchObject({ code: 0, stderr: "" });
    const named = await scenario.run("state", "list");
    expect(named).toMatchObject(failing(1, "--stack prod-apps"));

    const destroyed = await rnv("destroy", ...approve);
    expect({ code: destroyed.code, headings: headings(destroyed.stdout) }).toEqual({
      code: 0,
      headings: ["staging-apps", "staging", "prod-apps", "prod"],
    });
    expect(worlds()).toEqual({ projects: [], services: 0 });
  });

  it("a stack on the state of another changes nothing, with exit 4", async () => {
    const env = { RNV_STATE: "one.json" };
    expect(await scenario.runWith({ env }, "apply", "-f", "cdktf.out", "staging", ...approve)).toMatchObject({
      code: 0,
    });
    scenario.forget();
    for (const how of [["plan"], ["apply", ...approve], ["destroy", ...approve], ["drift"]]) {
      const [verb = "", ...flags] = how;
      const { code, stderr } = await scenario.runWith({ env }, verb, "prod", "-f", "cdktf.out", ...flags);
      expect({ verb, code, stderr }).toMatchObject(
        failing(4, "one.json is the state of the stack staging, not of prod"),
      );
    }
    expect(scenario.requests()).toEqual([]);
    const shared = await scenario.runWith({ env }, "plan", "-f", "cdktf.out");
    expect(shared).toMatchObject(failing(1, "several stacks cannot share one state"));
    const each = { RNV_STATE: "states/${stack}.json" };
    expect(
      await scenario.runWith({ env: each }, "apply", "-f", "cdktf.out", "prod*", ...approve),
    ).toMatchObject({ code: 0 });
    expect(existsSync(join(scenario.folder, "states/prod-apps.json"))).toBe(true);
  });

  it("runs the stacks that are named, and leaves those with resources of other providers to Terraform", async () => {
    const network = join(scenario.folder, "cdktf.out", "stacks", "prod", "cdk.tf.json");
    const bucket = { resource: { aws_s3_bucket: { logs: { bucket: "logs" } } }, provider: { aws: [{}] } };
    writeFileSync(network, JSON.stringify(bucket));
    expect(await rnv("plan", "staging*")).toMatchObject({ code: 0, stderr: "" });
    expect(await rnv("apply", "staging*", ...approve)).toMatchObject({ code: 0 });
    expect(worlds()).toEqual({ projects: ["staging shop"], services: 1 });
    expect(await rnv("plan", "prod")).toMatchObject(
      failing(1, "leave this stack to Terraform, and name those that rnv runs"),
    );
  });

  it("stacks are picked by name and pattern, and a stack that waits for a failed stack is left out", async () => {
    expect(await rnv("plan", "nothing")).toMatchObject(
      failing(1, "there are: prod, prod-apps, staging, staging-apps"),
    );
    expect(JSON.parse((await rnv("plan", "nothing", "-json")).stdout)).toMatchObject({
      errored: true,
      diagnostics: [{ code: "command.usage" }],
    });
    expect(await rnv("plan", "staging-apps")).toMatchObject(failing(1, "apply staging first"));
    expect(await rnv("plan", "-out", "all.rnvplan")).toMatchObject({ code: 1 });
    scenario.fail(refusing("POST", /\/projects$/, 422));
    const { code, stderr } = await rnv("apply", "staging*", ...approve);
    expect(code).not.toBe(0);
    expect(stderr).toContain("The stack staging-apps is left out: staging comes first, and is not done.");
    expect(worlds()).toEqual({ projects: [], services: 0 });
    scenario.fail();

    expect(await rnv("apply", "staging", ...approve)).toMatchObject({ code: 0 });
    expect(await rnv("plan", "staging-apps", "-out", "apps.rnvplan")).toMatchObject({ code: 0 });
    expect(await scenario.run("apply", "apps.rnvplan")).toMatchObject({ code: 0 });
    expect(Object.keys(recorded("staging-apps").resources)).toContain("service.api");
    const asJson = await rnv("plan", "staging*", "-json");
    expect(Object.keys(JSON.parse(asJson.stdout).stacks)).toEqual(["staging", "staging-apps"]);
  });

  it("an app of one stack keeps its state in the folder of the stack, and what reads a state alone takes it", async () => {
    synthesizeInto(scenario.folder, (app) => new BaseStack(app, "staging"));
    scenario.write("cdktf.json", '{ "app": "node main.js" }');
    expect((await scenario.run("init")).stdout).toContain(".rnv/state.key");
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
    expect(Object.keys(recorded("staging").resources)).toEqual(["project.shop"]);
    expect(existsSync(join(scenario.folder, ".rnv", "state.json"))).toBe(false);
    expect(await scenario.run("state", "list")).toMatchObject({ code: 0, stdout: "project.shop\n" });
  });

  it("two apps of a program that both write a stack of one name are refused", () => {
    process.env.CDKTF_OUTDIR = join(scenario.folder, "cdktf.out");
    try {
      const first = new App();
      new BaseStack(first, "staging");
      for (const _again of [1, 2]) first.synth();
      const second = new App();
      new BaseStack(second, "staging");
      expect(() => second.synth()).toThrow("two apps of the program have a stack staging");
    } finally {
      delete process.env.CDKTF_OUTDIR;
    }
  });

  it("the state of a stack that was alone goes on when another comes", async () => {
    synthesizeInto(scenario.folder, (app) => new BaseStack(app, "staging"));
    expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
    synthesizeInto(scenario.folder, twoPlaces);
    // Only what the new stack reads of it is new.
    const { code, stdout } = await rnv("plan", "staging");
    expect({ code, stdout }).toMatchObject(printing(0, "1 value that other stacks read"));
    expect(stdout).not.toMatch(/project\.shop|cross-stack-output/);
    synthesizeInto(scenario.folder, (app) => new BaseStack(app, "staging"));
    expect(await rnv("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("destroys no stack whose values another stack reads that has resources", async () => {
    await rnv("apply", ...approve);
    scenario.forget();
    const refused = await rnv("destroy", "staging", ...approve);
    expect(refused).toMatchObject(
      failing(4, "error[guard.consumers]: staging-apps reads values of the stack staging"),
    );
    expect(refused.stderr).toContain("rnv destroy staging staging-apps");
    expect(scenario.requests()).toEqual([]);
    expect(await rnv("destroy", "staging-apps", ...approve)).toMatchObject({ code: 0 });
    expect(await rnv("destroy", "staging", ...approve)).toMatchObject({ code: 0 });
  });

  it("finds the state of a stack that has another name now, and adopts nothing of it", async () => {
    const named = (name: string) =>
      synthesizeInto(scenario.folder, (app) => {
        const stack = new TerraformStack(app, name);
        new RnvProvider(stack, "rnv");
        new Project(stack, "shop", { name: "Shop" }).addService("api", {
          kind: "worker",
          configuration: { repository: "https://git.example.com/shop/api" },
        });
      });
    named("shop");
    await rnv("apply", ...approve);
    const before = worlds();
    named("store");
    const move = "rnv state mv --stack shop --to .rnv/store/state.json project.shop";
    const refused = await rnv("apply", "--adopt", ...approve);
    expect(refused).toMatchObject(failing(1, "project.shop is recorded in the stack shop, as project.shop"));
    expect(refused.stderr).toContain(move);
    expect(await scenario.run(...move.split(" ").slice(1))).toMatchObject({ code: 0 });
    await rnv("apply", ...approve);
    expect({ quiet: (await rnv("plan", "-detailed-exitcode")).code, world: worlds() }).toEqual({
      quiet: 0,
      world: before,
    });
  });

  itInSoak(
    "hands a service over to the stack that declares it now: its values stay, and nothing is deployed again",
    async () => {
      const { folder, emulator } = scenario;
      const define = (isSplit: boolean, movedFrom?: string) =>
        synthesizeInto(folder, (app) => {
          const base = new BaseStack(app, "shop");
          const jobs = new TerraformStack(app, "jobs");
          new RnvProvider(jobs, "rnv");
          const stack = isSplit ? jobs : base;
          const configuration = { repository: "https://git.example.com/shop/worker" };
          // Both states hold fingerprints.
          const mailer = new Service(jobs, "mailer", { kind: "worker", configuration });
          mailer.addVariables({ KEY: generate({ length: 32 }) });
          const project = base.shop;
          const worker = new Service(stack, "worker", { kind: "worker", project, configuration });
          if (!isSplit) worker.overrideLogicalId("shop__worker");
          worker.addVariables({ LEVEL: "info", KEY: generate({ length: 32 }) });
          if (movedFrom) worker.movedFrom(movedFrom);
        });
      const world = () =>
        emulator.store.services().map(({ id, name }) => ({
          ...{ id, name, deployments: scenario.deployments(id).length },
          values: emulator.store.variables(id).map((one) => [one.key, emulator.store.variableValue(one.id)]),
        }));
      define(false);
      expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
      const before = world();
      expect(before.map(({ name, deployments }) => [name, deployments]).sort()).toEqual([
        ...[
          ["mailer", 1],
          ["worker", 1],
        ],
      ]);
      scenario.forget();
      define(true);
      const command = "rnv state mv --stack shop --to .rnv/jobs/state.json service.shop.worker";
      for (const flags of [["--adopt"], ["--confirm-delete", "service.shop.worker"]])
        for (const [stack, where] of [
          ["shop", "service.shop.worker is declared in the stack jobs now, as service.worker"],
          ["jobs", "service.worker is recorded in the stack shop, as service.shop.worker"],
        ] as const) {
          const { code, stdout, stderr } = await rnv("apply", stack, ...approve, ...flags);
          expect({ code, isTold: stderr.includes(where), isHinted: stderr.includes(command) }).toEqual({
            ...{ code: 1, isTold: true, isHinted: true },
          });
          expect(stderr).toMatch(
            /write movedFrom\("service\.shop\.worker"\) on it( in jobs)?, run rnv state mv/,
          );
          expect(stdout + stderr).not.toContain("--confirm-delete");
        }
      const whole = await scenario.run(
        ...command.split(" ").slice(1).toSpliced(-1, 1, "variable.shop.worker.KEY"),
      );
      expect(whole).toMatchObject(failing(1, "is a part of service.shop.worker"));
      expect(await scenario.run(...command.split(" ").slice(1))).toMatchObject({ code: 0 });
      define(true, "service.shop.worker");
      expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
      expect(await rnv("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
      expect({ world: world(), requests: scenario.requests() }).toEqual({ world: before, requests: [] });
      expect(Object.keys(recorded("jobs").resources)).toContain("variable.worker.KEY");
      // And back, into a state that is there already.
      define(false, "service.worker");
      const leaving = await rnv("plan", "jobs");
      expect(leaving.stderr).toContain("service.worker is declared in the stack shop now");
      expect(leaving.stdout + leaving.stderr).not.toContain("--confirm-delete");
      const back = ["state", "mv", "--stack", "jobs", "--to", ".rnv/shop/state.json", "service.worker"];
      expect(await scenario.run(...back)).toMatchObject({ code: 0 });
      expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
      expect({ world: world(), requests: scenario.requests() }).toEqual({ world: before, requests: [] });
    },
  );

  itInSoak("destroys what the state of a stack records that the app no longer has", async () => {
    await rnv("apply", ...approve);
    synthesizeInto(scenario.folder, (app) => new BaseStack(app, "prod"));
    const left = ["destroy", "--stack", "staging-apps", ...approve];
    expect(await rnv(...left)).toMatchObject(failing(1, 'there is no stack "staging-apps"'));
    const own = ["--state", ".rnv/staging-apps/state.json"];
    expect(await rnv("destroy", "--stack", "staging-aps", ...approve, ...own)).toMatchObject({ code: 4 });
    expect(await rnv(...left, "--stack", "prod", ...own)).toMatchObject({ code: 1 });
    // A manifest has no stacks, and its state names none.
    scenario.write("plain/rnv.yaml", "projects: { plain: {} }\n");
    const plain = ["-chdir", "plain"];
    expect(await scenario.run(...plain, "apply", ...approve)).toMatchObject({ code: 0 });
    const mistaken = ["destroy", "--stack", "staging", "--state", ".rnv/state.json", ...approve];
    expect(await scenario.run(...plain, ...mistaken)).toMatchObject({ code: 4 });
    expect(await scenario.run(...plain, "destroy", ...approve)).toMatchObject({ code: 0 });
    expect(await rnv(...left, ...own)).toMatchObject({ code: 0 });
    const gone = ["--stack", "staging", "--state", ".rnv/staging/state.json"];
    expect(await scenario.run("destroy", ...gone, ...approve)).toMatchObject({ code: 0 });
    expect(worlds()).toEqual({ projects: ["prod shop"], services: 1 });
  });
});
