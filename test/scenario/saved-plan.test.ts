import { createHash } from "node:crypto";
import { canonicalJson, type Plain } from "../../src/model/value";
import { approve, failing, oneScenario } from "../support/cli";

const shop = (health: string, ...names: string[]) =>
  `projects:\n  shop:\n    services:\n${names
    .map(
      (name) =>
        `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/shop", healthCheckPath: ${health} } }\n`,
    )
    .join("")}`;

interface Saved extends Record<string, Plain> {
  readonly request: { confirmedDeletes: string[]; allowEmpty: boolean };
  readonly plan: {
    readonly options: { confirmed_deletes: string[]; allow_empty: boolean };
    readonly resource_changes: { blocked_by?: Plain }[];
  };
}

const stale = (why: string) => `error[plan.stale]: the saved plan is out of date\n  ${why}`;

describe("a saved plan", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop("/a", "api", "web"));
    const made = await scenario.run("plan", "-out", "first.rnvplan");
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("rnv apply first.rnvplan");
  });
  beforeEach(() => scenario.forget());

  const refused = async (file: string, text: string) => {
    const { code, stderr } = await scenario.run("apply", file);
    expect({ code, stderr }).toEqual(failing(5, text));
    expect(scenario.requests()).toEqual([]);
  };

  it("is shown, and applied without asking", async () => {
    const shown = await scenario.run("show", "first.rnvplan");
    expect(shown.stdout).toContain("Plan: 5 to add, 0 to change, 0 to destroy.");
    const planned = await scenario.run("plan", "-json", "-out", "same.rnvplan");
    const json = await scenario.run("show", "-json", "same.rnvplan");
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(planned.stdout));
    expect(Object.keys(JSON.parse(json.stdout)).slice(0, 2)).toEqual(["format_version", "timestamp"]);
    const { code, stdout } = await scenario.run("apply", "first.rnvplan");
    expect(code).toBe(0);
    expect(stdout).toContain("Apply complete! Resources: 5 added, 0 changed, 0 destroyed.");
    await scenario.isQuiet();
  });

  it("applies once", () => refused("first.rnvplan", "what first.rnvplan holds was applied already (run "));

  it("is refused once what it touches changed behind its back", async () => {
    scenario.write("rnv.yaml", shop("/b", "api", "web"));
    await scenario.run("plan", "-out", "second.rnvplan");
    scenario.emulator.store.editConfiguration(scenario.idOf("api"), { branch: "other" });
    await refused("second.rnvplan", stale("service.shop.api is not as it was: it changed on the platform"));
  });

  /** Interface, "Service": `updatedAt` is a "timestamp"; events that move it are not shown. */
  it("is applied where the time of a service or project moved by itself", async () => {
    const { store } = scenario.emulator;
    scenario.write(
      "rnv.yaml",
      shop("/b", "api", "web").replace("  shop:\n", "  shop:\n    description: A\n"),
    );
    await scenario.run("plan", "-out", "moved.rnvplan");
    for (const { id } of store.services()) store.editService(id, () => ({}));
    for (const { id } of store.projects()) store.editProject(id, {});
    expect(await scenario.run("apply", "moved.rnvplan")).toMatchObject({ code: 0, stderr: "" });
    await scenario.isQuiet();
  });

  it("is refused once the manifest says something else", async () => {
    const planned = shop("/d", "api", "web");
    scenario.write("rnv.yaml", planned);
    await scenario.run("plan", "-out", "third.rnvplan");
    scenario.write("rnv.yaml", planned.replace("kind: web", "kind: web, dependsOn: [service.shop.web]"));
    await refused("third.rnvplan", stale("service.shop.api is not as it was: it depends on other resources"));
    scenario.write("rnv.yaml", shop("/c", "api", "web"));
    await refused("third.rnvplan", "service.shop.api is not as it was: it is declared in another way");
  });

  it("is refused when a byte of it changed, wherever it is", async () => {
    await scenario.run("plan", "-out", "fourth.rnvplan");
    const text = scenario.read("fourth.rnvplan");
    for (const edited of [text.replace("/c", "/d"), text.replace(/\d(?=[^\d]*$)/, "x"), `${text}\n `, "{}"]) {
      expect(edited).not.toBe(text);
      scenario.write("edited.rnvplan", edited);
      const { code, stderr } = await scenario.run("apply", "edited.rnvplan");
      expect({ edited: edited.slice(-60), code, stderr }).toMatchObject({ code: 5 });
      expect(scenario.requests()).toEqual([]);
    }
    expect((await scenario.run("apply", "fourth.rnvplan")).code).toBe(0);
    await scenario.isQuiet();
  });

  it("confirms no deletion: it shows the same block as without -out, and apply refuses it", async () => {
    scenario.write("rnv.yaml", shop("/c", "api"));
    const bare = await scenario.run("plan");
    const planned = await scenario.run("plan", "-out", "fifth.rnvplan");
    const shown = await scenario.run("show", "fifth.rnvplan");
    expect(bare.stdout).toContain("blocked: the deletion of service.shop.web is not confirmed");
    expect({ planned: planned.stdout, shown: shown.stdout }).toEqual({
      planned: bare.stdout,
      shown: bare.stdout,
    });
    expect(planned.stderr).toContain(
      "Saved the plan to fifth.rnvplan. 1 unconfirmed deletion: rnv apply fifth.rnvplan asks for each address.",
    );
    for (const flags of [[], approve, ["-json"], ["-auto-approve"]]) {
      const { code, stderr, stdout } = await scenario.run("apply", ...flags, "fifth.rnvplan");
      expect({ flags, code }).toEqual({ flags, code: 4 });
      expect(`${stderr}${stdout}`).toContain(
        "service.shop.web will be destroyed. Blocked: it is not confirmed",
      );
      expect(scenario.requests()).toEqual([]);
    }
  });

  it("is confirmed by name when it is applied, and by no other name", async () => {
    const other = await scenario.run("apply", "fifth.rnvplan", "--confirm-delete=service.shop.api");
    expect({ code: other.code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    const { code } = await scenario.run("apply", "fifth.rnvplan", "--confirm-delete=service.shop.web");
    expect({ code, live: scenario.names() }).toEqual({ code: 0, live: ["api"] });
    await scenario.isQuiet();
  });

  it("carries the confirmations that it was made with", async () => {
    await scenario.applied(shop("/c", "api", "web", "jobs"));
    scenario.write("rnv.yaml", `${shop("/c", "api")}removed: [service.shop.jobs]\n`);
    const { stdout, stderr } = await scenario.run(
      ...["plan", "-out", "both.rnvplan", "--confirm-delete", "service.shop.web"],
    );
    expect(stdout).not.toContain("blocked");
    expect(stderr).toContain("To do exactly this: rnv apply both.rnvplan");
    expect((await scenario.run("apply", "both.rnvplan")).code).toBe(0);
    expect(scenario.names()).toEqual(["api"]);
    await scenario.isQuiet();
  });

  it("believes no confirmation that was written into it, whoever made the checksum right", async () => {
    await scenario.applied(shop("/c", "api", "web"));
    scenario.write("rnv.yaml", shop("/c", "api"));
    await scenario.run("plan", "-out", "honest.rnvplan");
    await scenario.run("plan", "-out", "confirmed.rnvplan", "--confirm-delete", "service.shop.web");
    const forge = (name: string, change: (saved: Saved) => void, mac?: string) => {
      const { saved } = JSON.parse(scenario.read(name)) as { saved: Saved };
      change(saved);
      const checksum = createHash("sha256").update(canonicalJson(saved)).digest("hex");
      scenario.write("forged.rnvplan", `${canonicalJson({ checksum, ...(mac && { mac }), saved })}\n`);
    };
    const confirm = (saved: Saved) => {
      saved.request.confirmedDeletes = ["service.shop.web"];
      saved.plan.options.confirmed_deletes = ["service.shop.web"];
      for (const change of saved.plan.resource_changes) delete change.blocked_by;
    };
    const override = ({ request, plan }: Saved) => {
      request.allowEmpty = plan.options.allow_empty = true;
    };
    scenario.forget();
    const { mac } = JSON.parse(scenario.read("confirmed.rnvplan")) as { mac: string };
    const attacks: [string, () => void, number, string][] = [
      ["no mac", () => forge("honest.rnvplan", confirm), 4, "service.shop.web will be destroyed. Blocked"],
      ["the mac of another plan", () => forge("honest.rnvplan", confirm, mac), 5, "plan.damaged"],
      ["its mac taken away", () => forge("confirmed.rnvplan", () => {}), 4, "No key authenticates"],
      ["an override", () => forge("honest.rnvplan", override), 4, "--allow-empty"],
    ];
    for (const [attack, make, code, text] of attacks) {
      make();
      const run = await scenario.run("apply", "forged.rnvplan");
      expect({ attack, ...run }).toMatchObject({ attack, code, stderr: expect.stringContaining(text) });
      expect(scenario.requests()).toEqual([]);
    }
    const another = { env: { RNV_STATE_KEY: "a".repeat(64) } };
    const elsewhere = await scenario.runWith(another, "apply", "confirmed.rnvplan");
    expect(elsewhere).toMatchObject(failing(5, "made with another key"));
    expect(scenario.names()).toEqual(["api", "web"]);
    expect((await scenario.run("apply", "confirmed.rnvplan")).code).toBe(0);
    expect(scenario.names()).toEqual(["api"]);
  });

  it("is blocked where it destroys, as its plan shows, and wants the names", async () => {
    const planned = await scenario.run("plan", "-destroy", "-out", "end.rnvplan", "-detailed-exitcode");
    expect(planned.code).toBe(4);
    expect(planned.stdout).toContain("blocked: the deletion of project.shop is not confirmed");
    const refused = await scenario.run("apply", ...approve, "end.rnvplan");
    expect({ code: refused.code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    expect(refused.stderr).toContain("rnv destroy -auto-approve deletes all of it");
    const names = ["service.shop.api", "project.shop"].flatMap((address) => ["--confirm-delete", address]);
    expect((await scenario.run("apply", "end.rnvplan", ...names)).code).toBe(0);
    expect(scenario.emulator.store.projects()).toEqual([]);
    await scenario.applied(shop("/c", "api"));
  });

  it("takes no options of its own", async () => {
    const { code, stderr } = await scenario.run("apply", "first.rnvplan", "-target=service.shop.api");
    expect(code).toBe(1);
    expect(stderr).toContain("--target cannot change a saved plan");
  });

  it("is refused for another workspace or address", async () => {
    scenario.write("rnv.yaml", shop("/e", "api"));
    await scenario.run("plan", "-out", "sixth.rnvplan");
    const { code } = await scenario.runWith(
      { env: { RNV_BASE_URL: scenario.url.replace("127.0.0.1", "localhost") } },
      "apply",
      "sixth.rnvplan",
      ...approve.slice(1),
    );
    expect(code).not.toBe(0);
    expect(scenario.requests()).toEqual([]);
  });

  it("is not made, and not applied, where a third of everything is gone or nothing is declared", async () => {
    const four = shop("/c", "api", "b", "c", "d");
    await scenario.applied(four);
    scenario.write("rnv.yaml", shop("/x", "api", "b", "c", "d"));
    expect((await scenario.run("plan", "-out", "kept.rnvplan")).code).toBe(0);
    scenario.forget();
    scenario.write("rnv.yaml", "projects: {}\n");
    const empty = await scenario.run("plan", "-out", "empty.rnvplan");
    expect({
      code: empty.code,
      made: scenario.files().some(({ path }) => path.endsWith("empty.rnvplan")),
    }).toEqual({ code: 4, made: false });
    const emptied = await scenario.run("apply", "kept.rnvplan", "--confirm-delete=service.shop.api");
    expect(emptied).toMatchObject(failing(4, "error[guard.empty_manifest]"));
    scenario.write("rnv.yaml", shop("/x", "api", "b", "c", "d"));
    for (const { id, name } of scenario.emulator.store.services())
      if (name !== "api") scenario.emulator.store.deleteServiceNow(id);
    scenario.settle();
    const gone = await scenario.run("plan", "-out", "gone.rnvplan");
    expect({
      code: gone.code,
      made: scenario.files().some(({ path }) => path.endsWith("gone.rnvplan")),
    }).toEqual({ code: 4, made: false });
    const { code, stderr } = await scenario.run("apply", "kept.rnvplan");
    expect({ code, writes: scenario.requests() }).toEqual({ code: 4, writes: [] });
    expect(stderr).toContain("error[live.mass_disappearance]");
  });
});

/** DESIGN section 8: "binds to … `{id, digest}` of each touched resource (and `updatedAt` of variables)". */
describe("a saved plan that writes a variable", () => {
  const scenario = oneScenario();

  it("is refused once that was written meanwhile, because no read shows its value", async () => {
    const set = (mode: string) =>
      shop("/b", "api").replace("kind: web, ", `kind: web, variables: { MODE: ${mode} }, `);
    await scenario.applied(set("one"));
    scenario.write("rnv.yaml", set("two"));
    await scenario.run("plan", "-out", "value.rnvplan");
    scenario.forget();
    const { store } = scenario.emulator;
    const [variable] = store.services().flatMap(({ id }) => store.variables(id));
    store.editVariable(variable?.id ?? "", { value: "three" });
    const { code, stderr } = await scenario.run("apply", "value.rnvplan");
    const why = "variable.shop.api.MODE is not as it was: it changed on the platform";
    expect({ code, stderr }).toEqual(failing(5, stale(why)));
    expect(scenario.requests()).toEqual([]);
  });
});
