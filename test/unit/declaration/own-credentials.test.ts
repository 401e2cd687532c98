import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings } from "../../../src/cli/settings";
import { targetAt } from "../../../src/cli/target";
import { isSecretName } from "../../../src/declaration/secret-texts";
import { isCredential, isOwnCredential } from "../../../src/declaration/trust";
import { parseStateAddress } from "../../../src/state/state-address";
import { httpStateSettings } from "../../../src/state/stores/http-store";
import { s3StateSettings } from "../../../src/state/stores/s3-store";
import { providerSettings } from "../../../src/terraform/configure-provider";
import { request } from "../../support/request";
import { rowsIn } from "../../support/rows";

const namesIn = (file: string): readonly string[] => rowsIn(join(__dirname, file)).flat();

/** What rnv reads of the environment besides credentials: whoever sees it can do nothing with it. */
const settings = namesIn("settings.txt");

/** Of a state behind HTTP, under the prefixes of rnv and of Terraform. */
const httpSettings = namesIn("http-settings.txt");

describe("the list of credentials", () => {
  it("has every variable of the environment that src names, unless it is a setting that opens nothing", () => {
    const folder = resolve(__dirname, "../../../src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    const named = new Set(text.match(/\b(?:RNV|TF_HTTP|AWS)_[A-Z0-9_]*/g));
    expect(named.size).toBeGreaterThan(20);
    const unknown = [...named].filter(
      (name) => !isCredential(name) && !settings.includes(name) && !name.startsWith("RNV_GAP_"),
    );
    expect(unknown).toEqual([]);
  });

  // Some names are put together where they are read, and stand in no text.
  it("has every variable that the readers of settings ask for, however its name is made", async () => {
    const asked = new Set<string>();
    const environment: Record<string, string | undefined> = new Proxy(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return undefined;
        },
        ownKeys: () => [],
      },
    );
    const s3 = parseStateAddress("s3://bucket/key.json").address;
    httpStateSettings("https://git.example.com/state", environment);
    if (s3?.kind === "s3") s3StateSettings(s3, environment);
    readSettings({ ...targetAt({ ...request, cwd: __dirname }), environment });
    await providerSettings({}, environment, __dirname);
    expect(asked).toContain("TF_HTTP_PASSWORD");
    expect(asked).toContain("AWS_SECRET_ACCESS_KEY");
    expect(asked).toContain("RNV_API_KEY");
    const harmless = [
      ...settings,
      ...httpSettings.flatMap((name) => [`RNV_STATE_HTTP_${name}`, `TF_HTTP_${name}`]),
    ];
    const unknown = [...asked].filter(
      (name) => !isCredential(name) && !harmless.includes(name) && !name.startsWith("RNV_GAP_"),
    );
    expect(unknown).toEqual([]);
  });

  it("holds each password and key of the state under both of its names", () => {
    for (const name of [
      "RNV_STATE_HTTP_PASSWORD",
      "TF_HTTP_PASSWORD",
      "RNV_STATE_KEY",
      "RNV_STATE_KEY_PREVIOUS",
    ])
      expect(isOwnCredential(name)).toBe(true);
    for (const name of ["WEB_IDENTITY_TOKEN_FILE", "CONTAINER_AUTHORIZATION_TOKEN"])
      expect(isCredential(`AWS_${name}`)).toBe(true);
  });

  it.each(namesIn("secret-names.txt"))("takes %s for a secret by its name", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(namesIn("other-names.txt"))("does not take %s for a secret", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
