import { spawn } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { finished } from "../support/finished";
import { serveState } from "../support/http-state-server";
import { newFolder } from "../support/temp-folder";
import { closedPort } from "../support/tunnel";
import { describeWith, paths } from "./programs";

const example = resolve(__dirname, "../../examples/renovate");
const preset = readFileSync(join(example, "rnv.json"), "utf8");

jest.setTimeout(180_000);

describeWith(["renovate", "node-24"], () => {
  const folder = newFolder("renovate");
  beforeAll(() => cpSync(example, folder, { recursive: true }));

  /** Runs a program of Renovate, with no network but loopback; returns its exit code and its log. */
  async function play(env: Readonly<Record<string, string>>, program: string, ...args: readonly string[]) {
    const [node, proxy] = [String(paths["node-24"]), `http://127.0.0.1:${await closedPort()}`];
    const own = {
      PATH: `${dirname(node)}:${process.env.PATH}`,
      HOME: folder,
      RENOVATE_BASE_DIR: join(folder, "base"),
    };
    const around = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1", LOG_FORMAT: "json" };
    const child = spawn(node, [join(String(paths.renovate), program), ...args], {
      ...{ cwd: folder, env: { ...own, ...around, LOG_LEVEL: "debug", ...env } },
    });
    const { code, output } = await finished(child);
    return { code, log: output };
  }

  it("takes the preset and the file that extends it", async () => {
    for (const file of ["rnv.json", "renovate.json"]) {
      const { code, log } = await play({}, "config-validator.js", "--strict", "--no-global", file);
      expect([code, log]).toEqual([0, expect.stringContaining("Config validated successfully")]);
    }
  });

  it("looks for the preset in the file that the example names", async () => {
    const { extends: global } = JSON.parse(readFileSync(join(example, "renovate.json"), "utf8"));
    const env = { RENOVATE_GLOBAL_EXTENDS: JSON.stringify(global), RENOVATE_TOKEN: "none" };
    const { log } = await play(env, "renovate.js", "--dry-run=extract");
    expect(log).toContain("/repos/acme/platform/contents/renovate/rnv.json");
  });

  it("extracts pinned commits, also behind other keys of their block", async () => {
    const server = await serveState(() => ({ status: 200, body: preset }), new Map());
    writeFileSync(join(folder, "renovate.json"), JSON.stringify({ extends: [`${server.url}/rnv.json`] }));
    const { log } = await play({}, "renovate.js", "--platform=local", "--dry-run=extract");
    await server.close();
    const lines = log.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    const { packageFiles } = lines.find(({ packageFiles }) => packageFiles) ?? {};
    const [{ packageFile, deps }] = packageFiles.regex;
    const pinned = deps.map((one: Record<string, string>) => [
      one.packageName,
      one.currentValue,
      one.currentDigest?.slice(0, 8),
    ]);
    expect([packageFile, pinned]).toEqual([
      "rnv.yaml",
      [
        ["https://git.example.com/shop/api", "main", "2b1f0c7f"],
        ["https://git.example.com/shop/worker", "stable", "7c9e6679"],
      ],
    ]);
  });
});
