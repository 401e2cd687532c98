import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { isOutdated, modified, root } from "./sources";

const bundle = join(root, "dist/terraform/terraform-provider-rnv");

/** Folder of the built provider. Bundled again, as `node tools/build/provider.mjs` does, when a source is newer. */
export function builtProvider(): string {
  if (isOutdated(bundle))
    execFileSync(process.execPath, [join(root, "tools/build/provider.mjs"), bundle], { stdio: "pipe" });
  builtNotices();
  return dirname(bundle);
}

/** The licences of what the bundles hold, created again when the packages are others. */
function builtNotices(): void {
  if (modified(join(root, "THIRD_PARTY_NOTICES")) < modified(join(root, "package-lock.json")))
    execFileSync(process.execPath, [join(root, "tools/build/notices.mjs")], { stdio: "pipe" });
}

export interface Started {
  readonly child: ChildProcess;
  /** Path of the socket on which it serves. */
  readonly socket: string;
}

/** Starts the built provider as Terraform does, without TLS; `stderr` is where its errors go. */
export async function startProvider(
  cwd: string,
  environment: Readonly<Record<string, string>>,
  { node = [], stderr = "inherit" }: { node?: readonly string[]; stderr?: "inherit" | "ignore" } = {},
): Promise<Started> {
  const child = spawn(process.execPath, [...node, join(builtProvider(), "terraform-provider-rnv")], {
    cwd,
    // The cookie by which go-plugin tells a plugin that Terraform started it.
    env: {
      TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
      ...environment,
    },
    stdio: ["ignore", "pipe", stderr],
  });
  const handshake = await new Promise<string>((done) =>
    child.stdout?.once("data", (chunk) => done(`${chunk}`)),
  );
  return { child, socket: handshake.split("|")[3] ?? "" };
}
