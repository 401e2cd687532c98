// A program that uses the library of the installed package: `node library.cjs STATE`. It plans, applies and plans again
// over HTTP, and prints what happened as JSON. test/package/installed.soak.ts runs it.
const { createHash, randomBytes } = require("node:crypto");
const { join } = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const rnv = require("terraform-provider-rnv");

const { RNV_BASE_URL: baseUrl, RNV_WORKSPACE_ID: workspaceId, RNV_API_KEY: apiKey } = process.env;
const environment = process.env;
const folder = join(process.cwd(), ".rnv");
const clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
const machine = { host: "test", pid: process.pid, clock, randomBytes };
const opened = [];

function openTransport(options) {
  const transport = rnv.createHttpTransport({ environment, ...options });
  opened.push(transport);
  return transport;
}

function connect() {
  const client = rnv.createClient({
    ...{ baseUrl, apiKey: new rnv.Secret(apiKey), clock, random: Math.random },
    transport: openTransport(),
  });
  const endpoints = (send) => rnv.createEndpoints(send, workspaceId);
  const { runId, send, redact, close } = client;
  return { runId, send, redact, close, endpoints, reads: rnv.createReads(endpoints(send)) };
}

function openContext(state) {
  const { address, diagnostic } = rnv.parseStateAddress(state);
  if (diagnostic) throw new Error(diagnostic.summary);
  const origin = { baseUrl, workspaceId };
  const isAlive = () => true;
  return {
    ...{ ...origin, ...machine, environment, cwd: process.cwd() },
    credential: () => createHash("sha256").update(apiKey).digest("hex").slice(0, 16),
    backend: rnv.openBackend(address, { ...origin, ...machine, environment, folder, isAlive, openTransport }),
    connect: async () => connect(),
    stateKey: (create) =>
      rnv.loadStateKey({
        environment,
        path: join(folder, "state.key"),
        create,
        salt: workspaceId,
        randomBytes,
      }),
    emit: () => {},
    signal: new AbortController().signal,
  };
}

async function main(state) {
  const before = await rnv.plan(openContext(state), rnv.planRequest);
  const applied = await rnv.apply(openContext(state), {
    ...{ ...rnv.planRequest, lockTimeoutMs: 0, parallelism: 4 },
    approve: async () => ({ confirmedDeletes: [] }),
  });
  const after = await rnv.plan(openContext(state), rnv.planRequest);
  await Promise.all(opened.map((transport) => transport.close()));
  console.log(
    JSON.stringify({
      planned: before.plan?.summary.add,
      applied: applied.counts?.added,
      left: after.plan?.summary.add,
      diagnostics: [before, applied, after].flatMap(({ diagnostics }) => diagnostics),
    }),
  );
}

main(process.argv[2]);
