import { readFileSync } from "node:fs";
import { Pool } from "undici";

/**
 * The creates of `desired.json` by a client without a plan, a journal and a state. It parses the answers, and lists the
 * services before it creates by name, once a second, as rnv has to.
 */
const base = process.env.RNV_BASE_URL as string;
const workspace = process.env.RNV_WORKSPACE_ID as string;
const parallelism = Number(process.argv[2]);
const { origin, pathname } = new URL(base);
const pool = new Pool(origin, { connections: parallelism });

async function ask(method: "GET" | "POST", path: string, body?: string, key?: string): Promise<void> {
  const { statusCode, body: answer } = await pool.request({
    method,
    path: `${pathname}/workspaces/${workspace}/${path}`,
    headers: {
      authorization: `Bearer ${process.env.RNV_API_KEY}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body }),
  });
  await answer.json();
  // A canvas of more than 2,000 services is refused.
  if (statusCode !== 200 && !(method === "GET" && statusCode === 413)) throw new Error(`${statusCode}`);
}

let listing: Promise<void> | undefined;
let listedAt = Number.NEGATIVE_INFINITY;

/** Lists the services; those who ask within a second share the answer. */
function list(): Promise<void> {
  if (listing === undefined || performance.now() - listedAt > 1000) {
    listedAt = performance.now();
    listing = ask("GET", "canvas");
  }
  return listing;
}

async function main(): Promise<void> {
  const desired = JSON.parse(readFileSync("desired.json", "utf8")) as {
    name: string;
    kind: string;
    fields: Record<string, unknown>;
  }[];
  const next = desired.entries();
  const work = async (): Promise<void> => {
    for (const [index, { name, kind, fields }] of next) {
      await list();
      const body = JSON.stringify({ name, kind, configuration: fields, deploy: false });
      await ask("POST", "services", body, `bare-${index}`);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  await pool.close();
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
