import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { fleetReportSchema } from "../../src/report/fleet-report";
import { approve, oneScenario } from "../support/cli";
import { closing } from "../support/closing";
import { finished } from "../support/finished";
import { installFromRegistry, installPackage } from "../support/install-package";
import { textIn } from "../support/rows";
import { s3Environment, serveS3 } from "../support/s3-server";
import { newFolder } from "../support/temp-folder";

const folder = join(__dirname, "..", "..", "examples", "kubernetes");
const dockerfile = readFileSync(join(folder, "Dockerfile"), "utf8");

/** What a line of the Dockerfile says. */
const told = (word: string): string => new RegExp(`^${word} (.*)$`, "m").exec(dockerfile)?.[1] ?? "";

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

/** The container of the pods of a Job, or of those that a CronJob makes. */
function containerOf(file: string): Container {
  const { spec } = parse(readFileSync(join(folder, file), "utf8"));
  return (spec.jobTemplate?.spec ?? spec).template.spec.containers[0];
}

/**
 * Makes what the image has, in namespaces of its own: a root that is read-only, /tmp and the volumes of the pod, the
 * user of the Dockerfile without a capability. `$1` is an empty folder, `$2` the program node, `$3` the application, `$4` the
 * manifests, `$5` the folder of the volumes; then user, group, working folder and the command line.
 */
const container = textIn(join(__dirname, "container.sh"));

const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];
const canRun = process.getuid?.() === 0 && spawnSync("unshare", [...namespaces, "true"]).status === 0;
const itInContainer = canRun ? it : it.skip;

const scenario = oneScenario();
let bucket: Awaited<ReturnType<typeof serveS3>>;
let image: string;
/** What npm told of the RUN of the Dockerfile; undefined where the registry cannot be reached. */
let built: { readonly status: number | null; readonly stderr: string } | undefined;
beforeAll(async () => {
  bucket = closing(await serveS3());
  image = newFolder("image");
  chmodSync(image, 0o755);
  const project = join(image, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "manifests", private: true }));
  if (!installPackage(project)) return;
  const packed = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
  installFromRegistry(project, "--save-dev", `./${packed}`);
  mkdirSync(join(image, "app"));
  for (const name of ["package.json", "package-lock.json", packed])
    cpSync(join(project, name), join(image, "app", name));
  built = spawnSync("sh", ["-c", told("RUN")], { cwd: join(image, "app"), encoding: "utf8" });
}, 300_000);
afterAll(async () => {
  rmSync(image, { recursive: true, force: true });
});

const manifest = (name: string) =>
  `projects:
  shop:
    name: ${name}-\${stage.name}
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/${name}" } }
stages: { production: {}, staging: {} }
`;

const write = (file: string, content: string): void => {
  mkdirSync(dirname(join(scenario.folder, file)), { recursive: true });
  writeFileSync(join(scenario.folder, file), content);
};

/** What the Secret of the pods holds; the bucket is one on this machine. */
const secrets = (): Record<string, string> => ({
  RNV_WORKSPACE_ID: "00000000-0000-4000-8000-0000000000e1",
  RNV_API_KEY: "rnv_embedded",
  ...s3Environment,
  AWS_ENDPOINT_URL: bucket.url,
});

/** The environment that the file gives, with addresses of this machine. */
const givenBy = ({ env }: Container): Record<string, string> =>
  Object.fromEntries(
    env.flatMap(({ name, value }) =>
      value === undefined
        ? []
        : [[name, name === "RNV_BASE_URL" ? scenario.url : value.replace("eu-central-1", "eu-test-1")]],
    ),
  );

/** Runs one container of a file over a folder of manifests; what kubelet adds is in `more`. */
async function runPod(file: string, manifests: string, volumes: string, more: Record<string, string> = {}) {
  const one = containerOf(file);
  for (const { name, mountPath } of one.volumeMounts)
    if (name !== "tmp") {
      mkdirSync(join(volumes, mountPath), { recursive: true });
      // fsGroup.
      chownSync(join(volumes, mountPath), 0, 1000);
      chmodSync(join(volumes, mountPath), 0o2770);
    }
  const env = {
    ...Object.fromEntries(
      told("ENV")
        .split(" ")
        .map((pair) => pair.split("=")),
    ),
    ...givenBy(one),
    ...secrets(),
    ...more,
  };
  const [user = "", group = ""] = told("USER").split(":");
  const args = one.args.map((word) => word.replace(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? ""));
  const command = [...(JSON.parse(told("ENTRYPOINT")) as string[]), ...args];
  const root = newFolder("root");
  const words = [
    root,
    process.execPath,
    join(image, "app"),
    join(scenario.folder, manifests),
    volumes,
    user,
    group,
  ];
  const pod = spawn(
    "unshare",
    [...namespaces, "sh", "-ec", container, "sh", ...words, "/manifests", ...command],
    { env: { ...env, PATH: "/node:/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  // The service and the bucket are served by this process.
  const ended = await finished(pod);
  rmSync(root, { recursive: true });
  return ended;
}

const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();

it("the image has rnv where it is a development package, as README.md says", () => {
  if (built === undefined) return;
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(image, "app/package.json"), "utf8"));
  expect({ ...devDependencies, ...dependencies }).toEqual(devDependencies);
  expect(built).toMatchObject({ status: 0 });
  const [, program = ""] = JSON.parse(told("ENTRYPOINT")) as string[];
  const { stdout } = spawnSync(process.execPath, [join(image, program), "--version"], { encoding: "utf8" });
  expect(stdout).toMatch(/\d+\.\d+\.\d+\n$/);
});

itInContainer(
  "the CronJob looks for drift in a root that is read-only, and writes numbers and nothing else",
  async () => {
    if (built === undefined) return;
    write("one/rnv.yaml", manifest("one"));
    const { RNV_STATE = "" } = givenBy(containerOf("drift.yaml"));
    const env = { ...secrets(), RNV_BASE_URL: scenario.url, RNV_STATE, RNV_STATE_KEY: "0a".repeat(32) };
    for (const stage of ["production", "staging"]) {
      const applied = await scenario.runWith({ env }, "-chdir=one", "apply", ...approve, "--stage", stage);
      expect({ ...applied, stdout: "" }).toMatchObject({ code: 0 });
    }
    const volumes = join(scenario.folder, "volumes");
    expect(await runPod("drift.yaml", "one", volumes)).toMatchObject({ code: 0, stderr: "" });
    expect(filesIn(volumes)).toEqual(["rnv.prom"]);
    expect(readFileSync(join(volumes, "metrics", "rnv.prom"), "utf8")).toMatch(/stage="staging"\} 0\n/);
    const [service] = scenario.emulator.store.services();
    scenario.emulator.store.editConfiguration(service?.id as string, {
      repository: "https://git.example.com/other",
    });
    for (const [key, text] of bucket.stored)
      bucket.stored.set(key, text.replace(/("writtenAt": ?)"[^"]*"/g, '$1"2026-01-01T00:00:00.000Z"'));
    expect(await runPod("drift.yaml", "one", volumes)).toMatchObject({ code: 2 });
  },
);

itInContainer(
  "the pods of the Indexed Job look at the fleet together, as a user without rights",
  async () => {
    if (built === undefined) return;
    const names = ["a", "b", "teams/c", "teams/d"];
    for (const name of names) write(`fleet/${name}/rnv.yaml`, manifest(basename(name)));
    const { RNV_STATE = "", RNV_SHARDS = "" } = givenBy(containerOf("fleet.yaml"));
    const env = { ...secrets(), RNV_BASE_URL: scenario.url, RNV_STATE, RNV_STATE_KEY: "0a".repeat(32) };
    const applied = await scenario.runWith({ env }, "fleet", "apply", "fleet", "--auto-approve");
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("8 members: 8 applied") });
    const volumes = join(scenario.folder, "job");
    for (let index = 0; index < Number(RNV_SHARDS); index += 1)
      expect(
        await runPod("fleet.yaml", "fleet", volumes, {
          JOB_UID: "uid-1",
          JOB_COMPLETION_INDEX: String(index),
        }),
      ).toMatchObject({ code: 0 });
    expect(filesIn(volumes)).toEqual([1, 2, 3, 4].map((index) => `fleet-${index}-of-4.json`));
    const { stdout } = await scenario.run("fleet", "report", "job/reports/uid-1", "-json");
    expect(fleetReportSchema.parse(JSON.parse(stdout))).toMatchObject({ exit_code: 0, counts: { clean: 8 } });
  },
);
