import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";

/** The creates of `desired.json` by a client that does nothing else: no journal, no state, answers only parsed. */
const base = process.env.RNV_BASE_URL as string;
const workspace = process.env.RNV_WORKSPACE_ID as string;
const parallelism = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: parallelism });

const create = (body: string, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${process.env.RNV_API_KEY}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "idempotency-key": key,
    };
    const url = `${base}/workspaces/${workspace}/services`;
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => {
        JSON.parse(Buffer.concat(chunks).toString());
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${response.statusCode}`));
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });

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
  agent.destroy();
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
