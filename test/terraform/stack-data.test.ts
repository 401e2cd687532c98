import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { propertyAccess, TerraformOutput, TerraformStack, Testing, Token } from "cdktn";
import {
  DataRnvCanvas,
  DataRnvDeployments,
  DataRnvProject,
  DataRnvProjects,
  DataRnvServices,
  DataRnvVariables,
  RnvProvider,
} from "../../src/cdktf/generated/cdktn";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const run = promisify(execFile);
const program = join(__dirname, "..", "..", "dist", "bin", "rnv.js");

/** What a stack lists of a workspace, all of it as outputs. */
function listings(): string {
  const stack = new TerraformStack(Testing.app(), "guest");
  new RnvProvider(stack, "rnv", { acceptMissing: false });
  const theirs = new DataRnvProject(stack, "theirs", { name: "Theirs" });
  const all = new DataRnvServices(stack, "all", { projectId: theirs.id });
  const api = Token.asString(propertyAccess(all.services, [0, "id"]));
  const known = new DataRnvVariables(stack, "known", { serviceId: api });
  const past = new DataRnvDeployments(stack, "past", { serviceId: api, limit: 1 });
  const canvas = new DataRnvCanvas(stack, "canvas", { projectId: theirs.id });
  const projects = new DataRnvProjects(stack, "projects");
  const values = {
    services: all.services,
    keys: known.keys,
    variables: known.variables,
    available: past.available,
    deployments: past.items,
    layout: canvas.layout,
    nodes: canvas.nodes,
    groups: canvas.groups,
    edges: canvas.edges,
    every: projects.projects,
  };
  for (const [name, value] of Object.entries(values)) new TerraformOutput(stack, `${name}_of`, { value });
  return Testing.synth(stack);
}

describeTerraform("constructs under Terraform and under rnv", () => {
  const world = new TerraformFolder();
  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  const rnv = (...args: string[]) =>
    run(process.execPath, [program, ...args], {
      cwd: world.folder,
      env: {
        RNV_BASE_URL: world.baseUrl,
        RNV_WORKSPACE_ID: embeddedWorkspaceId,
        RNV_API_KEY: embeddedApiKey,
        RNV_ALLOW_HTTP: "1",
        PATH: process.env.PATH ?? "",
      },
    });

  it("show the same of what the service lists", async () => {
    const { store } = world.emulator;
    const project = store.addProject({ name: "Theirs" });
    const service = store.addService({ name: "api", kind: "web", projectId: project.id });
    store.addService({ name: "worker", kind: "worker", projectId: project.id });
    store.addVariable(service.id, "TOKEN", "canary-value");
    const text = listings();
    writeFileSync(join(world.folder, "w", "cdk.tf.json"), text);
    await world.apply();
    const shown = JSON.parse(await world.run("output -json")) as Record<string, { value: unknown }>;
    writeFileSync(join(world.folder, "cdk.tf.json"), text);
    await rnv("apply", "-auto-approve", "-input=false", "-f", "cdk.tf.json");
    const outputs = JSON.parse((await rnv("output", "-json")).stdout) as Record<string, { value?: unknown }>;
    const byName = Object.fromEntries(Object.entries(shown).map(([name, { value }]) => [name, value]));
    const ours = Object.fromEntries(
      Object.entries(outputs).map(([name, one]) => [name, one?.value === undefined ? one : one.value]),
    );
    expect(ours).toEqual(byName);
    expect(byName).toMatchObject({ services_of: [{ name: "api" }, { name: "worker" }], keys_of: ["TOKEN"] });
    expect(JSON.stringify(shown)).not.toContain("canary-value");
  }, 60_000);
});
