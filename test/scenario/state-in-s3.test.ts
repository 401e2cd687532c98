import { join } from "node:path";
import { approve, failing, oneScenario } from "../support/cli";
import { closing } from "../support/closing";
import { type StateServer, serveState } from "../support/http-state-server";
import { s3Environment, serveS3 } from "../support/s3-server";
import { openSilent } from "../support/silent-service";
import { itInSoak } from "../support/soak";
import { secureHost, serveProxy, serveSecurely } from "../support/tunnel";

const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION } = s3Environment;
const expiration = "2099-01-01T00:00:00Z";

/** The answer of STS to a token of an identity provider. */
const assumed = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>session</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

describe("a state in S3", () => {
  const scenario = oneScenario({ fresh: true });
  let server: StateServer;
  beforeAll(async () => {
    // The AWS SDK reads the environment of its process.
    server = closing(await serveS3());
    scenario.write("rnv.yaml", "projects: { shop: { name: Shop } }\n");
    scenario.write(
      "aws.ini",
      `[team]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}
[broken]
credential_process = /bin/sh -c "echo CANARY; echo CANARY >&2; exit 1"
`,
    );
    scenario.write("token", "identity-token");
  });
  const at = (query = "") => `s3://bucket/team/a b/ü(1)+&=~.json?endpoint=${server.url}${query}`;
  const run = (env: Record<string, string>, ...args: string[]) => {
    const none = { AWS_EC2_METADATA_DISABLED: "true", AWS_REGION };
    const files = {
      AWS_SHARED_CREDENTIALS_FILE: join(scenario.folder, "aws.ini"),
      AWS_CONFIG_FILE: "/dev/null",
    };
    return scenario.runWith({ env: { RNV_STATE: at(), ...none, ...files, ...env } }, ...args);
  };

  it("is opened with keys, with a profile of the environment and with the profile of its address, which wins", async () => {
    const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
    expect(await run(keys, "apply", ...approve)).toMatchObject({ code: 0 });
    const listed = { code: 0, stdout: "project.shop\n", stderr: "" };
    expect(await run({ AWS_PROFILE: "team" }, "state", "list")).toMatchObject(listed);
    const wrong = { AWS_ACCESS_KEY_ID: "other", AWS_SECRET_ACCESS_KEY: "other" };
    const own = { ...wrong, RNV_STATE: at("&profile=team") };
    expect(await run(own, "state", "list")).toMatchObject(listed);
    expect(await run(wrong, "state", "list")).toMatchObject({ code: 1 });
    const failed = await run({ AWS_PROFILE: "broken" }, "state", "list");
    expect(failed).toMatchObject({ code: 1, stderr: expect.not.stringContaining("CANARY") });
    expect(await run({ AWS_PROFILE: "missing" }, "state", "list")).toMatchObject(
      failing(1, "check that the profile missing is in ~/.aws/config"),
    );
    for (const [part, told] of [
      [{ AWS_ACCESS_KEY_ID: id }, "AWS_SECRET_ACCESS_KEY is not set"],
      [{ ...keys, AWS_SESSION_TOKEN: "CANARY\nx" }, "AWS_SESSION_TOKEN holds a space or a line break"],
    ] as const) {
      const { code, stderr } = await run(part, "state", "list");
      expect([code, stderr]).toEqual([1, expect.stringContaining(told)]);
      expect(stderr).not.toContain("CANARY");
    }
  });

  itInSoak("is not waited for without end where a container's server of credentials is silent", async () => {
    const { origin } = new URL((await openSilent()).url);
    const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${origin}/role` };
    expect(await run({ ...container, RNV_STATE_TIMEOUT: "1" }, "state", "list")).toMatchObject(
      failing(1, "no answer came in 2 seconds"),
    );
  });

  itInSoak("is opened with a token of an identity provider, through STS behind a proxy", async () => {
    const sts = closing(await serveState(() => ({ status: 200, body: assumed }), new Map()));
    const secure = closing(await serveSecurely(Number(new URL(sts.url).port)));
    const proxy = closing(await serveProxy({ [`${secureHost}:443`]: secure.port }, "rnv:pass"));
    scenario.write("authority.pem", secure.authority);
    const environment = {
      ...{
        AWS_WEB_IDENTITY_TOKEN_FILE: join(scenario.folder, "token"),
        AWS_ROLE_ARN: "arn:aws:iam::1:role/rnv",
      },
      ...{
        AWS_ENDPOINT_URL_STS: `https://${secureHost}`,
        HTTPS_PROXY: `http://rnv:pass@127.0.0.1:${proxy.port}`,
      },
      NODE_EXTRA_CA_CERTS: join(scenario.folder, "authority.pem"),
    };
    expect(await run(environment, "state", "list")).toMatchObject({
      code: 0,
      stdout: "project.shop\n",
      stderr: "",
    });
    expect(sts.seen[0]?.body).toContain("WebIdentityToken=identity-token");
    expect(proxy.asked).toHaveLength(1);
  });
});
