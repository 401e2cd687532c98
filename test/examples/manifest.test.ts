import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadManifest } from "../../src/manifest/load-manifest";
import type { Address } from "../../src/model/address";
import { Secret } from "../../src/model/secret";
import { resourceTypes } from "../../src/resources";
import { manifestReference } from "../../tools/docs/manifest-reference";
import { oneScenario } from "../support/cli";
import { newFolder } from "../support/temp-folder";

const folder = resolve(__dirname, "../../examples/manifest");

const scenario = oneScenario();

it.each([
  "README.md",
  "examples/drift-cron/rnv.yaml",
  "examples/quickstart/rnv.yaml",
  "examples/renovate/rnv.yaml",
])("validate finds nothing in a manifest of %s", async (page) => {
  const text = readFileSync(resolve(__dirname, "../..", page), "utf8");
  const block = /^```yaml\n(projects:[\s\S]*?)^```$/m.exec(text)?.[1];
  scenario.write("rnv.yaml", block ?? text);
  expect(await scenario.run("validate")).toMatchObject({ code: 0, stderr: "" });
});

describe("the reference of a manifest's fields", () => {
  it("shows a manifest without a mistake", async () => {
    const { diagnostics, desired } = await loadManifest({
      ...{ files: [], cwd: folder, types: resourceTypes, environment: {}, secrets: "skip" },
    });
    expect(diagnostics).toEqual([]);
    expect(desired?.resources.size).toBe(24);
  });

  it("has a word on every field and leaves no cell of its meaning empty", () => {
    const rows = manifestReference()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    expect(rows.length).toBeGreaterThan(70);
    for (const line of rows) expect(line.split(/(?<!\\)\|/)[2]?.trim()).not.toBe("");
  });
});

/** Programs of secret managers: the settings that each needs, the arguments that it takes, and its output. */
const managers: Readonly<Record<string, readonly [needs: string, takes: string, prints: string]>> = {
  vault: ["VAULT_ADDR VAULT_TOKEN", '"kv get -mount="?*" -field="?*" "[a-z]*', "s3cr3t"],
  op: ["OP_SERVICE_ACCOUNT_TOKEN", '"read op://"?*/?*/?*', "s3cr3t"],
  sops: [
    "SOPS_AGE_KEY_FILE",
    `"decrypt --extract ["?*"] "*.yaml|"decrypt --output-type=json "*.yaml`,
    '{"smtp":{"password":"s3cr3t"}}',
  ],
  aws: [
    "AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN",
    '"secretsmanager get-secret-value --secret-id="?*" --query=SecretString --output=text"',
    '{"password":"s3cr3t"}',
  ],
  gcloud: [
    "HOME CLOUDSDK_CORE_PROJECT CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
    '"secrets versions access latest --secret="?*',
    "s3cr3t",
  ],
  az: [
    "HOME AZURE_CONFIG_DIR",
    '"keyvault secret show --vault-name="?*" --name="?*" --query=value --output=tsv"',
    "s3cr3t",
  ],
};

describe("a line for a secret manager", () => {
  const home = newFolder("managers");
  const stub = ([needs, takes, prints]: readonly [string, string, string]): string =>
    `#!/bin/sh\nset -u\ncase "$*" in ${takes}) ;; *) echo "no such arguments: $*" >&2; exit 2 ;; esac\n` +
    `: ${needs.replace(/\w+/g, '"$$$&"')}\ncase "$*" in *--extract*) echo s3cr3t ;; *) echo '${prints}' ;; esac\n`;
  mkdirSync(join(home, "bin"));
  for (const [name, manager] of Object.entries(managers))
    writeFileSync(join(home, "bin", name), stub(manager), { mode: 0o755 });
  const names = Object.values(managers).flatMap(([needs]) => needs.split(" "));
  const environment = {
    ...Object.fromEntries(names.map((name) => [name, "set"])),
    ...{ HOME: home, PATH: join(home, "bin") },
  };
  const lines = ["docs/cli/variables.md", "examples/manifest/rnv.yaml"].flatMap((page) => {
    const text = readFileSync(resolve(folder, "../..", page), "utf8");
    return [...text.matchAll(/\{ fromCommand: .*? \}/g)].map(([line]) => [page, line] as const);
  });

  it("is on the page of variables for each of them", () => {
    const programs = lines.slice(0, 6).map(([, line]) => /\[(\w+)/.exec(line)?.[1]);
    expect(programs.sort()).toEqual(Object.keys(managers).sort());
  });

  it.each(lines)("of %s gives the program all that it needs: %s", async (_, line) => {
    const manifest = `services: { api: { kind: web, variables: { A: ${line} } } }`;
    writeFileSync(join(home, "rnv.yaml"), manifest);
    const { diagnostics, desired } = await loadManifest({
      ...{ files: [], cwd: home, types: resourceTypes, environment, secrets: "resolve" },
    });
    expect(diagnostics).toEqual([]);
    const value = desired?.resources.get("variable.api.A" as Address)?.attributes.get("value")?.value;
    const key = Buffer.alloc(32);
    expect((value as Secret).fingerprint(key, "")).toBe(new Secret("s3cr3t").fingerprint(key, ""));
  });
});
