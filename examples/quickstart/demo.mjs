// The first minutes with rnv, on the embedded platform: no account, nothing leaves this machine.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rnv = join(here, "..", "..", "dist", "bin", "rnv.js");
const folder = mkdtempSync(join(tmpdir(), "rnv-demo-"));
const isTerminal = process.stdout.isTTY === true;

const title = (text) =>
  console.log(isTerminal && !process.env.NO_COLOR ? `\n\x1b[1m# ${text}\x1b[0m` : `\n# ${text}`);

/** Starts the embedded platform on a free port and reads its address and key. */
function startPlatform() {
  const platform = spawn(process.execPath, [rnv, "emulator", "-port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    platform.once("exit", (code) => reject(new Error(`the embedded platform ended with ${code}`)));
    platform.stdout.on("data", (chunk) => {
      text += chunk;
      const settings = Object.fromEntries(
        [...text.matchAll(/^export (RNV_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
      );
      if (settings.RNV_API_KEY) resolve({ platform, settings });
    });
  });
}

const { platform, settings } = await startPlatform();
const environment = { ...process.env, ...settings };

/** Runs a command, demands its exit code, and prints the lines of its output that `shown` takes. */
function run(expected, args, shown = () => true) {
  console.log(`$ rnv ${args.join(" ")}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [rnv, ...args], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
  });
  const lines = `${stdout}${stderr}`.trimEnd().split("\n").filter(shown);
  console.log(lines.join("\n").replace(/\n{2,}/g, "\n"));
  if (status !== expected)
    throw new Error(`rnv ${args.join(" ")} ended with ${status}, not ${expected}:\n${stdout}${stderr}`);
}

/** Lines of a summary: what `apply` and `destroy` did, the digest of the plan. */
const isSummary = (line) => /^(Plan:|Digest:|Apply complete|Destroy complete|error|No changes)/.test(line);
/** A plan without the fields of what it creates. */
const isOutline = (line) => !/^ {6}\+|^ {6}because|^Deployments:|^$/.test(line);

/** Changes a field in the dashboard, past rnv. */
async function changeInDashboard() {
  const workspace = `${settings.RNV_BASE_URL}/workspaces/${settings.RNV_WORKSPACE_ID}`;
  const headers = { authorization: `Bearer ${settings.RNV_API_KEY}`, "content-type": "application/json" };
  const canvas = await (await fetch(`${workspace}/canvas`, { headers })).json();
  const { id } = canvas.nodes.find((node) => node.name === "api");
  const body = JSON.stringify({ configuration: { healthCheckPath: "/" } });
  const answer = await fetch(`${workspace}/services/${id}`, { method: "PATCH", headers, body });
  if (!answer.ok) throw new Error(`the change was refused: ${answer.status}`);
}

try {
  console.log("Outputs are shortened; rnv prints more.");
  title("A first manifest");
  run(0, ["init", "-input=false"], (line) => line.startsWith("+"));
  // The demo goes on with a manifest of three services.
  const manifest = readFileSync(join(here, "rnv.yaml"), "utf8");
  writeFileSync(join(folder, "rnv.yaml"), manifest);

  title("Plan: what would change (examples/quickstart/rnv.yaml)");
  run(0, ["plan"], isOutline);

  title("Apply: create, set variables, deploy, wait until everything is live");
  run(0, ["apply", "-auto-approve"], isSummary);

  title("Plan again: nothing is left to do");
  run(0, ["plan"]);

  title("Someone changes the health check in the dashboard: drift finds it (exit code 2)");
  await changeInDashboard();
  run(2, ["drift"]);

  title("Apply repairs it");
  run(0, ["apply", "-auto-approve"], isSummary);

  title("A service leaves the manifest: its deletion is blocked until you confirm it (exit code 4)");
  writeFileSync(join(folder, "rnv.yaml"), manifest.replace(/^services:\n(?: .*\n)+/m, ""));
  run(4, ["plan", "-detailed-exitcode"], isOutline);

  title("Destroy everything");
  run(0, ["destroy", "-auto-approve"], isSummary);

  console.log(`
Next, in a folder of your own:
  export RNV_BASE_URL=embedded && rnv init && rnv plan
  docs/cli/start.md        the same steps, one by one
  docs/cli/adopt.md        manage what exists in your workspace`);
} finally {
  platform.removeAllListeners("exit");
  platform.kill();
  rmSync(folder, { recursive: true, force: true });
}
