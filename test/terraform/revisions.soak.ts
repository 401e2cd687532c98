import { join } from "node:path";
import { textIn } from "../support/rows";
import { attachedFolder, describeTerraform, TerraformFolder } from "../support/terraform";

interface Shop {
  readonly branch?: string;
  readonly description?: string;
  readonly archived?: boolean;
  readonly level?: string;
  readonly values?: string;
  readonly triggers?: boolean;
  readonly deployment?: string;
}

/** A service with a variable, a map of variables and a deployment. */
const shop = ({ branch = "main", description = "", archived = false, ...more }: Shop): string =>
  textIn(join(__dirname, "revisions.tf"), {
    archived,
    branch,
    description,
    level: more.level ?? "info",
    values: more.values ?? '{ A = "1" }',
    triggers:
      (more.triggers ?? true)
        ? "triggers = {\n config = rnv_service.api.revision\n level = rnv_variable.level.revision\n vars = rnv_variables.all.revision\n}"
        : "",
    deployment: more.deployment ?? "",
  });

describeTerraform("a deployment with the revisions of its service and variables as triggers", () => {
  const world = attachedFolder();
  const { store } = world.emulator;
  const service = () => store.services()[0]?.id ?? "";
  const count = () => store.deployments(service()).length;
  /** Applies a change, after which nothing is left to do. Returns how many deployments it made. */
  const deployed = async (change: Shop): Promise<number> => {
    const before = count();
    world.write(shop(change));
    world.emulator.resetLog();
    await world.apply();
    await world.expectNoChanges();
    return count() - before;
  };
  const isLast = (): boolean => world.writes().at(-1)?.endsWith("/deploys") === true;

  it("runs once in the apply that changes them, after all of them, and for nothing else", async () => {
    expect(await deployed({})).toBe(1);
    expect(isLast()).toBe(true);
    expect(await deployed({ branch: "next" })).toBe(1);
    expect(await deployed({ level: "debug", values: '{ A = "2", B = "1" }' })).toBe(1);
    expect(isLast()).toBe(true);
    expect(await deployed({ level: "debug" })).toBe(1);
    expect(await deployed({ description: "Sells books" })).toBe(1);
    expect(await deployed({ description: "Sold here", deployment: 'timeout = "20m"' })).toBe(0);
    expect(await deployed({ archived: true, description: "Sold here" })).toBe(0);
    expect(await deployed({ description: "Sold here" })).toBe(0);
  }, 120_000);

  it("runs for a repair of drift, and for a return to earlier content", async () => {
    await deployed({});
    store.editConfiguration(service(), { branch: "hotfix" });
    expect(await deployed({})).toBe(1);
    expect(await deployed({ branch: "next" })).toBe(1);
    expect(await deployed({})).toBe(1);
  }, 120_000);

  it("runs once for a variable that is deleted with its resource, in the next apply at the latest", async () => {
    await deployed({ values: '{ A = "1", GONE = "1" }' });
    const before = count();
    world.write(
      shop({})
        .replace(/resource "rnv_variable" "level"[\s\S]*?\n}\n/, "")
        .replace(/ level = .*\n/, ""),
    );
    await world.apply();
    await world.apply();
    await world.expectNoChanges();
    expect(count()).toBe(before + 1);
    await deployed({});
  }, 120_000);
});

describeTerraform("a deployment without triggers", () => {
  const world = new TerraformFolder();
  const { store } = world.emulator;
  const service = () => store.services()[0]?.id ?? "";
  const count = () => store.deployments(service()).length;
  const write = (change: Shop): void => world.write(shop({ triggers: false, ...change }));
  const settled = async (): Promise<void> => {
    await world.apply();
    await world.apply();
    await world.expectNoChanges();
  };

  beforeAll(async () => {
    await world.openAttached();
    write({});
    await settled();
  }, 60_000);

  it("runs in the apply after the change, and each plan says so, once for all of them", async () => {
    const second = shop({ triggers: false }).replaceAll('"api"', '"web"').replaceAll(".api.", ".web.");
    const two = second.replace('"level"', '"webs"').replace('"all"', '"webs"');
    world.write(shop({ triggers: false }) + two);
    await settled();
    const told = await world.told("plan -input=false");
    expect(told.match(/Warning: Rnv_deployment without triggers/gi)).toHaveLength(1);
    expect(told).toContain("set triggers = { config = rnv_service.NAME.revision".replace("set", "Set"));
    write({});
    await world.apply();
    const before = count();
    write({ branch: "next", level: "debug" });
    await world.apply();
    expect(count()).toBe(before);
    expect(await world.run("plan -input=false -detailed-exitcode", 2)).toMatch(
      /up_to_date = false -> \(known after apply\)/,
    );
    await world.apply();
    expect(count()).toBe(before + 1);
    await world.expectNoChanges();
  }, 120_000);

  it("runs for what others change, and not for a description, an archive or a release that has all of it", async () => {
    const theirs = () => store.variables(service()).find(({ key }) => key === "THEIRS")?.id ?? "";
    const edits: readonly [() => void, number][] = [
      [() => store.editConfiguration(service(), { autoDeploy: "commit" }), 0],
      [() => store.addVariable(service(), "THEIRS", "1"), 1],
      [() => store.editVariable(theirs(), { value: "2" }), 1],
      [() => store.deleteVariableNow(theirs()), 1],
    ];
    for (const [edit, runs] of edits) {
      world.settle();
      edit();
      const before = count();
      await world.apply();
      expect(count()).toBe(before + runs);
      await world.expectNoChanges();
    }
    world.settle();
    store.addVariable(service(), "THEIRS", "1");
    store.deploy(service());
    store.settle();
    await world.expectNoChanges();
  }, 120_000);
});

describeTerraform("a deployment, and variables of another provider block and of another state", () => {
  const world = new TerraformFolder();
  const other = new TerraformFolder();
  const { store } = world.emulator;
  const service = () => store.services()[0]?.id ?? "";
  const count = () => store.deployments(service()).length;
  const aliased = (level: string, triggers = true) =>
    `provider "rnv" {\n  alias = "other"\n}\n${shop({ level, triggers }).replace('key        = "LEVEL"', 'key        = "LEVEL"\n  provider   = rnv.other')}`;

  // A process for each provider block and command: what one knows is not known to the next one.
  beforeAll(async () => {
    await world.open();
    await other.open();
  });

  it("runs in the same apply for a variable of another provider block", async () => {
    world.write(aliased("info"));
    await world.apply();
    expect(count()).toBe(1);
    world.write(aliased("debug"));
    await world.apply();
    expect(count()).toBe(2);
    await world.expectNoChanges();
  }, 60_000);
});
