// Tries the build as a user does, on any platform: `node tools/release/try-build.mjs`. It runs `rnv version`, a plan and
// an apply of the embedded service, and the provider's handshake with Terraform.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "rnv-try-"));
try {
  tryCommandLine();
  await tryProvider();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tryCommandLine() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  demand("rnv version", rnv("version"), `rnv ${version}`);
  demand("rnv init", rnv("init"), "rnv.yaml");
  demand("rnv plan", rnv("plan"), "Plan: ");
  demand("rnv apply", rnv("apply", "--auto-approve"), "Apply complete!");
  demand("rnv plan again", rnv("plan"), "No changes.");
}

function rnv(...args) {
  const env = { ...process.env, RNV_BASE_URL: "embedded" };
  return execFileSync(process.execPath, [join(root, "dist/bin/rnv.js"), ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
}

/** Reads the line of go-plugin: version, protocol, network, address, `grpc`, certificate. */
async function tryProvider() {
  const main = readFileSync(join(root, "src/terraform/main.ts"), "utf8");
  const [, cookie] = /magicCookie = "(\w+)"/.exec(main);
  // A name with an end: some versions of Node load no file without one.
  const program = join(folder, "provider.cjs");
  writeFileSync(program, readFileSync(join(root, "dist/terraform/terraform-provider-rnv")));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, TF_PLUGIN_MAGIC_COOKIE: cookie },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([once(lines, "line"), once(child, "exit").then(() => ["it ended"])]);
  child.kill();
  await once(child, "close");
  demand("the provider's handshake", line, process.platform === "win32" ? "1|6|tcp|127.0.0.1:" : "1|6|unix|");
}

function demand(what, output, part) {
  if (!output.includes(part)) throw new Error(`${what}: "${part}" is not in the output:\n${output}`);
  console.log(`${what}: ok`);
}
