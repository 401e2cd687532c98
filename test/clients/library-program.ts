// A program that uses the library of the installed package with its types: it runs once it compiles.
import {
  type ApplyEvent,
  apply,
  type DriftDocument,
  drift,
  openContext,
  type PlanDocument,
  plan,
} from "terraform-provider-rnv";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "terraform-provider-rnv/testing";

const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
const events: ApplyEvent[] = [];
const context = openContext({
  ...{ cwd: process.cwd(), baseUrl: "embedded", state: "state.json" },
  ...{ workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey },
  transport: emulator.transport(),
  onEvent: (event) => events.push(event),
});

async function main(): Promise<string> {
  const manifest = { projects: { shop: { description: "Online shop" } } };
  const { plan: document } = await plan(context, { manifest });
  const made: PlanDocument | undefined = document;
  const { counts } = await apply(context, {
    manifest,
    approve: async ({ applyable }) => (applyable ? [] : undefined),
  });
  const { report } = await drift(context, { manifest, failOn: ["pending"] });
  const found: DriftDocument | undefined = report;
  await context.close();
  const addresses = made?.resource_changes.map(({ address }) => address);
  return JSON.stringify({
    addresses,
    added: counts?.added,
    fields: found && "has_drift" in found,
    last: events.at(-1)?.type,
  });
}

main().then(console.log);
