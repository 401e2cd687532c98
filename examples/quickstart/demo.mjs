// A tour of rnv on the embedded copy of the platform: no account, nothing leaves this machine.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rnv = join(here, "..", "..", "dist", "bin", "rnv.js");
const folder = mkdtempSync(join(tmpdir(), "rnv-demo-"));
const manifest = join(folder, "rnv.yaml");

const isTerminal = process.stdout.isTTY === true;
const isBold = isTerminal && !process.env.NO_COLOR;
const colors = isBold ? { FORCE_COLOR: "1" } : {};

/** Starts the embedded platform on a free port and reads its address and key. */
function startService() {
  const service = spawn(process.execPath, [rnv, "emulator", "-port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    service.once("exit", (code) => reject(new Error(`the embedded platform ended with ${code}`)));
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
const environment = { ...process.env, ...settings, ...colors };

/** Shows the progress of a run on one line of a terminal, and nowhere else. */
function showProgress(line) {
  if (isTerminal) process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const withoutColor = (line) => line.replace(/\x1b\[[\d;]*m/g, "");

const isProgress = (line) => /^(?:project|service|variable|deployment)\.\S+: (?!.*fail)/i.test(line);

/** Runs rnv, and shows its output without empty lines; `isShown` may leave out lines that were shown before. */
async function run(title, expected, args, isShown = () => true) {
  const heading = `$ rnv ${args.join(" ")}   # ${title}`;
  console.log(isBold ? `\n\x1b[1m${heading}\x1b[0m` : `\n${heading}`);
  const child = spawn(process.execPath, [rnv, ...args], { cwd: folder, env: environment });
  const shown = [child.stdout, child.stderr].map(async (input) => {
    for await (const line of createInterface({ input })) {
      const text = withoutColor(line);
      if (isProgress(text)) showProgress(text);
      else if (text.trim() !== "" && isShown(text)) console.log(isTerminal ? `\r\x1b[K${line}` : line);
    }
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  await Promise.all(shown);
  if (code !== expected) throw new Error(`rnv ${args.join(" ")} ended with ${code}, not ${expected}`);
}

/** Changes the health check as a person would do in the dashboard. */
async function changeInDashboard() {
  const workspace = `${settings.RNV_BASE_URL}/workspaces/${settings.RNV_WORKSPACE_ID}`;
  const headers = { authorization: `Bearer ${settings.RNV_API_KEY}`, "content-type": "application/json" };
  const canvas = await (await fetch(`${workspace}/canvas`, { headers })).json();
  const { id } = canvas.nodes.find((node) => node.name === "api");
  const body = JSON.stringify({ configuration: { healthCheckPath: "/" } });
  const answer = await fetch(`${workspace}/services/${id}`, { method: "PATCH", headers, body });
  if (!answer.ok) throw new Error(`the change was refused: ${answer.status}`);
}

/** Removes the service from the manifest. */
function removeService() {
  const text = readFileSync(manifest, "utf8");
  writeFileSync(
    manifest,
    text.replace(/^ {4}services:\n(?:(?: {6}.*)?\n)+/m, "").replace(/^outputs:[\s\S]*/m, ""),
  );
}

const isSummary = (line) => /^(?:Plan:|Apply |Destroy )/.test(line);
const isResult = (line) => isSummary(line) || /^(?:Digest:|apiUrl)/.test(line);
const isDone = (line) => line.startsWith("+ ");
const isAboutService = (line) => !/^(?:Changes to outputs:|Deployments:|Digest:| {2}- apiUrl)/.test(line);

try {
  await run("write a first manifest", 0, ["init"], isDone);
  await run("show what apply would do", 0, ["plan"]);
  await run("do it: the same plan has the same digest", 0, ["apply", "-auto-approve"], isResult);
  await run("nothing is left to do", 0, ["plan"]);
  await changeInDashboard();
  await run("someone changed the health check in the dashboard", 2, ["drift"]);
  await run("repair it", 0, ["apply", "-auto-approve"], isSummary);
  removeService();
  await run("without the service in rnv.yaml", 4, ["plan", "-detailed-exitcode"], isAboutService);
  await run("remove everything", 0, ["destroy", "-auto-approve"], isSummary);
  console.log(`
Try next, in a folder of yours:
  export RNV_BASE_URL=embedded
  npx rnv init && npx rnv apply
Then your own workspace: npx rnv login && npx rnv init --from workspace`);
} finally {
  service.removeAllListeners("exit");
  service.kill();
  rmSync(folder, { recursive: true, force: true });
}
