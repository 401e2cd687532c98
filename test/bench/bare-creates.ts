import { readFileSync } from "node:fs";
import { Pool } from "undici";

/** The creates of `desired.json` by a client that does nothing else: no journal, no state, answers only parsed. */
const base = process.env.RNV_BASE_URL as string;
const workspace = process.env.RNV_WORKSPACE_ID as string;
const parallelism = Number(process.argv[2]);
const { origin, pathname } = new URL(base);
const pool = new Pool(origin, { connections: parallelism });

async function create(body: string, key: string): Promise<void> {
  const { statusCode, body: answer } = await pool.request({
    method: "POST",
    path: `${pathname}/workspaces/${workspace}/services`,
    headers: {
      authorization: `Bearer ${process.env.RNV_API_KEY}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body,
  });
  await answer.json();
  if (statusCode !== 200) throw new Error(`${statusCode}`);
}

async function main(): Promise<void> {
  const desired = JSON.parse(readFileSync("desired.json", "utf8")) as {
    name: string;
    kind: string;
    fields: Record<string, unknown>;
  }[];
  const next = desired.entries();
  const work = async (): Promise<void> => {
    for (const [index, { name, kind, fields }] of next)
      await create(JSON.stringify({ name, kind, configuration: fields, deploy: false }), `bare-${index}`);
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  await pool.close();
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
