import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings } from "../../../src/cli/settings";
import { targetAt } from "../../../src/cli/target";
import { isCredential, isOwnCredential, isSecretName } from "../../../src/declaration/trust";
import { parseStateAddress } from "../../../src/state/state-address";
import { httpStateSettings } from "../../../src/state/stores/http-store";
import { s3StateSettings } from "../../../src/state/stores/s3-store";
import { providerSettings } from "../../../src/terraform/configure-provider";
import { request } from "../../support/request";

const words = (text: string): string[] => text.trim().split(/\s+/);

/** What rnv reads of the environment besides credentials: whoever sees it can do nothing with it. */
const settings = words(`
  RNV_ACCEPT_RESTORED RNV_ALLOW_COMMANDS RNV_ALLOW_ENV RNV_ALLOW_STATE RNV_BASE_URL RNV_COMMENT_AUTHOR
  RNV_EMULATOR_PAYS RNV_POLICY RNV_PROFILE RNV_READINGS RNV_SECRET_DIRS RNV_SHARDS RNV_STAGE RNV_STATE
  RNV_STATE_ENCRYPTION RNV_UNTRUSTED RNV_STATE_TIMEOUT RNV_WORKSPACE_ID RNV_ RNV_GAP_ RNV_VAR_
  RNV_STATE_HTTP_ TF_HTTP_ RNV_STATE_HTTP_X TF_HTTP_X TF_HTTP_ADDRESS RNV_STATE_HTTP_LOCK_ADDRESS
  RNV_STATE_HTTP_UPDATE_METHOD RNV_STATE_HTTP_USERNAME AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL
  AWS_ENDPOINT_URL_S3 AWS_PROFILE AWS_ROLE_ARN AWS_ROLE_SESSION_NAME AWS_ TF_HTTP_USERNAME
  TF_HTTP_SKIP_CERT_VERIFICATION RNV_STATE_HTTP_CLIENT_CERTIFICATE_PEM
`);

/** Of a state behind HTTP, under the prefixes of rnv and of Terraform. */
const httpSettings = words(`
  ADDRESS UPDATE_METHOD LOCK_ADDRESS LOCK_METHOD UNLOCK_ADDRESS UNLOCK_METHOD USERNAME RETRY_MAX
  RETRY_WAIT_MIN RETRY_WAIT_MAX SKIP_CERT_VERIFICATION CLIENT_CERTIFICATE_PEM CLIENT_CA_CERTIFICATE_PEM
`);

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

  it.each(
    words(`
      GITHUB_TOKEN GH_TOKEN CI_JOB_TOKEN NPM_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN DB_PASSWORD
      CI_REGISTRY_PASSWORD STRIPE_SECRET_KEY SSH_PRIVATE_KEY OPENAI_API_KEY CI_JOB_JWT_V2 TOKEN
      GOOGLE_APPLICATION_CREDENTIALS db_password AZURE_CLIENT_SECRET
    `),
  )("takes %s for a secret by its name", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(
    words(`
      STAGE CI_COMMIT_SHA GITHUB_SHA BRANCH CACHE_KEY SSH_PUBLIC_KEY TOKEN_LIFETIME PATH
      PASSWORD_MIN_LENGTH SECRETARY NEXT_PUBLIC_MAPBOX_TOKEN STRIPE_PUBLISHABLE_KEY VITE_API_KEY
      PRIMARY_KEY MONKEY DISPATCH PAT_COUNT ACCESS_KEYS_PAGE
    `),
  )("does not take %s for a secret", (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
