import { readFileSync } from "node:fs";
import { Pool } from "undici";

/**
 * A client without a plan, a journal and a state, which parses the answers. It sends the reads in `reads.json` or the
 * creates of `desired.json`. It lists the services before it creates by name, once a second, as rnv has to.
 */
const [, , job, parallelism] = process.argv;
const base = `${process.env.RNV_BASE_URL}/workspaces/${process.env.RNV_WORKSPACE_ID}`;
const pool = new Pool(new URL(base).origin, { connections: Number(parallelism) });

async function ask(method: "GET" | "POST", url: string, body?: string, key?: string): Promise<void> {
  const { statusCode, body: answer } = await pool.request({
    method,
    path: new URL(url).pathname,
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
    listing = ask("GET", `${base}/canvas`);
  }
  return listing;
}

interface Desired {
  readonly name: string;
  readonly kind: string;
  readonly fields: Record<string, unknown>;
}

async function create({ name, kind, fields }: Desired, index: number): Promise<void> {
  await list();
  const body = JSON.stringify({ name, kind, configuration: fields, deploy: false });
  await ask("POST", `${base}/services`, body, `bare-${index}`);
}

/** Sends a request for each entry of a file, as many at a time as there are connections. */
async function sendAll<T>(file: string, send: (entry: T, index: number) => Promise<void>): Promise<void> {
  const next = (JSON.parse(readFileSync(file, "utf8")) as T[]).entries();
  const work = async (): Promise<void> => {
    for (const [index, entry] of next) await send(entry, index);
  };
  await Promise.all(Array.from({ length: Number(parallelism) }, work));
  await pool.close();
}

const sent =
  job === "reads" ? sendAll<string>("reads.json", (url) => ask("GET", url)) : sendAll("desired.json", create);
sent.catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
