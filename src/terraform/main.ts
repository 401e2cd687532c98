import { aliveBy } from "../state/alive-by";
import type * as starting from "./answer";
import { serve } from "./plugin-server";

/** The cookie by which go-plugin tells a plugin that Terraform started it. */
const magicCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

async function main(): Promise<void> {
  if (process.env.TF_PLUGIN_MAGIC_COOKIE !== magicCookie) {
    process.stderr.write(
      "This is a plugin, which Terraform and OpenTofu start. To install it: rnv terraform install\n",
    );
    process.exit(1);
  }
  // Ctrl-C reaches the whole group: Terraform says itself when to stop.
  process.on("SIGINT", () => {});
  let server: Awaited<ReturnType<typeof serve>> | undefined;
  const end = (): never => {
    server?.close();
    process.exit(0);
  };
  process.on("SIGTERM", end);
  // Loaded once, while Terraform connects: the handshake waits for none of it.
  const started = (): typeof starting => require("./answer");
  server = await serve({
    clientCertificate: process.env.PLUGIN_CLIENT_CERT || undefined,
    answer: async (method, request) => started().answerCall(method, request),
    stream: async (method, request, events) => started().answerStream(method, request, events),
    onEnd: end,
    usesPort: process.platform === "win32",
  });
  process.stdout.write(`${server.handshake}\n`);
  watchParent(end);
  setImmediate(started);
}

/**
 * A Terraform that dies before it connects leaves no stream whose end would tell. On Windows a process keeps the number of its
 * parent when that has ended.
 */
function watchParent(end: () => never): void {
  const parent = process.ppid;
  const isRunning = aliveBy((id, signal) => process.kill(id, signal));
  setInterval(() => {
    if (process.ppid !== parent || !isRunning(parent)) end();
  }, 1000).unref();
}

main().catch((failure: unknown) => {
  process.stderr.write(`[ERROR] ${String(failure)}\n`);
  process.exit(1);
});
