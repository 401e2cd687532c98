// What the provider costs: a no-op plan of many services against as many `terraform_data`, start to handshake against
// an empty node process, and plan and apply beside those of `rnv` on the same desired state. Prints the figures and their limits; exits 1 above a limit. Ratios are medians of
// pairs measured one after the other. Processor time is given too, that of Terraform and that of the provider's
// processes apart: other work on the machine lengthens the wall time of both, and not evenly.
// Writes the section of docs/explain/performance.md for that many services, which it must have.
// Usage: npm run build && npm run bench:terraform -- [services]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { writeFigures } from "../support/figures-page.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const provider = join(root, "dist/terraform/terraform-provider-rnv");
const count = Number(process.argv[2] ?? 1000);
/** Those of the table of performance targets. */
const limits = { sameSize: 0.85, start: 2.5, sameWork: { 100: 0.17, 1000: 0.07 } };

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const rounds = (times, work) => Array.from({ length: times }, work);

/** Milliseconds until a process ends, or until it first prints. */
function timed(command, args, env, untilOutput) {
  return new Promise((done) => {
    const from = performance.now();
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    if (!untilOutput) return child.once("close", () => done(performance.now() - from));
    child.stdout.once("data", () => {
      done(performance.now() - from);
      child.kill("SIGKILL");
    });
  });
}

async function startRatio(folder) {
  const certificate = execFileSync(
    "openssl",
    [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-keyout",
        "/dev/null",
      ],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const env = {
    ...process.env,
    TMPDIR: folder,
    TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
    PLUGIN_CLIENT_CERT: certificate,
  };
  const bare = [];
  const handshake = [];
  for (let round = 0; round < 15; round += 1) {
    bare.push(await timed(process.execPath, ["-e", "0"], process.env, false));
    handshake.push(await timed(process.execPath, [provider], env, true));
  }
  return [handshake, bare];
}

function startService(folder) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(root, "dist/bin/rnv.js"), "emulator", "--port", "0"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const found = [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
      if (found.length === 3) done({ child, env: Object.fromEntries(found) });
    });
  });
}

const ours = `terraform {
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
const builtIn = `resource "terraform_data" "s" {
  count = ${count}
  input = { name = "s-\${count.index}", kind = "web", branch = "main", plan = "free" }
}
`;

/** The same services for `rnv` itself. */
const manifest = `services:
${Array.from(
  { length: count },
  (_, index) =>
    `  s-${index}: { kind: web, configuration: { branch: main, plan: free }, deploy: { when: never } }`,
).join("\n")}
`;

/** As many built-in resources that hold as many attributes as a service has: what Terraform itself costs. */
const attributes = Array.from({ length: 68 }, (_, index) => `a${index} = "main"`).join("\n    ");
const sameSize = `resource "terraform_data" "s" {
  count = ${count}
  input = {
    name = "s-\${count.index}"
    ${attributes}
  }
}
`;

/** Terraform's processor time is what all of its processes took, less what the provider says it took itself. */
const usageHook = `
if (process.env.TF_PLUGIN_MAGIC_COOKIE && process.env.RNV_BENCH_USAGE)
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    require("node:fs").appendFileSync(process.env.RNV_BENCH_USAGE, (user + system) / 1e6 + " ");
  });
`;

/** Applies and plans the same services with `rnv`, against a service of its own; seconds. */
async function besideRnv(folder) {
  const service = await startService(folder);
  const rnv = (...args) => {
    const from = performance.now();
    execFileSync(process.execPath, [join(root, "dist/bin/rnv.js"), ...args], {
      cwd: folder,
      env: { ...process.env, ...service.env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return (performance.now() - from) / 1000;
  };
  try {
    writeFileSync(join(folder, "rnv.yaml"), manifest);
    const applied = rnv("apply", "-auto-approve", "-input=false");
    return { applied, plans: rounds(5, () => rnv("plan", "-detailed-exitcode")) };
  } finally {
    service.child.kill();
  }
}

async function planRatio(folder) {
  const service = await startService(folder);
  writeFileSync(
    join(folder, "rc"),
    `provider_installation {\n  dev_overrides { "rnv/rnv" = "${dirname(provider)}" }\n  direct {}\n}\n`,
  );
  const env = {
    ...process.env,
    ...service.env,
    TF_CLI_CONFIG_FILE: join(folder, "rc"),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
  };
  const run = (name, ...args) =>
    execFileSync("terraform", args, { cwd: join(folder, name), env, stdio: ["ignore", "ignore", "inherit"] });
  const hook = join(folder, "hook.cjs");
  writeFileSync(hook, usageHook);
  /** Seconds of one plan: wall, processor time of Terraform, processor time of the provider's processes. */
  const planned = (name) => {
    const [total, own] = [join(folder, "total"), join(folder, "own")];
    writeFileSync(own, "");
    const from = performance.now();
    execFileSync("time", ["-f", "%U %S", "-o", total, "terraform", "plan", "-detailed-exitcode"], {
      cwd: join(folder, name),
      env: { ...env, NODE_OPTIONS: `--require ${hook}`, RNV_BENCH_USAGE: own },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const wall = (performance.now() - from) / 1000;
    const sum = (file) =>
      readFileSync(file, "utf8")
        .split(/\s+/)
        .reduce((all, one) => all + Number(one), 0);
    const provider = sum(own);
    return { wall, provider, terraform: sum(total) - provider };
  };
  try {
    for (const [name, text] of Object.entries({ ours, builtIn, sameSize })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "main.tf"), text);
    }
    for (const name of ["builtIn", "sameSize"]) run(name, "init");
    const from = performance.now();
    run("ours", "apply", "-auto-approve");
    const applied = (performance.now() - from) / 1000;
    for (const name of ["builtIn", "sameSize"]) run(name, "apply", "-auto-approve");
    const plans = { ours: [], builtIn: [], sameSize: [] };
    for (const _ of rounds(5)) for (const name of Object.keys(plans)) plans[name].push(planned(name));
    return { plans, applied };
  } finally {
    service.child.kill();
  }
}

const ratio = (ours, theirs) => median(ours.map((one, index) => one / theirs[index]));
const say = (text) => process.stdout.write(`${text}\n`);
const rows = [];

const terraformVersion = () =>
  JSON.parse(execFileSync("terraform", ["version", "-json"], { encoding: "utf8" })).terraform_version;

/** Prints one ratio; false above its limit. */
function judged(title, ours, theirs, unit, limit) {
  const measured = ratio(ours, theirs);
  const digits = unit === "ms" ? 0 : 2;
  const figures = `${median(ours).toFixed(digits)} ${unit} / ${median(theirs).toFixed(digits)} ${unit}`;
  const stands = limit === undefined ? "no limit" : `limit ${limit}${measured > limit ? ", ABOVE" : ""}`;
  say(`${title}: ${figures} = ${measured.toFixed(2)} (${stands})`);
  const target = limit === undefined ? " | " : `≤ ${limit} | ${measured > limit ? "**no**" : "yes"}`;
  rows.push(`| ${title} | ${measured.toFixed(2)} | ${target} | ${figures} |`);
  return limit === undefined || measured <= limit;
}

const folder = mkdtempSync(join(tmpdir(), "rnv-bench-"));
try {
  const isQuick = judged("start to handshake / node -e 0", ...(await startRatio(folder)), "ms", limits.start);
  const { plans, applied } = await planRatio(folder);
  const { ours, builtIn, sameSize } = plans;
  const of = (plans, part) => plans.map((one) => one[part]);
  const title = `no-op plan of ${count} rnv_service / terraform_data`;
  judged(`${title}, wall`, of(ours, "wall"), of(builtIn, "wall"), "s");
  judged(`${title}, Terraform's own processor time`, of(ours, "terraform"), of(builtIn, "terraform"), "s");
  const isCheap = judged(
    `${title} of as many attributes, wall`,
    of(ours, "wall"),
    of(sameSize, "wall"),
    "s",
    limits.sameSize,
  );
  say(`processor time of the provider: ${median(of(ours, "provider")).toFixed(2)} s`);
  const rnvFolder = join(folder, "rnv");
  mkdirSync(rnvFolder);
  const rnv = await besideRnv(rnvFolder);
  const sameWork = limits.sameWork[count];
  judged(`no-op plan of ${count} with rnv / through Terraform`, rnv.plans, of(ours, "wall"), "s", sameWork);
  judged(`apply of ${count} through Terraform / with rnv`, [applied], [rnv.applied], "s");
  const head = `${count} services, Terraform ${terraformVersion()}.\n\n| measured | ratio | target | met | medians |\n|---|---|---|---|---|`;
  writeFigures(
    "performance",
    `terraform-${count}`,
    `${head}\n${rows.join("\n")}\n\n\`npm run bench:terraform -- ${count}\` measures this.`,
  );
  process.exitCode = isQuick && isCheap ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
