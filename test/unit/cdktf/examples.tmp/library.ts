import { join } from "node:path";
import { DiagnosticsError, Secret, apply, createClient, createEmulator, createEndpoints, createHttpTransport, createLocalBackend, createReads, deployments, diagnosticCodes, drift, embeddedApiKey, embeddedWorkspaceId, exportManifest, importResource, loadManifest, loadStateKey, manifestJsonSchema, openBackend, overlayJsonSchema, parseAddress, parseStateAddress, plan, planDocument, planRequest, resourceTypes, savePlan, serveEmulator, status, validate, type Context } from "../../../../src";
import { manualClock } from "../../../../src/emulator/testing";

export async function exampleOfcreateClient(context: Context, id: string) {
const { baseUrl, clock } = context;
const [apiKey, transport] = [new Secret(embeddedApiKey), createEmulator().transport()];
const client = createClient({ baseUrl, apiKey, transport, clock, random: Math.random });
}

export async function exampleOfcreateEndpoints(context: Context, id: string) {
const { send } = await context.connect();
const projects = await createEndpoints(send, context.workspaceId).listProjects();
}

export async function exampleOfcreateHttpTransport(context: Context, id: string) {
const transport = createHttpTransport({ environment: process.env, exchangeTimeoutMs: 10_000 });
await transport.close();
}

export async function exampleOfcreateReads(context: Context, id: string) {
const { send } = await context.connect();
const services = await createReads(createEndpoints(send, context.workspaceId)).services();
}

export async function exampleOfapply(context: Context, id: string) {
const request = { ...planRequest, files: ["rnv.yaml"], lockTimeoutMs: 0, parallelism: 10 };
const { exitCode } = await apply(context, { ...request, approve: async () => ({ confirmedDeletes: [] }) });
}

export async function exampleOfdrift(context: Context, id: string) {
const { report } = await drift(context, planRequest);
}

export async function exampleOfexportManifest(context: Context, id: string) {
const { text } = await exportManifest(context, { project: "shop" });
}

export async function exampleOfimportResource(context: Context, id: string) {
const found = await importResource(context, { address: "project.shop", id, lockTimeoutMs: 0 });
}

export async function exampleOfplan(context: Context, id: string) {
const { plan: made, diagnostics } = await plan(context, planRequest);
}

export async function exampleOfstatus(context: Context, id: string) {
const [api] = await status(context, "service.shop.api");
}

export async function exampleOfdeployments(context: Context, id: string) {
const releases = await deployments(context, { address: "service.shop.api", limit: 10 });
}

export async function exampleOfvalidate(context: Context, id: string) {
const { diagnostics } = await validate(context, { files: ["rnv.yaml"] });
}

export async function exampleOfDiagnosticsError(context: Context, id: string) {
await context.connect().catch((cause: unknown) => {
  if (cause instanceof DiagnosticsError) process.exitCode = cause.exitCode;
});
}

export async function exampleOfcreateEmulator(context: Context, id: string) {
const emulator = createEmulator({ deploySeconds: 0 });
emulator.store.addProject({ name: "Shop" });
}

export async function exampleOfserveEmulator(context: Context, id: string) {
const { url, close } = await serveEmulator(createEmulator());
await close();
}

export async function exampleOfmanualClock(context: Context, id: string) {
const clock = manualClock();
const emulator = createEmulator({ clock });
clock.advance(60_000);
}

export async function exampleOfloadManifest(context: Context, id: string) {
const { cwd, environment } = context;
const request = { cwd, environment, files: ["rnv.yaml"], types: resourceTypes };
const { desired, diagnostics } = await loadManifest({ ...request, secrets: "skip" });
}

export async function exampleOfmanifestJsonSchema(context: Context, id: string) {
const schema = JSON.stringify(manifestJsonSchema(resourceTypes));
}

export async function exampleOfoverlayJsonSchema(context: Context, id: string) {
const schema = JSON.stringify(overlayJsonSchema(resourceTypes));
}

export async function exampleOfparseAddress(context: Context, id: string) {
const address = parseAddress("service.shop.api");
}

export async function exampleOfSecret(context: Context, id: string) {
const shown = String(new Secret("hunter2")); // "(sensitive)"
}

export async function exampleOfplanDocument(context: Context, id: string) {
const { plan: made } = await plan(context, planRequest);
const json = made && JSON.stringify(planDocument(made));
}

export async function exampleOfsavePlan(context: Context, id: string) {
const { plan: made } = await plan(context, planRequest);
const savedPlan = made && savePlan(made, { files: ["rnv.yaml"] });
}

export async function exampleOfloadStateKey(context: Context, id: string) {
const { environment, randomBytes } = context;
const path = join(context.cwd, ".rnv", "state.key");
const { key } = await loadStateKey({ environment, path, create: true, randomBytes });
}

export async function exampleOfopenBackend(context: Context, id: string) {
const { baseUrl, workspaceId, clock, host, pid, environment, randomBytes } = context;
const around = { baseUrl, workspaceId, clock, host, pid, environment, randomBytes, isAlive: () => true };
const { address } = parseStateAddress("state.json");
const backend = address && openBackend(address, { ...around, openTransport: createHttpTransport });
}

export async function exampleOfparseStateAddress(context: Context, id: string) {
const { address, diagnostic } = parseStateAddress("s3://rnv-state/shop?region=eu-central-1");
}

export async function exampleOfcreateLocalBackend(context: Context, id: string) {
const { baseUrl, workspaceId, clock, host, pid } = context;
const around = { baseUrl, workspaceId, clock, host, pid, isAlive: () => true };
const state = await createLocalBackend({ ...around, path: join(context.cwd, "state.json") }).read();
}
