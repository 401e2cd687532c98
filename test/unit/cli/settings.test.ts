import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { readSettings } from "../../../src/cli/settings";
import { targetAt } from "../../../src/cli/target";
import { request } from "../../support/request";
import { casesIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";

const workspace = "7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d";
const complete = {
  RNV_BASE_URL: "https://api.example.com/api/v1",
  RNV_WORKSPACE_ID: workspace,
  RNV_API_KEY: "rnv_0123456789abcdef",
};
const read = (environment: Record<string, string | undefined>, state?: string) =>
  readSettings(targetAt({ ...request, environment, givenState: state }));
const findings = (environment: Record<string, string | undefined>) =>
  read(environment).diagnostics.map(({ code, summary }) => `${code} ${summary}`);

describe("readSettings", () => {
  it("takes a complete environment without findings", () => {
    const settings = read(complete);
    expect(settings.diagnostics).toEqual([]);
    expect(settings).toMatchObject({
      baseUrl: complete.RNV_BASE_URL,
      workspaceId: workspace,
      state: { kind: "file", path: "/project/.rnv/state.json" },
      stateFolder: "/project/.rnv",
    });
    expect(settings.credential()).toMatch(/^[0-9a-f]{16}$/);
  });

  it("names everything that is missing at once, and how to try rnv without it", () => {
    const { diagnostics } = read({});
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      "RNV_BASE_URL is not set",
      "RNV_WORKSPACE_ID is not set",
      "RNV_API_KEY is not set",
    ]);
    expect(diagnostics[0]?.hint).toContain("RNV_BASE_URL=embedded");
  });

  it("needs nothing else for the embedded platform", () => {
    const settings = read({ RNV_BASE_URL: "embedded", RNV_WORKSPACE_ID: "nonsense" });
    expect(settings.diagnostics).toEqual([]);
    expect(settings.baseUrl).toBe("embedded");
    expect(settings.workspaceId).not.toBe("nonsense");
    expect(settings.apiKey).toBeDefined();
  });

  it.each(casesIn<[Record<string, string>, string]>(join(__dirname, "refused-settings.json")))(
    "refuses %j as %s",
    (change, code) => {
      expect(read({ ...complete, ...change }).diagnostics.map((found) => found.code)).toEqual([code]);
    },
  );

  it("takes a blank variable as unset", () => {
    expect(findings({ ...complete, RNV_WORKSPACE_ID: "  " })).toEqual([
      "config.missing RNV_WORKSPACE_ID is not set",
    ]);
  });

  it("drops slashes after the address", () => {
    expect(read({ ...complete, RNV_BASE_URL: "https://api.example.com/api/v1/" }).baseUrl).toBe(
      "https://api.example.com/api/v1",
    );
  });

  it("prefers --state over RNV_STATE over the default", () => {
    const file = (path: string) => ({ kind: "file", path });
    expect(read({ ...complete, RNV_STATE: "env.json" }).state).toEqual(file("/project/env.json"));
    expect(read({ ...complete, RNV_STATE: "env.json" }, "flag.json").state).toEqual(
      file("/project/flag.json"),
    );
  });

  it("takes the address of a remote state, and keeps what this machine needs under .rnv", () => {
    expect(read({ ...complete, RNV_STATE: "https://state.example.com/shop" })).toMatchObject({
      state: { kind: "http", url: "https://state.example.com/shop" },
      stateFolder: "/project/.rnv",
    });
    expect(() => read({ ...complete, RNV_STATE: "http://state.example.com/shop" })).toThrow(
      "without encryption",
    );
  });

  it("never shows the key, neither in findings nor in the settings", () => {
    const secret = "sk_live_do_not_show";
    const wrong = read({ ...complete, RNV_API_KEY: secret });
    expect(inspect(wrong, { depth: 9 })).not.toContain(secret);
    expect(inspect(read(complete), { depth: 9 })).not.toContain(complete.RNV_API_KEY);
    expect(JSON.stringify(read(complete))).not.toContain(complete.RNV_API_KEY);
  });
});

describe("RNV_API_KEY_FILE", () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder("settings");
  });

  it("holds the same credential as the variable, line break at its end or not", () => {
    const path = join(folder, "key");
    writeFileSync(path, `${complete.RNV_API_KEY}\n`);
    const fromFile = read({ ...complete, RNV_API_KEY: undefined, RNV_API_KEY_FILE: path });
    expect(fromFile.diagnostics).toEqual([]);
    expect(fromFile.credential()).toBe(read(complete).credential());
  });

  it("may be a pipe, as a shell hands over what a command writes", () => {
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const writer = spawn("sh", ["-c", `echo ${complete.RNV_API_KEY} > ${path}`]);
    const fromPipe = read({ ...complete, RNV_API_KEY: undefined, RNV_API_KEY_FILE: path });
    expect(fromPipe.diagnostics).toEqual([]);
    expect(fromPipe.credential()).toBe(read(complete).credential());
    expect(writer.pid).toBeDefined();
  });

  it("is named, like the variable, where what it holds is no key", () => {
    const path = join(folder, "key");
    writeFileSync(path, "sk_123");
    expect(findings({ ...complete, RNV_API_KEY: "sk_123" })).toEqual([
      "config.invalid RNV_API_KEY does not hold an API key",
    ]);
    expect(findings({ ...complete, RNV_API_KEY: undefined, RNV_API_KEY_FILE: path })).toEqual([
      "config.invalid the file of RNV_API_KEY_FILE does not hold an API key",
    ]);
  });

  it("is an error when it cannot be read", () => {
    const path = join(folder, "missing");
    expect(findings({ ...complete, RNV_API_KEY: undefined, RNV_API_KEY_FILE: path })).toEqual([
      `config.invalid RNV_API_KEY_FILE: cannot read ${path}: it does not exist`,
    ]);
  });
});
