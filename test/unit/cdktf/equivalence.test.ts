import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type App, TerraformOutput, TerraformStack } from "cdktf";
import { parse } from "yaml";
import { Project, RnvProvider } from "../../../src/cdktf/cdktf";
import type { ApplyRequest } from "../../../src/commands/apply";
import { planDocument } from "../../../src/plan/document";
import { jsonText } from "../../../src/report/escape-text";
import { shareOf } from "../../support/soak";
import { createWorkbench, type Workbench } from "../../support/workbench";
import { type ExampleManifest, overlaid, stackOf } from "./example-stacks";
import { synthesizeInto } from "./synthesize";

const examples = join(__dirname, "..", "..", "..", "examples");
const environment = {
  SHOP_REGION: "eu-west",
  RNV_VAR_SHOP_REGION: "eu-west",
  SHOP_DATABASE_URL: "postgres://u:p@db/shop",
  SHOP_QUEUE_TOKEN: "token",
};
const stack = { files: ["cdktf.out"] };

/** Files of the examples: a manifest and its overlays. */
const cases: readonly (readonly string[])[] = [
  ["quickstart/rnv.yaml"],
  ["gitops/rnv.yaml"],
  ["gitops/rnv.yaml", "gitops/stages/production.yaml"],
  ["drift-cron/rnv.yaml"],
  ["testing/rnv.yaml"],
];

const bench = (): Workbench => createWorkbench({ environment });

async function planText(one: Workbench, request: Partial<ApplyRequest>): Promise<string> {
  const { plan, diagnostics } = await one.plan(request);
  expect(diagnostics).toEqual([]);
  const text = jsonText(planDocument(plan as NonNullable<typeof plan>));
  // Where a value stands, and the construct that wrote it, are all that the two may differ in.
  return text.replace(/,\s*"(range|construct)": \{[^}]*\}/g, "");
}

/** A paid plan waits for its checkout in the dashboard; then it is applied to the end. */
async function settle(one: Workbench, request: Partial<ApplyRequest>): Promise<void> {
  expect([0, 8]).toContain((await one.apply(request)).exitCode);
  for (const { id } of one.emulator.store.services()) one.emulator.store.completeCheckout(id);
  expect((await one.apply(request)).exitCode).toBe(0);
}

function withExample(files: readonly string[], define?: (app: App) => TerraformStack) {
  const one = bench();
  const names = files.map((file, i) => {
    // Stages of a manifest are its own; here the overlay is laid over it.
    const text = readFileSync(join(examples, file), "utf8").replace(/^stages:\n(?: .*\n)+/m, "");
    one.write(`${i}.yaml`, text);
    return `${i}.yaml`;
  });
  // The same as a value that a program exports; its overlay stays YAML.
  const [, ...overlays] = names;
  const blocks = names.map((name) => parse(readFileSync(join(one.folder, name), "utf8")));
  const value = JSON.stringify(blocks[0]);
  symlinkSync(join(examples, "..", "node_modules"), join(one.folder, "node_modules"));
  one.write("rnv.config.ts", `export default () => (${value});`);
  const manifest = blocks.reduce(overlaid) as ExampleManifest;
  synthesizeInto(one.folder, define ?? ((app) => stackOf(app, manifest)));
  return { one, yaml: { files: names }, program: { files: ["rnv.config.ts", ...overlays] } };
}

describe.each(shareOf(cases, 3).map((files) => ({ files })))(
  "the stack of the example $files",
  ({ files }) => {
    it("plans the first apply byte for byte like its manifest, in YAML and as a program", async () => {
      const { one, yaml, program } = withExample(files);
      expect(await planText(one, stack)).toBe(await planText(one, yaml));
      expect(await planText(one, program)).toBe(await planText(one, yaml));
    });

    it("finds nothing to do on the state of its manifest", async () => {
      const { one, yaml, program } = withExample(files);
      await settle(one, yaml);
      const { plan, diagnostics } = await one.plan(stack);
      expect(diagnostics).toEqual([]);
      expect(plan?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
      expect(await planText(one, stack)).toBe(await planText(one, yaml));
      expect(await planText(one, program)).toBe(await planText(one, yaml));
    });

    it("plans deletions and drift like its manifest", async () => {
      const { one, yaml } = withExample(files);
      await settle(one, stack);
      const destroy = { mode: "destroy" as const };
      expect(await planText(one, { ...stack, ...destroy })).toBe(
        await planText(one, { ...yaml, ...destroy }),
      );
    });
  },
);

it("every example with a manifest is compared", () => {
  // Previews are instances of stages; the reference of fields, what a bot updates and what policies judge are no configurations of their own.
  const others = ["preview", "manifest", "renovate", "policies"];
  const withManifest = readdirSync(examples).filter(
    (name) => !others.includes(name) && existsSync(join(examples, name, "rnv.yaml")),
  );
  const compared = new Set(cases.flat().map((file) => file.split("/")[0]));
  expect(withManifest.sort()).toEqual([...compared].sort());
});

/** The shop with a name of Terraform that the library made, and a line that says what it was. */
function renamed(app: App, withMove: boolean): TerraformStack {
  const made = new TerraformStack(app, "renamed");
  new RnvProvider(made, "rnv");
  const shop = new Project(made, "store", { name: "Shop" });
  const api = shop.addService("web", {
    name: "api",
    kind: "web",
    configuration: {
      repository: "https://git.example.com/shop/api",
      runtime: "node",
      startCommand: "node server.js",
      minReplicas: 1,
    },
    lifecycle: { ignoreChanges: ["configuration.min_replicas"] },
  });
  api.addVariable("LOG_LEVEL", "info");
  api.deployOnChange();
  new TerraformOutput(made, "url", { value: api.url });
  if (withMove) {
    shop.movedFrom("project.shop");
    api.movedFrom("service.shop.api");
  }
  return made;
}

describe("a team that moves from a manifest to a stack", () => {
  it("keeps everything with movedFrom, variables and deployments included", async () => {
    const { one, yaml } = withExample(["drift-cron/rnv.yaml"], (app) => renamed(app, true));
    await one.apply(yaml);
    one.emulator.resetLog();
    const { plan, diagnostics } = await one.plan(stack);
    expect(diagnostics).toEqual([]);
    const acting = plan?.changes.filter(({ action }) => action !== "no-op");
    expect(acting?.map(({ address, action }) => `${action} ${address}`)).toEqual([]);
    expect(plan?.changes.map(({ address, previousAddress }) => `${previousAddress} -> ${address}`)).toEqual([
      "deployment.shop.api -> deployment.store.web",
      "project.shop -> project.store",
      "service.shop.api -> service.store.web",
      "variable.shop.api.LOG_LEVEL -> variable.store.web.LOG_LEVEL",
    ]);
  });

  it("replaces it all without movedFrom", async () => {
    const { one, yaml } = withExample(["drift-cron/rnv.yaml"], (app) => renamed(app, false));
    await one.apply(yaml);
    const { plan } = await one.plan(stack);
    expect(plan?.changes.some(({ action }) => action === "delete")).toBe(true);
  });
});
