import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** Opens a service that takes requests and answers none. */
export async function openSilent() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return { url, connections: () => sockets.size, close };
}

/** Returns the ids of the processes that work below a folder, and whose command line matches. */
export function processesBelow(folder: string, pattern = /./): readonly number[] {
  const script = `for p in /proc/[0-9]*; do d=$(readlink $p/cwd) || continue; case "$d" in "$1"/*) echo "\${p#/proc/} $(tr '\\0' ' ' < $p/cmdline)";; esac; done; true`;
  const listed = execFileSync("sh", ["-c", script, "sh", folder], {
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  });
  const lines = listed.split("\n").filter((line) => line !== "" && pattern.test(line));
  return lines.map((line) => Number.parseInt(line, 10));
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}
