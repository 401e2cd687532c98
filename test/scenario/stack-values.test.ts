import { join } from "node:path";
import { Annotations, App, Fn, TerraformOutput, TerraformStack, TerraformVariable } from "cdktf";
import { DataRnvCatalog, fromEnv, Project, RnvProvider, Service, type Variable } from "../../src/cdktf/cdktf";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, eachScenario, failing, oneScenario } from "../support/cli";

const token = "canary-token-of-the-shop";

/** A program that computes with what its apply makes, with the catalog, and with a secret. */
function synthesizeInto(folder: string): void {
  const app = new App({ outdir: join(folder, "cdktf.out") });
  const stack = new TerraformStack(app, "shop");
  new RnvProvider(stack, "rnv");
  const shop = new Project(stack, "shop");
  const configuration = { repository: "https://git.example.com/shop/api" };
  const api = shop.addService("api", { kind: "web", configuration });
  const worker = shop.addService("worker", { kind: "worker", configuration });
  shop.addLayout({ positions: { [api.id]: { x: 10, y: 20 }, worker: { x: 30, y: 40 } } });
  const catalog = new DataRnvCatalog(stack, "catalog");
  const secret = new TerraformVariable(stack, "token", { type: "string", sensitive: true });
  worker.addVariable("API", Fn.jsonencode({ id: api.id, name: Fn.upper("api"), list: [api.internalHost] }));
  api.addVariable("TOKEN", fromEnv("TF_VAR_token"));
  worker.addVariable("RUNTIMES", Fn.join("|", catalog.runtimes));
  worker.addVariable("BASIC", Fn.base64encode(`user:${secret.stringValue}`));
  worker.addVariable("HOST", `\${element(split(".", rnv_service.${api.friendlyUniqueId}.internal_host), 0)}`);
  new TerraformOutput(stack, "whole", {
    value: { ids: [api.id, worker.id], nested: { shop: shop.id }, n: 1 },
  });
  new TerraformOutput(stack, "list", { value: [api.id, "x"] });
  new TerraformOutput(stack, "count", { value: Fn.lengthOf([api.id, worker.id]) });
  new TerraformOutput(stack, "hidden", { value: { token: secret.stringValue }, sensitive: true });
  new TerraformOutput(stack, "quiet", { value: api.id, sensitive: true });
  Annotations.of(api).addWarning("one replica is few\nin production");
  Annotations.of(worker).addInfo("it needs no domain");
  app.synth();
}

describe("values of a stack", () => {
  const scenario = oneScenario();
  const env = { TF_VAR_token: token };
  const rnv = (...args: string[]) =>
    scenario.runWith({ env }, args[0] as string, "-f", "cdktf.out", ...args.slice(1));
  beforeAll(async () => {
    synthesizeInto(scenario.folder);
  });

  const services = () => new Map(scenario.emulator.store.services().map((one) => [one.name, one]));
  const textOf = (key: string) => scenario.valueOf(key, "worker");

  it("are known after apply where apply makes them; annotations stand in the plan", async () => {
    const { code, stdout, stderr } = await rnv("plan");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/whole +\(known after apply\)/);
    expect(stdout).toMatch(/count +2\n/);
    expect(stdout).toMatch(/hidden +\(sensitive\)/);
    expect(stdout).toMatch(/positions +\(known after apply\)/);
    expect(stdout + stderr).toMatch(/shop\/shop\/api: one replica is few(.|\n)*in production/);
    expect(stderr).toContain("Info: shop/shop/worker: it needs no domain");
    expect((await rnv("plan", "-json")).stderr).not.toContain("Info:");
  });

  it("are what Terraform computes of what the service made", async () => {
    const applied = await rnv("apply", ...approve);
    expect({ code: applied.code, stderr: applied.stderr }).toMatchObject({ code: 0 });
    const [api, worker] = [services().get("api"), services().get("worker")];
    const host = `api-${api?.id.slice(0, 8)}.internal`;
    expect(textOf("API")).toBe(JSON.stringify({ id: api?.id, list: [host], name: "API" }));
    expect(textOf("RUNTIMES")).toMatch(/^[a-z]+(\|[a-z.0-9]+)+$/);
    expect(textOf("BASIC")).toBe(Buffer.from(`user:${token}`).toString("base64"));
    expect(textOf("HOST")).toBe(`${host}`.split(".")[0]);
    const [shop] = scenario.emulator.store.projects();
    const address = `${scenario.url}/workspaces/${embeddedWorkspaceId}/canvas?projectId=${shop?.id}`;
    const canvas = await fetch(address, { headers: { authorization: `Bearer ${embeddedApiKey}` } });
    // Upper and lower case are one ID.
    const { positions } = JSON.parse((await canvas.text()).toLowerCase()).layout;
    expect(positions).toMatchObject({
      [`${api?.id}`]: { x: 10, y: 20 },
      [`${worker?.id}`]: { x: 30, y: 40 },
    });
    const again = await rnv("plan", "-detailed-exitcode");
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("No changes")]);
    expect(await rnv("drift", "-strict")).toMatchObject({ code: 0 });

    const outputs = await scenario.run("output", "-json");
    expect(JSON.parse(outputs.stdout)).toMatchObject({
      whole: { value: { ids: [api?.id, worker?.id], nested: { shop: shop?.id }, n: 1 } },
      list: { value: [api?.id, "x"], type: ["tuple", ["string", "string"]] },
      count: { value: 2, sensitive: false },
      hidden: { value: "(sensitive)", sensitive: true },
      quiet: { value: "(sensitive)", sensitive: true },
    });
    const plain = await scenario.run("output");
    expect(plain.stdout).not.toMatch(/hidden|quiet/);
    expect(plain.stderr).toContain("Sensitive, and not shown: hidden, quiet.");
    expect(await scenario.run("output", "-raw", "hidden")).toMatchObject(
      failing(1, 'the output "hidden" is sensitive'),
    );
    const everything = [applied, again, outputs, plain].map(({ stdout, stderr }) => stdout + stderr).join("");
    for (const text of [everything, scenario.read(".rnv/shop/state.json")]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(`user:${token}`).toString("base64"));
    }
  });

  it("are masked in live attributes where they come from outside the program, and references take them as they are", async () => {
    const id = services().get("api")?.id ?? "";
    scenario.emulator.store.editService(id, () => ({ hostName: token }));
    scenario.emulator.store.editConfiguration(id, { repository: `https://git.example.com/${token}` });
    const planned = await rnv("plan", "-verbose");
    const applied = await rnv("apply", ...approve);
    expect(applied.code).toBe(0);
    expect(textOf("HOST")).toContain(token);
    expect(planned.stdout).toContain("https://git.example.com/(sensitive)");
    for (const text of [planned.stdout, applied.stdout, scenario.read(".rnv/shop/state.json")])
      expect(text).not.toContain(token);
  });
});

describe("the value of a variable that the program writes as text", () => {
  const secret = "plain-secret-123";
  const scenario = eachScenario();
  const configuration = { repository: "https://git.example.com/shop/api" };

  /** Synthesizes a stack with the variable; `define` adds the rest. */
  function synthesize(define: (stack: TerraformStack, tok: Variable, api: Service) => void): void {
    const app = new App({ outdir: join(scenario.folder, "cdktf.out") });
    const stack = new TerraformStack(app, "shop");
    new RnvProvider(stack, "rnv");
    const api = new Service(stack, "api", { kind: "web", configuration });
    define(stack, api.addVariable("TOK", secret), api);
    app.synth();
  }
  const apply = () => scenario.run("apply", "-f", "cdktf.out", ...approve);

  it("is refused in an output and in a field of a service, and stands in no text of the run", async () => {
    synthesize((stack, { value }) => {
      new TerraformOutput(stack, "tok", { value });
      new Service(stack, "worker", { kind: "worker", configuration: { startCommand: `run ${value}` } });
    });
    const refused = await apply();
    expect(refused).toMatchObject(failing(1, "shop: output.tok: outputs are shown and recorded"));
    expect(refused.stderr).toContain("start_command");
    expect(refused.stdout + refused.stderr).not.toContain(secret);
    expect(scenario.emulator.store.services()).toEqual([]);
  });

  it("goes into other variables, also of another stack, and into a sensitive output", async () => {
    synthesize((stack, { value }, api) => {
      api.addVariables({ COPY: value, TEXT: `a:${Fn.upper(value)}` });
      new TerraformOutput(stack, "tok", { value, sensitive: true });
      const jobs = new TerraformStack(stack.node.root, "jobs");
      new RnvProvider(jobs, "rnv");
      new Service(jobs, "worker", { kind: "worker", configuration }).addVariable("TOK", value);
    });
    const applied = await apply();
    expect(applied).toMatchObject({ code: 0 });
    expect(["COPY", "TEXT"].map((key) => scenario.valueOf(key, "api"))).toEqual([
      secret,
      "a:PLAIN-SECRET-123",
    ]);
    expect(scenario.valueOf("TOK", "worker")).toBe(secret);
    const output = await scenario.run("output", "-json", "-f", "cdktf.out");
    const states = ["shop", "jobs"].map((name) => scenario.read(`.rnv/${name}/state.json`));
    for (const text of [applied.stdout + applied.stderr, output.stdout, ...states])
      expect(text).not.toMatch(/plain-secret-123/i);
  });

  it("is refused in another stack where the apply makes it, with what to write", async () => {
    synthesize((stack, _tok, api) => {
      const { value } = api.addVariable("URL", api.url);
      const jobs = new TerraformStack(stack.node.root, "jobs");
      new RnvProvider(jobs, "rnv");
      new Service(jobs, "worker", { kind: "worker", configuration }).addVariable("URL", value);
    });
    const { stderr } = await scenario.run("plan", "-f", "cdktf.out");
    expect(stderr).toContain("jobs/worker/URL: the stack shop makes this secret when it is applied");
    expect(stderr).toContain("refer to its parts, such as the URL of a service, instead");
  });
});
