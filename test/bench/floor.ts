import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";

/**
 * The floor: what a plan cannot do without. Three reads at once, JSON.parse, a manifest in JSON, a comparison of the
 * declared fields; no validation, no diagnostics, no state, no positions.
 */
const base = process.env.RNV_BASE_URL as string;
const workspace = process.env.RNV_WORKSPACE_ID as string;
const headers = { authorization: `Bearer ${process.env.RNV_API_KEY}` };
const agent = new Agent({ keepAlive: true });

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const read = (path: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    get(`${base}${path}`, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }),
      );
    }).once("error", reject);
  });

interface Node {
  readonly name: string;
  readonly configuration: Record<string, unknown>;
}

async function main(): Promise<void> {
  const path = `/workspaces/${workspace}`;
  const [, projects, canvas] = await Promise.all([
    read("/catalog"),
    read(`${path}/projects`),
    read(`${path}/canvas`),
  ]);
  let nodes = canvas.body.nodes as Node[];
  if (canvas.status === 413) {
    const ids = (projects.body.projects as { id: string }[]).map(({ id }) => id);
    const parts = await Promise.all(ids.map((id) => read(`${path}/canvas?projectId=${id}`)));
    nodes = parts.flatMap(({ body }) => body.nodes as Node[]);
  }
  const live = new Map(nodes.map((node) => [node.name, node]));
  const desired = JSON.parse(readFileSync("desired.json", "utf8")) as {
    name: string;
    fields: Record<string, unknown>;
  }[];
  let changes = 0;
  for (const { name, fields } of desired) {
    const { configuration } = live.get(name) as Node;
    for (const field of Object.keys(fields)) {
      const [a, b] = [configuration[field], fields[field]];
      if (a !== b && JSON.stringify(a) !== JSON.stringify(b)) changes += 1;
    }
  }
  console.log(changes === 0 ? "No changes." : `${changes} changes`);
  agent.destroy();
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
