// The first minute with rnv, on the embedded service: no account, nothing leaves this machine.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rnv = join(here, "..", "..", "dist", "bin", "rnv.js");
const folder = mkdtempSync(join(tmpdir(), "rnv-demo-"));
cpSync(join(here, "rnv.yaml"), join(folder, "rnv.yaml"));

const isBold = process.stdout.isTTY === true && !process.env.NO_COLOR;
const title = (text) => console.log(isBold ? `\n\x1b[1m# ${text}\x1b[0m` : `\n# ${text}`);

/** Starts the embedded service on a free port and reads its address and key. */
function startService() {
  const service = spawn(process.execPath, [rnv, "emulator", "-port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    service.once("exit", (code) => reject(new Error(`the embedded service ended with ${code}`)));
    service.stdout.on("data", (chunk) => {
      text += chunk;
      const settings = Object.fromEntries(
        [...text.matchAll(/^export (RNV_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
      );
      if (settings.RNV_API_KEY) resolve({ service, settings });
    });
  });
}

const { service, settings } = await startService();
const environment = { ...process.env, ...settings };

function run(expected, ...args) {
  console.log(`\n$ rnv ${args.join(" ")}`);
  const { status } = spawnSync(process.execPath, [rnv, ...args], {
    cwd: folder,
    env: environment,
    stdio: "inherit",
  });
  if (status !== expected) throw new Error(`rnv ${args.join(" ")} ended with ${status}, not ${expected}`);
}

/** What somebody does in the dashboard, past rnv. */
async function changeBehindItsBack() {
  const workspace = `${settings.RNV_BASE_URL}/workspaces/${settings.RNV_WORKSPACE_ID}`;
  const headers = { authorization: `Bearer ${settings.RNV_API_KEY}`, "content-type": "application/json" };
  const canvas = await (await fetch(`${workspace}/canvas`, { headers })).json();
  const { id } = canvas.nodes.find((node) => node.name === "api");
  const body = JSON.stringify({ configuration: { healthCheckPath: "/" } });
  const answer = await fetch(`${workspace}/services/${id}`, { method: "PATCH", headers, body });
  if (!answer.ok) throw new Error(`the change was refused: ${answer.status}`);
}

try {
  title("What would rnv do with examples/quickstart/rnv.yaml?");
  run(0, "plan");
  title("Do it: create, set variables, deploy, wait until it is live.");
  run(0, "apply", "-auto-approve");
  title("Applied is settled: the next plan is empty.");
  run(0, "plan");
  title("Somebody changes the health check in the dashboard. drift finds it (exit 2).");
  await changeBehindItsBack();
  run(2, "drift");
  title("apply repairs it.");
  run(0, "apply", "-auto-approve");
  run(0, "drift");
  title("Take everything down again.");
  run(0, "destroy", "-auto-approve");
  console.log("\nThat was rnv. Next: rnv init, or examples/gitops.");
} finally {
  service.removeAllListeners("exit");
  service.kill();
  rmSync(folder, { recursive: true, force: true });
}
