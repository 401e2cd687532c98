// What the provider costs: a no-op plan of many services against as many `terraform_data`, and start to handshake
// against an empty node process. Prints the figures and their limits; exits 1 above a limit.
// Usage: npm run build && node test/bench/terraform-provider.mjs [services]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const provider = join(root, "dist/terraform/terraform-provider-rnv");
const count = Number(process.argv[2] ?? 1000);
const limits = { plan: 1.8, start: 2.5 };

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
  return [median(handshake), median(bare)];
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
  try {
    for (const [name, text] of Object.entries({ ours, builtIn, sameSize })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "main.tf"), text);
    }
    for (const name of ["builtIn", "sameSize"]) run(name, "init");
    for (const name of ["ours", "builtIn", "sameSize"]) run(name, "apply", "-auto-approve");
    const times = { ours: [], builtIn: [], sameSize: [] };
    for (const _ of rounds(5))
      for (const name of Object.keys(times)) {
        const from = performance.now();
        run(name, "plan", "-detailed-exitcode");
        times[name].push(performance.now() - from);
      }
    return [median(times.ours), median(times.builtIn), median(times.sameSize)];
  } finally {
    service.child.kill();
  }
}

const folder = mkdtempSync(join(tmpdir(), "rnv-bench-"));
try {
  const [handshake, bare] = await startRatio(folder);
  const [plan, plain, sized] = await planRatio(folder);
  const lines = [
    ["start to handshake / node -e 0", handshake, bare, limits.start],
    [`no-op plan of ${count} rnv_service / terraform_data`, plan, plain, limits.plan],
    [`the same / terraform_data of as many attributes`, plan, sized, Number.POSITIVE_INFINITY],
  ];
  let failed = false;
  for (const [title, measured, against, limit] of lines) {
    const ratio = measured / against;
    if (ratio > limit) failed = true;
    const text = `${measured.toFixed(0)} ms / ${against.toFixed(0)} ms = ${ratio.toFixed(2)} ${Number.isFinite(limit) ? `(limit ${limit})` : "(no limit)"}`;
    process.stdout.write(`${title}: ${text}${ratio > limit ? "  ABOVE" : ""}\n`);
  }
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
