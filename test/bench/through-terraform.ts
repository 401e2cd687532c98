import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { selfSigned } from "../../src/terraform/certificate";
import { builtProvider } from "../support/built-provider";
import { variablesOf } from "./data";
import { inPairs, measure, type Pairs, type Program, times } from "./measure";
import { described, requestsOf } from "./production";
import { atMost, idealRow, onThisNode, type Row, ratioRow, valuesRow } from "./row";
import { type Measurement, quiet } from "./rows";
import type { Workbench } from "./workbench";

const magicCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const resourcesOf = (count: number): string => `${count.toLocaleString("en")} services`;

const services = (count: number): string => `
terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
resource "rnv_service" "s" {
  count = ${count}
  name  = "s-\${count.index}"
  kind  = "web"
  configuration {
    branch = "main"
    plan   = "free"
  }
}
`;

const maps = (count: number, variables: number): string => `
resource "rnv_variables" "s" {
  count      = ${count}
  service_id = rnv_service.s[count.index].id
  values     = ${JSON.stringify(variablesOf(variables))}
}
`;

/** As many resources of Terraform's own, which ask no service. */
const builtIn = (count: number, fields: readonly string[]): string => `
resource "terraform_data" "s" {
  count = ${count}
  input = {
    name = "s-\${count.index}"
    ${fields.join("\n    ")}
  }
}
`;

/** As many attributes as a service has in the state. */
const asManyFields = Array.from({ length: 68 }, (_, index) => `a${index} = "main"`);

const manifest = (count: number, variables?: number): string => {
  const names = Array.from({ length: count }, (_, index) => `s-${index}`);
  const fixed = { kind: "web", configuration: { branch: "main", plan: "free" }, deploy: { when: "never" } };
  const settings = JSON.stringify({ ...fixed, variables: variables && variablesOf(variables) });
  return `services:\n${names.map((name) => `  ${name}: ${settings}\n`).join("")}`;
};

/** A folder of Terraform with the built provider, and a service of its own. */
async function siteOf(bench: Workbench, text: string) {
  const { folder, service, rnv } = await bench.declared({ count: 0, width: "lean" });
  const used = join(folder, "used");
  const peak = JSON.stringify(resolve(__dirname, "../support/peak-memory.cjs"));
  // The processes of the provider say themselves what they took.
  writeFileSync(
    join(folder, "usage.cjs"),
    `if (process.env.TF_PLUGIN_MAGIC_COOKIE) process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const line = JSON.stringify({ ms: (user + system) / 1000, kb: require(${peak}).peakKb() });
  require("node:fs").appendFileSync(${JSON.stringify(used)}, line + "\\n");
});`,
  );
  const overrides = `dev_overrides { "rnv/rnv" = ${JSON.stringify(builtProvider())} }`;
  writeFileSync(join(folder, "rc"), `provider_installation {\n  ${overrides}\n  direct {}\n}\n`);
  writeFileSync(join(folder, "main.tf"), text);
  const env = {
    ...{ ...service.env, TF_CLI_CONFIG_FILE: join(folder, "rc"), CHECKPOINT_DISABLE: "1" },
    ...{ TF_IN_AUTOMATION: "1", NODE_OPTIONS: `--require ${join(folder, "usage.cjs")}` },
  };
  const run = (...args: readonly string[]): Program => ({ command: "terraform", args, cwd: folder, env });
  /** Runs a command; tells its time, the requests, and what the processes of the provider took. */
  const take = async (program: Program) => {
    rmSync(used, { force: true });
    await service.report();
    const { ms } = await measure(program);
    const { reads, writes } = await service.report();
    const all = readFileSync(used, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const providerMs = all.reduce((sum, one) => sum + one.ms, 0);
    const megabytes = (Math.max(...all.map((one) => one.kb)) * 1024) / 1e6;
    return { ms, requests: reads.length + writes.length, providerMs, megabytes };
  };
  const plan: Program = { ...run("plan", "-input=false"), shows: "No changes." };
  return { folder, service, rnv, plan, apply: run("apply", "-auto-approve", "-input=false"), run, take };
}

/** Plans in turn, with `rnv` and through Terraform, of the live services that Terraform has made and `rnv` adopts. */
async function sameWork(site: Awaited<ReturnType<typeof siteOf>>, text: string, pairs: number) {
  writeFileSync(join(site.folder, "rnv.yaml"), text);
  await measure(site.rnv("apply", "-auto-approve", "-adopt", "-verify-values"));
  return inPairs({ ...site.rnv("plan"), shows: quiet }, site.plan, pairs);
}

const sameWorkRow = (name: string, compared: Pairs, target: Row["target"]): Row =>
  ratioRow(name, "wall with rnv / through Terraform", compared, target, ["rnv", "Terraform"]);

/** From the start of the provider to its first line, beside that of Node alone. */
async function startRow(bench: Workbench, pairs: number): Promise<Row> {
  const { folder } = await bench.declared({ count: 0, width: "lean" });
  const env = {
    ...{ TMPDIR: folder, TF_PLUGIN_MAGIC_COOKIE: magicCookie },
    PLUGIN_CLIENT_CERT: selfSigned(Date.now()).certificate,
  };
  const node: Program = { command: process.execPath, args: ["-e", "0"], cwd: folder };
  const provider = {
    ...node,
    env,
    args: [join(builtProvider(), "terraform-provider-rnv")],
    endsAtOutput: true,
  };
  const compared = await inPairs(provider, node, pairs);
  return ratioRow("start of the provider", "handshake / `node -e 0`", compared, atMost(3.4), [
    "provider",
    "node",
  ]);
}

async function smallPlan(bench: Workbench, pairs: number): Promise<Row> {
  const site = await siteOf(bench, services(100));
  await measure(site.apply);
  const compared = await sameWork(site, manifest(100), pairs);
  return sameWorkRow("no-op plan, 100 services", compared, onThisNode({ 22: 0.17 }));
}

const plansAndApplies = async (bench: Workbench, pairs: number, count: number): Promise<readonly Row[]> => {
  const name = `no-op plan, ${resourcesOf(count)}`;
  const ours = await siteOf(bench, services(count));
  const byRnv = await bench.declared({ count: 0, width: "lean" });
  writeFileSync(join(byRnv.folder, "rnv.yaml"), manifest(count));
  const applied = await inPairs(ours.apply, byRnv.rnv("apply", "-auto-approve", "-input=false"), 1);
  const rows: Row[] = [];
  for (const [fields, measured, target] of [
    [['branch = "main"', 'plan = "free"'], "wall / `terraform_data`", undefined],
    [asManyFields, "wall / `terraform_data` of as many attributes", atMost(0.85)],
  ] as const) {
    const theirs = await siteOf(bench, builtIn(count, fields));
    await measure(theirs.run("init", "-input=false"));
    await measure(theirs.apply);
    const compared = await inPairs(ours.plan, theirs.plan, pairs);
    rows.push(ratioRow(name, measured, compared, target, ["rnv_service", "terraform_data"]));
  }
  rows.push(sameWorkRow(name, await sameWork(ours, manifest(count), pairs), onThisNode({ 22: 0.07 })));
  const took = await times(pairs, () => ours.take(ours.plan));
  rows.push(
    valuesRow(
      name,
      "processor time of the provider",
      took.map(({ providerMs }) => providerMs),
      "ms",
      undefined,
    ),
  );
  const names = ["Terraform", "rnv"] as const;
  rows.push(
    ratioRow(`apply, ${resourcesOf(count)}`, "wall through Terraform / with rnv", applied, undefined, names),
  );
  return rows;
};

/** Measures a workspace whose services have a map of variables each. */
const withVariables = async (bench: Workbench, pairs: number, count: number): Promise<readonly Row[]> => {
  const site = await siteOf(bench, services(count) + maps(count, 3));
  const rowsOf = (verb: string, runs: readonly Awaited<ReturnType<typeof site.take>>[]): readonly Row[] => {
    const name = `${verb}, ${resourcesOf(count)} with a map of variables each`;
    const all = (key: keyof (typeof runs)[number]): readonly number[] => runs.map((run) => run[key]);
    return [
      valuesRow(name, "requests", all("requests"), "requests", undefined),
      valuesRow(name, "wall", all("ms"), "ms", undefined),
      valuesRow(name, "processor time of the provider", all("providerMs"), "ms", undefined),
      valuesRow(name, "peak resident of a process of the provider", all("megabytes"), "MB", undefined),
    ];
  };
  const applied = await site.take(site.apply);
  const planned = await times(pairs, () => site.take(site.plan));
  return [...rowsOf("apply", [applied]), ...rowsOf("no-op plan", planned)];
};

/** The same services as users wait for them, on a platform that answers after 50 ms. */
const inProduction = async (bench: Workbench, pairs: number): Promise<readonly Row[]> => {
  const site = await siteOf(bench, services(300) + maps(300, 2));
  await measure(site.apply);
  const { ideal } = await requestsOf(site.service, 50, site.plan);
  const compared = await sameWork(site, manifest(300, 2), pairs);
  const name = `no-op plan, ${described}, 50 ms latency`;
  return [
    sameWorkRow(name, compared, atMost(0.18)),
    idealRow(`${name}, through Terraform`, compared.b, ideal, atMost(8)),
  ];
};

/** Through Terraform, with the provider. */
export const throughTerraform: readonly Measurement[] = [
  {
    ...{ name: "provider", needsTerraform: true, section: "terraform-1000" },
    run: async (bench, pairs) => [
      await startRow(bench, pairs),
      await smallPlan(bench, pairs),
      ...(await plansAndApplies(bench, pairs, 1000)),
    ],
  },
  {
    ...{ name: "provider-variables", needsTerraform: true, section: "terraform-variables" },
    run: (bench, pairs) => withVariables(bench, pairs, 1000),
  },
  { name: "production-terraform", needsTerraform: true, section: "production", run: inProduction },
];
