import { join } from "node:path";
import { documentedDefaults } from "../../src/api/wire/shapes";
import type { StoredService } from "../../src/emulator/records";
import { approve, openScenario } from "../support/cli";
import { textIn } from "../support/rows";

const further = { bootSeconds: 30, motto: "", warm: false, tags: [] as string[], limits: { cpu: 1 } };
const defaults = { ...documentedDefaults, ...further } as NonNullable<unknown> as Record<string, never>;

const shop = (configuration: string) => `
services:
  api:
    kind: web
    configuration: { ${configuration} }
    deploy: { when: never }
`;

const slower = ({ configuration }: StoredService) => ({
  configuration: { ...configuration, bootSeconds: 90 },
});

const open = () => openScenario({ catalog: { defaults } });

it("a field that the catalog's defaults name is made, changed, reset, shown and exported, with the type of its default", async () => {
  const scenario = await open();
  const live = () => scenario.emulator.store.services()[0]?.configuration;
  scenario.write(
    "rnv.yaml",
    shop("bootSeconds: 60, motto: ready, warm: true, tags: [a, b], limits: { cpu: 2 }"),
  );
  const made = await scenario.run("apply", ...approve);
  expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining("unknown_field") });
  expect(live()).toMatchObject({
    bootSeconds: 60,
    motto: "ready",
    warm: true,
    tags: ["a", "b"],
    limits: { cpu: 2 },
  });
  await scenario.isQuiet();

  const exported = await scenario.run("export");
  expect(exported.stdout).toContain("bootSeconds: 60");
  expect(exported.stdout).not.toContain("port:");

  scenario.emulator.store.editService(scenario.idOf(), slower);
  const drift = await scenario.run("drift");
  expect({ code: drift.code, stdout: drift.stdout }).toEqual({
    code: 2,
    stdout: expect.stringMatching(/configuration\.bootSeconds\s+60 -> 90/),
  });

  scenario.write(
    "rnv.yaml",
    shop("bootSeconds: 45, motto: null, warm: true, tags: [a, b], limits: { cpu: 2 }"),
  );
  const planned = await scenario.run("plan", "-json");
  const changes: { address: string; change: { before: unknown; after: unknown } }[] = JSON.parse(
    planned.stdout,
  ).resource_changes;
  expect(changes.find(({ address }) => address === "service.api")?.change).toMatchObject({
    before: { configuration: { bootSeconds: 90, motto: "ready" } },
    after: { configuration: { bootSeconds: 45, motto: "" } },
  });
  expect((await scenario.run("plan", "--format", "markdown")).stdout).toContain("configuration.bootSeconds");
  await scenario.applies();
  await scenario.isQuiet();

  await scenario.applied(shop("motto: steady"));
  expect(live()).toMatchObject({ ...further, motto: "steady" });
  await scenario.isQuiet();
});

it("a field that neither this version nor the catalog knows is an error with a suggestion, at its key", async () => {
  const scenario = await open();
  scenario.write("rnv.yaml", shop("bootSecond: 60"));
  const { code, stderr } = await scenario.run("plan");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /error\[manifest\.unknown_key\]: service\.api: configuration has no attribute "bootSecond"\n {2}--> rnv\.yaml:5:22/,
  );
  expect(stderr).toContain('did you mean "bootSeconds"?');
});

it("a value of another type than the default's is an error that shows the default", async () => {
  const scenario = await open();
  scenario.write("rnv.yaml", shop("bootSeconds: soon, tags: a"));
  const { code, stderr } = await scenario.run("plan");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /service\.api: configuration\.bootSeconds must be a number, not text.*its default is 30/s,
  );
  expect(stderr).toMatch(/service\.api: configuration\.tags must be a list, not text/);
});

it("validate, which asks no service, warns and says who decides", async () => {
  const scenario = await open();
  scenario.write("rnv.yaml", shop("bootSeconds: 60, runtmie: node"));
  const { code, stdout, stderr } = await scenario.run("validate");
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(
    /warning\[manifest\.unknown_field\].*"bootSeconds".*rnv plan asks the platform's catalog/s,
  );
  expect(stdout + stderr).toContain('did you mean "runtime"?');
  expect(scenario.requests("all")).toEqual([]);
});

it("ignoreChanges takes such a field", async () => {
  const scenario = await open();
  const ignored = `${shop("bootSeconds: 60")}    lifecycle: { ignoreChanges: [configuration.bootSeconds] }\n`;
  await scenario.applied(ignored);
  scenario.emulator.store.editService(scenario.idOf(), slower);
  await scenario.isQuiet();
});

describe("a reference to such a field", () => {
  const pair = (configuration: string, reference: string) =>
    textIn(join(__dirname, "open-fields.yaml"), { configuration, reference });

  it("resolves to what is declared, to its default where nothing is, and to its new value in the same apply", async () => {
    const scenario = await open();
    await scenario.applied(pair("bootSeconds: 60", "bootSeconds"));
    expect(scenario.valueOf("BOOT", "worker")).toBe("60");
    expect(JSON.parse((await scenario.run("output", "-json", "boot")).stdout)).toBe(60);
    await scenario.isQuiet();
    await scenario.applied(pair("bootSeconds: 75", "bootSeconds"));
    expect(scenario.valueOf("BOOT", "worker")).toBe("75");
    await scenario.applied(pair("", "bootSeconds"));
    expect(scenario.valueOf("BOOT", "worker")).toBe("30");
    await scenario.isQuiet();
  });

  it("stands in a stack in snake_case", async () => {
    const scenario = await open();
    scenario.write(
      "cdk.tf.json",
      JSON.stringify({
        resource: { rnv_service: { api: { name: "api", kind: "web", configuration: { boot_seconds: 45 } } } },
        output: { boot: { value: "${rnv_service.api.configuration.boot_seconds}" } },
      }),
    );
    const stack = ["-f", "cdk.tf.json"];
    await scenario.applies(...stack);
    expect(JSON.parse((await scenario.run("output", "-json", "boot")).stdout)).toBe(45);
    await scenario.isQuiet(...stack);
  });
});
