import { rmSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { driftDocumentSchema } from "../../src/plan/drift";
import { approve, eachScenario, failing, oneScenario, openScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";
import { itInSoak, shareOf } from "../support/soak";

const readKey = "rnv_read_only";
const shop = (branch = "main", level = "info") => textIn(join(__dirname, "drift.yaml"), { branch, level });

describe("drift, with a key that may only read", () => {
  const scenario = oneScenario({
    apiKeys: [
      { key: embeddedApiKey, scope: "write", role: "owner" },
      { key: readKey, scope: "read", role: "viewer" },
    ],
  });
  const drift = (...args: string[]) => scenario.runWith({ env: { RNV_API_KEY: readKey } }, "drift", ...args);
  beforeAll(async () => {
    await scenario.applied(shop());
  });
  beforeEach(() => {
    scenario.write("rnv.yaml", shop());
    scenario.forget();
  });
  afterEach(() => scenario.fail());

  it("is 0 when nothing changed, writes nothing and leaves no lock", async () => {
    const before = scenario.files();
    expect(await drift()).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files()).toEqual(before);
  });

  it("is 2 and distinguished: drifted, pending, missing, unmanaged", async () => {
    const { store } = scenario.emulator;
    store.editConfiguration(scenario.idOf("api"), { branch: "evil" });
    const [variable] = store.variables(scenario.idOf("api"));
    store.editVariable(variable?.id ?? "", { value: "evil" });
    store.deleteServiceNow(scenario.idOf("web"));
    scenario.settle();
    store.addService({ name: "theirs" });
    scenario.write("rnv.yaml", shop("main", "info").replace("branch: main", "branch: main, port: 9000"));
    const { code, stdout } = await drift("-json");
    expect(code).toBe(2);
    const report = JSON.parse(stdout);
    const addresses = (list: readonly { address: string }[]) => list.map(({ address }) => address);
    expect(addresses(report.drifted)).toEqual(
      expect.arrayContaining(["service.shop.api", "variable.shop.api.LOG_LEVEL"]),
    );
    expect(addresses(report.pending)).toContain("service.shop.api");
    expect(JSON.stringify(report.missing)).toContain("service.shop.web");
    expect(JSON.stringify(report.unmanaged)).toContain("theirs");
    expect(report.consequences).toEqual([]);
    expect(stdout).not.toContain("LOG_LEVEL: evil");
    for (const format of ["text", "markdown"])
      expect(await drift("--format", format)).toMatchObject({ code: 2 });
    expect(scenario.requests()).toEqual([]);
  });

  it("is not counted until the date of its entry in rnv.drift.yaml, and is said; then the entry is an error at its line", async () => {
    const accept = (until: string, more = "") =>
      scenario.write(
        "rnv.drift.yaml",
        `accepted:
  - { address: "*", until: ${until}, reason: "hotfix, *OPS-1*" }
${more}`,
      );
    accept("2999-12-31", "  - { address: service.other, until: 2999-12-31, reason: none }\n");
    const accepted = await drift("-fail-on=unmanaged,pending");
    expect(accepted).toMatchObject({ code: 0 });
    expect(accepted.stdout).toContain("Accepted until a date:");
    expect(accepted.stdout).toMatch(
      /service\.shop\.api +configuration\.branch +until 2999-12-31 +hotfix, \*OPS-1\*/,
    );
    expect(accepted.stdout).toMatch(/service\.shop\.web +deleted outside rnv +until 2999-12-31/);
    expect(accepted.stdout).toMatch(/^No drift\. \d accepted for a while\.$/m);
    expect(accepted.stderr).toContain(
      "warning[drift.acceptance_unused]: nothing of service.other has drifted",
    );
    expect(accepted.stderr).toContain("rnv.drift.yaml:3:5");
    for (const narrowed of ["-target=project.shop", "-exclude=service.shop.api"]) {
      expect((await drift(narrowed)).stderr).not.toContain("acceptance_unused");
      expect((await scenario.run("ci", "drift", narrowed)).stderr).not.toContain("acceptance_unused");
    }
    const document = JSON.parse((await drift("-json")).stdout);
    expect(driftDocumentSchema.parse(document)).toMatchObject({ has_drift: false, drifted: [] });
    expect(document.accepted).toContainEqual({
      class: "missing",
      address: "service.shop.web",
      until: "2999-12-31",
      reason: "hotfix, *OPS-1*",
    });
    accept("2020-01-01");
    const expired = await drift("-json");
    expect(expired).toMatchObject(
      failing(2, "error[drift.acceptance_expired]: drift of * was accepted until 2020-01-01"),
    );
    expect(driftDocumentSchema.parse(JSON.parse(expired.stdout))).toMatchObject({
      has_drift: true,
      expired: [{ address: "*", until: "2020-01-01" }],
    });
    accept("2020-01-01", '  - { address: "*", until: 2999-01-01, reason: again }\n');
    expect(await drift()).toMatchObject(printing(1, "Acceptance expired: remove or renew the entry"));
    accept("never");
    expect(await drift()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("rnv.drift.yaml:2:28"),
    });
    rmSync(join(scenario.folder, "rnv.drift.yaml"));
  });

  it("is repaired by apply, and by nothing else", async () => {
    expect(await drift()).toMatchObject({ code: 2 });
    const refused = await scenario.runWith({ env: { RNV_API_KEY: readKey } }, "apply", ...approve);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("api.forbidden");
    await scenario.applies();
    expect(await drift()).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });

  const faults = [
    ["is cut off", { kind: "malformed" }],
    ["fails", { kind: "status", status: 403 }],
    ["is not JSON", { kind: "html", status: 200 }],
  ] as const;
  it.each(shareOf(faults, 3))("is 1, never 0, when a listing %s", async (_, fault) => {
    scenario.fail(({ path }) => (path.endsWith("/projects") ? fault : undefined));
    const { code, stdout, stderr } = await drift();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("error[");
  });
});

describe("the findings of drift", () => {
  // A suspended service is known by its status alone.
  const scenario = eachScenario({ readings: { statusWords: "seen" } });
  const store = () => scenario.emulator.store;
  /** The JSON report, checked against its schema, with the exit code. */
  const report = async (...args: string[]) => {
    const { code, stdout } = await scenario.run("drift", "-json", ...args);
    const found = JSON.parse(stdout);
    expect(driftDocumentSchema.safeParse(found).error).toBeUndefined();
    expect(found.has_drift).toBe(code === 2);
    return { code, ...found };
  };
  const texts = async (verb: "drift" | "plan") =>
    Promise.all(
      ["text", "markdown", "json"].map(
        async (format) => (await scenario.run(verb, "--format", format)).stdout,
      ),
    );
  beforeEach(async () => {
    await scenario.applied(shop());
  });

  it("a manifest that is not applied is pending: 0, unless -fail-on pending", async () => {
    scenario.write("rnv.yaml", shop("next"));
    expect(await report()).toMatchObject({
      code: 0,
      drifted: [],
      pending: [{ address: "deployment.shop.api" }, { address: "service.shop.api", action: "update" }],
    });
    expect((await scenario.run("drift")).stdout).toMatch(/\nNo drift\. 2 not applied yet\.\n$/);
    expect(await report("-fail-on", "pending")).toMatchObject({
      code: 2,
      fail_on: ["drifted", "missing", "pending"],
    });
    const refused = await scenario.run("drift", "-fail-on", "drifted,pendng");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain('did you mean "pending"?');
  });

  it("the deployment that repairs drift is below it, and not pending; a resource that has left the manifest drifts, too", async () => {
    store().editConfiguration(scenario.idOf("api"), { branch: "evil" });
    expect(await report()).toMatchObject({
      code: 2,
      drifted: [{ address: "service.shop.api" }],
      consequences: [{ address: "deployment.shop.api", action: "update", because: ["service.shop.api"] }],
      pending: [],
    });
    const { stdout } = await scenario.run("drift");
    // Between them is who deployed last, where that was another user, else when it was updated.
    expect(stdout).toMatch(
      /"main" -> "evil"\n {6}(deployed by|last updated) .*; to repair it: deployment\.shop\.api would run again\n/,
    );
    expect(stdout).toMatch(/\nDrift: 1 changed outside rnv\.\n$/);
    scenario.write("rnv.yaml", shop().replace(/ {6}api:.*(?= {6}web)/s, ""));
    const left = await report();
    expect(left).toMatchObject({ code: 2, drifted: [{ address: "service.shop.api" }] });
    expect(left.pending).toContainEqual({ address: "service.shop.api", action: "delete", attributes: [] });
  });

  it("an undeclared resource is named, and counts with -strict", async () => {
    store().addVariable(scenario.idOf("web"), "DEBUG", "canary-of-theirs");
    store().editConfiguration(scenario.idOf("web"), { port: 9000 });
    store().addService({ name: "theirs" });
    const named = {
      unmanaged: [
        { type: "service", name: "theirs" },
        { type: "variable", name: "DEBUG", within: "service.shop.web" },
      ],
    };
    expect(await report()).toMatchObject({ code: 0, ...named, undeclared: [] });
    expect(await report("-strict")).toMatchObject({
      code: 2,
      ...named,
      undeclared: [{ address: "service.shop.web", path: "configuration.port", value: 9000, default: 8000 }],
    });
    const { stdout } = await scenario.run("drift", "-strict");
    expect(stdout).toContain("service.shop.web  DEBUG");
    expect(stdout).toContain("configuration.port  9000 (default 8000)");
    expect(stdout).toContain('not managed here: 1 service ("theirs")');
    expect(stdout).toMatch(/\nDrift: 3 not managed here\.\n$/);
    expect(stdout).not.toContain("canary-of-theirs");
    expect((await scenario.run("plan")).stdout).toContain('not managed here: 1 service ("theirs")');
  });

  it("a failed deployment is pending in text, JSON and Markdown of drift and plan, though nothing is to apply", async () => {
    store().failNextDeployment(scenario.idOf("api"), "npm ERR! missing script");
    store().deploy(scenario.idOf("api"));
    store().settle();
    expect(await report()).toMatchObject({
      code: 0,
      pending: [{ address: "deployment.shop.api", action: "no-op", standing: { code: "failed" } }],
    });
    for (const verb of ["drift", "plan"] as const)
      for (const text of await texts(verb)) {
        expect(text).toContain("deployment.shop.api");
        expect(text).toContain("missing script");
      }
    await scenario.isQuiet();
  });

  itInSoak(
    "an awaited checkout is pending in text, JSON and Markdown of drift and plan, until it is complete",
    async () => {
      const paid = shop().replace("branch: main", "branch: main, plan: starter");
      scenario.write("rnv.yaml", paid);
      expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 8 });
      expect(await report()).toMatchObject({
        pending: [
          { address: "deployment.shop.api", standing: { code: "awaiting_checkout", class: "pending" } },
        ],
      });
      for (const verb of ["drift", "plan"] as const)
        for (const text of await texts(verb))
          expect(text).toContain("live after the checkout in the dashboard");
      store().completeCheckout(scenario.idOf("api"));
      store().settle();
      const paidFor = await report();
      expect(paidFor).toMatchObject({ code: 0, pending: [] });
      // It may stay queued until it is deployed again.
      expect(paidFor.running).not.toContainEqual(expect.objectContaining({ code: "awaiting_checkout" }));
    },
  );

  // Interface, "Deployment": `branch`.
  itInSoak(
    "a release of another branch than declared is said by status, plan and drift, and never counted",
    async () => {
      const release = (branch: string) => {
        store().editConfiguration(scenario.idOf("api"), { branch });
        return store().deploy(scenario.idOf("api"));
      };
      release("experiment");
      store().settle();
      store().editConfiguration(scenario.idOf("api"), { branch: "main" });
      const told = { address: "deployment.shop.api", code: "other_branch", class: "running" };
      expect(await report("-fail-on", "unmanaged,pending")).toMatchObject({ code: 0, running: [told] });
      for (const verb of ["drift", "plan"] as const)
        for (const text of await texts(verb)) expect(text).toContain("it runs branch experiment");
      await scenario.isQuiet();
      store().failNextDeployment(scenario.idOf("api"));
      release("main");
      store().settle();
      expect(await report()).toMatchObject({ pending: [{ standing: { code: "failed" } }], running: [told] });
      expect((await scenario.run("status")).stdout).toContain("it runs branch experiment; declared is main");
      release("main");
      store().settle();
      expect(await report()).toMatchObject({ code: 0, pending: [], running: [] });
      expect((await scenario.run("status")).stdout).not.toContain("experiment");
    },
  );

  it("a release that was rolled back, and a suspended service, are said and never counted", async () => {
    store().deploy(scenario.idOf("api"));
    store().settle();
    const [first] = store().deployments(scenario.idOf("api"));
    expect(
      await scenario.run("rollback", "service.shop.api", first?.id ?? "", "--confirm", "service.shop.api"),
    ).toMatchObject({ code: 0 });
    const said = async (word: string, ...running: readonly object[]) => {
      expect(await report("-fail-on", "unmanaged,pending")).toMatchObject({
        ...{ code: 0, pending: [] },
        running: expect.arrayContaining(running.map((one) => expect.objectContaining(one))),
      });
      for (const verb of ["drift", "plan"] as const)
        for (const text of await texts(verb)) expect(text).toContain(word);
      await scenario.isQuiet();
    };
    await said("rolled back", {
      address: "deployment.shop.api",
      code: "rolled_back",
      summary: expect.stringContaining(first?.id.slice(0, 8) ?? ""),
    });
    expect(await scenario.run("suspend", "service.shop.web")).toMatchObject({ code: 1 });
    expect(await scenario.run("suspend", "service.shop.api")).toMatchObject({ code: 0 });
    // It may serve no release then, and so none that was rolled back.
    await said("suspended", { address: "service.shop.api", code: "suspended" });
  });
});

/** A job of drift takes no lock: another job may apply meanwhile. */
it.each(["just now", "long ago"])(
  "reports nothing of what an apply changes while drift reads (made %s)",
  async (made) => {
    const scenario = await openScenario();
    const fast = { node: ["--require", join(__dirname, "../support/fast-clock.cjs")] };
    const one = (name: string, port: number) =>
      `  ${name}: { kind: worker, configuration: { port: ${port} }, deploy: { when: never } }\n`;
    await scenario.applied(`services:\n${one("api", 1)}${one("web", 1)}`);
    if (made === "long ago") scenario.settle();
    scenario.write("rnv.yaml", `services:\n${one("api", 2)}`);
    let isFirst = true;
    const run = async (): Promise<void> => {
      await scenario.applies("--confirm-delete", "service.web");
    };
    scenario.fail(({ path }) => {
      if (!isFirst || !path.endsWith("/canvas")) return undefined;
      isFirst = false;
      return { kind: "hook", when: "before", run };
    });
    const { code, stdout } = await scenario.runWith(fast, "drift");
    expect({ code, stdout }).toMatchObject(printing(0, "No drift. Your infrastructure matches"));
    expect(scenario.names()).toEqual(["api"]);
  },
);
