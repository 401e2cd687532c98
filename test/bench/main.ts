import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { writeFigures } from "../support/figures-page";
import { type Row, table } from "./row";
import { measurements } from "./rows";
import { createWorkbench } from "./workbench";

const usage = `npm run bench -- [--pairs N] [--only NAME,…] [--section NAME] [--json FILE]

Measures the built command line (npm run build first) in whole processes, A B A B, and writes a table to
docs/explain/performance.md: nine pairs for each row unless said, which takes most of an hour.
Names: ${measurements.map(({ name }) => name).join(", ")}
`;

/** Runs the measurements that were asked for and prints what they found. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: "string", default: "9" },
      only: { type: "string" },
      section: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const pairs = Math.max(1, Number(values.pairs));
  const only = values.only?.split(",");
  const chosen = measurements.filter(({ name }) => only === undefined || only.includes(name));
  const bench = await createWorkbench();
  const rows: Row[] = [];
  try {
    for (const measurement of chosen) {
      if (measurement.needsTerraform && bench.terraform === null) {
        process.stderr.write(`${measurement.name}: there is no terraform here\n`);
        continue;
      }
      const found = await measurement.run(bench, pairs).catch((cause: unknown) => {
        process.stderr.write(`${measurement.name}: ${cause instanceof Error ? cause.message : cause}\n`);
        process.exitCode = 1;
        return [];
      });
      rows.push(...found);
      process.stderr.write(`${table(found).split("\n").slice(2).join("\n")}`);
    }
  } finally {
    await bench.close();
  }
  process.stdout.write(table(rows));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows }, null, 2)}\n`);
  // A section of figures is that of one run: the first is that of all rows.
  const section = values.section ?? (only === undefined ? "bench" : undefined);
  const command = ["npm run bench", ...(only === undefined ? [] : [`-- --only ${only}`])].join(" ");
  if (section !== undefined)
    writeFigures("performance", section, `${table(rows)}\n\`npm run build && ${command}\` measures this.`);
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
