// A program that uses the library of the installed package: `node library.cjs STATE`. It plans, applies, plans again, looks
// for drift and destroys over HTTP, and prints the outcomes as JSON. test/package/installed.soak.ts runs it.
const rnv = require("terraform-provider-rnv");

const { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY: apiKey } = process.env;

async function main(state) {
  const options = { baseUrl, workspaceId, apiKey, state, environment: process.env, cwd: process.cwd() };
  const context = rnv.openContext(options);
  const before = await rnv.plan(context);
  const applied = await rnv.apply(context);
  const after = await rnv.plan(context);
  const drift = await rnv.drift(context);
  const destroyed = await rnv.apply(context, { mode: "destroy" });
  await context.close();
  console.log(
    JSON.stringify({
      planned: before.plan?.summary.add,
      applied: applied.counts?.added,
      left: after.plan?.summary.add,
      drift: drift.report?.has_drift,
      destroyed: destroyed.counts?.destroyed,
      diagnostics: [before, applied, after, drift, destroyed].flatMap(({ diagnostics }) => diagnostics),
    }),
  );
}

main(process.argv[2]);
