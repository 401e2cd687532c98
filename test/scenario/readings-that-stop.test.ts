import { approve, eachScenario, failing, oneScenario, printing } from "../support/cli";

const source = 'repository: "https://git.example.com/shop"';
const long = "The shop of the long names, in the second street of the old town";

/** Reading "name": "cut to 40 characters · a slug". */
function keepsAnotherName(name: "cut" | "slug", sent: string, kept: string): void {
  const scenario = oneScenario({ readings: { name } });
  const manifest = (project: string, service: string) =>
    `projects:\n  shop:\n    name: "${project}"\n    services:\n      api: { name: "${service}", kind: web, configuration: { ${source} } }\n`;
  const end = async (address: string) => {
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(
        1,
        `error[apply.not_taken]: ${address}: the platform accepted the change, but name did not take`,
      ),
    );
    expect(stderr).toContain(`it is recorded; declare name: "${kept}", and run the same command again`);
  };

  it("is recorded, and reported with the edit, which leaves an empty plan", async () => {
    scenario.write("rnv.yaml", manifest(sent, sent));
    await end("project.shop");
    // As it is declared, the name is planned and refused again.
    expect((await scenario.run("plan")).stdout).toContain("Plan: 2 to add, 1 to change, 0 to destroy.");
    await end("project.shop");
    scenario.write("rnv.yaml", manifest(kept, sent));
    await end("service.shop.api");
    expect((await scenario.run("plan")).stdout).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
    await scenario.applied(manifest(kept, kept));
    await scenario.isQuiet();
    const { store } = scenario.emulator;
    expect([...store.projects(), ...store.services()].map((one) => one.name)).toEqual([kept, kept]);
    const creations = scenario.sent.filter(
      ({ method, path }) => method === "POST" && /(projects|services)$/.test(path),
    );
    expect(creations).toHaveLength(2);
  });

  it("is reported where a resource is renamed", async () => {
    scenario.write("rnv.yaml", manifest(kept, `${sent} 2`));
    const { stderr } = await scenario.run("apply", ...approve);
    expect(stderr).toContain("error[apply.not_taken]: service.shop.api");
    const [service] = scenario.emulator.store.services();
    expect(stderr).toContain(`declare name: ${JSON.stringify(service?.name)}`);
    await scenario.applied(manifest(kept, service?.name ?? ""));
    await scenario.isQuiet();
  });
}

describe("name=cut", () => keepsAnotherName("cut", long, long.slice(0, 40)));
describe("name=slug", () => keepsAnotherName("slug", "Café, Grünstraße", "cafe-grunstra-e"));

/** Reading "url, internalHost before the first deployment": "set · empty · null". */
function showsUrlLate(firstUrl: "empty" | "null"): void {
  const scenario = oneScenario({ readings: { firstUrl } });

  it("is not written into a variable: the same command again writes it", async () => {
    const variables = `API: "\${service.shop.api.url}", HOST: "\${service.shop.api.internalHost}"`;
    const api = `api: { kind: web, configuration: { ${source} } }`;
    const web = `web: { kind: web, configuration: { ${source} }, variables: { ${variables} } }`;
    scenario.write("rnv.yaml", `projects:\n  shop:\n    services:\n      ${api}\n      ${web}\n`);
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(
        3,
        "error[apply.failed]: variable.shop.web.API: service.shop.api.url is not known after service.shop.api was applied",
      ),
    );
    expect(stderr).toContain(
      "The API has not shown url of service.shop.api yet. Run the same command again.",
    );
    const { store } = scenario.emulator;
    expect(store.services().flatMap(({ id }) => store.variables(id))).toEqual([]);
    await scenario.applies();
    await scenario.isQuiet();
  });
}

describe("firstUrl=empty", () => showsUrlLate("empty"));
describe("firstUrl=null", () => showsUrlLate("null"));

/** Reading "a number of configuration as it comes back": "clamped to a range". */
describe("configurationValue=clamped", () => {
  const scenario = oneScenario({ readings: { configurationValue: "clamped" } });
  const manifest = (hours: number) =>
    `services:\n  api: { kind: web, configuration: { ${source}, previewExpiryHours: ${hours} } }\n`;

  it.each([0, 100_000])("is reported with the number that the platform keeps: %d", async (hours) => {
    scenario.write("rnv.yaml", manifest(hours));
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(
        1,
        "error[apply.not_taken]: service.api: the platform accepted the change, but configuration.previewExpiryHours did not take",
      ),
    );
    const kept = hours === 0 ? 1 : 65_535;
    expect(stderr).toContain(
      `configuration.previewExpiryHours: ${hours} was sent, and the answer of the platform shows ${kept}.`,
    );
    await scenario.applied(manifest(kept));
    await scenario.isQuiet();
    expect(scenario.emulator.store.services()).toHaveLength(1);
  });
});

/** Reading "color as it comes back": "another form of the same colour". */
describe("color=form", () => {
  const scenario = oneScenario({ readings: { color: "form" } });

  it("is reported with the form that the platform keeps", async () => {
    scenario.write("rnv.yaml", 'projects: { shop: { color: "#ff0010" } }\n');
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(
        1,
        "error[apply.not_taken]: project.shop: the platform accepted the change, but color did not take",
      ),
    );
    expect(stderr).toContain('the answer of the platform shows "rgb(255, 0, 16)"');
    scenario.emulator.resetLog();
    await scenario.applied('projects: { shop: { color: "rgb(255, 0, 16)" } }\n');
    expect(scenario.requests()).toEqual([]);
    await scenario.isQuiet();
    expect(scenario.emulator.store.projects()).toHaveLength(1);
  });
});

/** Reading "a variable written with the value it has": "`updatedAt` … stays (… ends in `apply.not_taken`, whose hint is `--verify-values`)". */
describe("repeatedValue=stays", () => {
  const scenario = oneScenario({ readings: { repeatedValue: "stays" } });

  it("is reported with --verify-values, which writes nothing", async () => {
    const manifest = `services:\n  api: { kind: web, deploy: { when: never }, variables: { MODE: one } }\n`;
    await scenario.applied(manifest);
    const { store } = scenario.emulator;
    const [variable] = store.services().flatMap(({ id }) => store.variables(id));
    // Another user sets another value, and sets it back.
    for (const value of ["two", "one"]) store.editVariable(variable?.id ?? "", { value });
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(
        1,
        "error[apply.not_taken]: variable.api.MODE: the platform accepted the change, but value did not take",
      ),
    );
    expect(stderr).toContain("rnv apply --verify-values");
    scenario.emulator.resetLog();
    await scenario.applies("--verify-values");
    const writes = scenario.requests().filter((request) => !request.endsWith("/reveal"));
    expect(writes).toEqual([]);
    await scenario.isQuiet();
  });
});

// "True prevents new deployments." (interface, "Service") is all that is known of an archived service.
describe("archivedService=refused", () => {
  // The stop repeats the words of the refusal.
  const scenario = oneScenario({ readings: { archivedService: "refused", errorBody: "top" } });
  const api = (archived: boolean, branch = "main") =>
    `projects: { shop: { services: { api: { kind: web, deploy: { when: never }, archived: ${archived}, configuration: { branch: ${branch} }, variables: { LEVEL: one } } } } }\n`;

  it("stops an update and a deletion at its refusal, and neither once the service is restored", async () => {
    await scenario.applied(api(false));
    await scenario.applied(api(true));
    scenario.settle();
    const { code, stdout } = await scenario.run("plan", "-detailed-exitcode");
    expect({ code, stdout }).toMatchObject(printing(0, "No changes"));
    scenario.write("rnv.yaml", api(true, "next"));
    const update = await scenario.run("apply", ...approve);
    expect(update.code).toBe(1);
    expect(update.stderr).toContain(
      "error[api.conflict]: service.shop.api: cannot update the service: The service is archived",
    );
    const destroy = await scenario.run("destroy", ...approve);
    expect(destroy.code).toBe(1);
    expect(destroy.stderr).toContain(
      "error[api.conflict]: service.shop.api: cannot delete the service: The service is archived",
    );
    expect(scenario.emulator.store.services()).toHaveLength(1);
    await scenario.applied(api(false));
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.projects()).toEqual([]);
  });
});

// Readings under which rnv ends in a stop. Each has its code and its text here, and nothing is doubled or lost.

const shop = (services: string) => `
projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never }${services}
`;

/** Row 35: the plan, region, runtime and kind in use have gone from the lists. */
describe("catalogLists=fewer", () => {
  const scenario = eachScenario({ readings: { catalogLists: "fewer" } });

  it("refuses a new service of a kind that is not listed any more, and changes those that are there", async () => {
    await scenario.applied(shop(" }"));
    await scenario.isQuiet();
    scenario.write("rnv.yaml", shop(", configuration: { replicas: 2 } }"));
    const changed = await scenario.applies();
    expect(changed.stdout).toContain(
      'warning[plan.not_on_offer]: service.shop.api: kind "web" does not exist',
    );
    scenario.forget();
    scenario.write("rnv.yaml", shop(" }\n      web: { kind: web, deploy: { when: never } }"));
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(
      failing(1, 'error[plan.not_on_offer]: service.shop.web: kind "web" does not exist'),
    );
    expect(scenario.requests()).toEqual([]);
  });
});

/** Row 30: only our clock tells how old a write is, and clocks may be five minutes apart. */
describe("dateHeader=absent", () => {
  const scenario = eachScenario({ readings: { dateHeader: "absent" } });

  it("stops for seven minutes where a service was deleted outside, and says to run the command again", async () => {
    await scenario.applied(shop(" }"));
    scenario.emulator.store.deleteServiceNow(scenario.emulator.store.services()[0]?.id ?? "");
    scenario.forget();
    const fast = ["--require", require.resolve("../support/fast-clock.cjs")];
    const { code, stderr } = await scenario.runWith({ node: fast }, "apply", ...approve);
    expect({ code, stderr }).toEqual(failing(1, "error[live.stale]"));
    expect(stderr).toContain("this may be a delay");
    expect(stderr).toContain("Run the command again in a few minutes.");
    expect(scenario.requests()).toEqual([]);
  });
});

/** Row 26: nothing says that a paid deployment does not start. A second one is queued on request alone. */
describe("paid=queued", () => {
  const scenario = eachScenario({ readings: { paid: "queued" } });

  it("ends with the wait, and names the verb that queues another deployment", async () => {
    const source = 'configuration: { repository: "https://git.example.com/api", plan: starter }';
    scenario.write("rnv.yaml", `services: { api: { kind: web, ${source}, deploy: { timeout: 1s } } }\n`);
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 8 });
    const { store } = scenario.emulator;
    const id = store.services()[0]?.id ?? "";
    store.completeCheckout(id);
    const { code, stderr } = await scenario.run("apply", ...approve);
    expect({ code, stderr }).toEqual(failing(7, "error[apply.deploy_timeout]: deployment.api"));
    expect(stderr).toContain("If it never starts, `rnv deploy` queues another deployment.");
    expect(scenario.requests().filter((request) => request.endsWith("/deploys"))).toHaveLength(1);
    expect(await scenario.run("deploy", "service.api")).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });
});
