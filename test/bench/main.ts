import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { writeFigures } from "../support/figures-page";
import { production } from "./production";
import { type Row, table } from "./row";
import { measurements as ofRnv } from "./rows";
import { throughTerraform } from "./through-terraform";
import { createWorkbench } from "./workbench";

const measurements = [...ofRnv, ...production, ...throughTerraform];

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
  const sections = new Map<string | undefined, Row[]>();
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
      sections.set(measurement.section, [...(sections.get(measurement.section) ?? []), ...found]);
      process.stderr.write(`${table(found).split("\n").slice(2).join("\n")}`);
    }
  } finally {
    await bench.close();
  }
  const rows = [...sections.values()].flat();
  process.stdout.write(table(rows));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rows }, null, 2)}\n`);
  // A section of figures is that of one run: the first is that of all rows without a section of their own.
  for (const [own, found] of sections) {
    const section = own ?? values.section ?? (only === undefined ? "bench" : undefined);
    const names =
      own === undefined ? only : chosen.filter((one) => one.section === own).map(({ name }) => name);
    const command = ["npm run bench", ...(names === undefined ? [] : [`-- --only ${names}`])].join(" ");
    const text = `${table(found)}\n\`npm run build && ${command}\` measures this.`;
    if (section !== undefined && found.length > 0) writeFigures("performance", section, text);
  }
}

main().catch((cause: unknown) => {
  console.error(cause);
  process.exit(1);
});
