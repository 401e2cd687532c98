import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { type Canary, canary, sightings } from "../support/canaries";
import { approve, eachScenario, failing } from "../support/cli";
import { closing } from "../support/closing";
import { type StateService, serveState } from "../support/http-state-server";
import { casesIn } from "../support/rows";
import { shareOf } from "../support/soak";
import { newFolder } from "../support/temp-folder";

/** What the job holds, and no manifest of a stranger may learn. */
const held: Readonly<Record<string, Canary>> = {
  RNV_API_KEY: { name: "api key", core: "cnryapikey9x", value: "rnv_cnryapikey9x" },
  RNV_STATE_HTTP_PASSWORD: canary("password"),
  RNV_WEBHOOK_SECRET: canary("webhook"),
  AWS_ACCESS_KEY_ID: canary("aws id"),
  AWS_SECRET_ACCESS_KEY: canary("aws key"),
  AWS_SESSION_TOKEN: canary("aws token"),
  GITHUB_TOKEN: canary("github"),
  SHOP_TOKEN: canary("shop"),
  DEPLOY_TARGET: canary("harmless name"),
  TF_VAR_target: canary("variable of a stack"),
};
const outsideFile = canary("file outside");
const canaries = [...Object.values(held), outsideFile];

interface Attack {
  readonly name: string;
  /** A text, or the content of a JSON file. */
  readonly files: Readonly<Record<string, unknown>>;
  /** Links by their name: to a file outside of the project. */
  readonly links?: readonly string[];
  readonly flags?: readonly string[];
  /** What stops it, as it is shown. */
  readonly stopped?: string;
}

/** `SERVER` is a server of the attacker, `OUTSIDE` the folder outside. */
const attacks = casesIn<Attack>(join(__dirname, "attacks.yaml"));
const inStage = ["--stage", "production"];
const repository = (text: string) =>
  `services: { api: { kind: web, configuration: { repository: "${text}" } } }\n`;

describe("a manifest of a stranger", () => {
  const secrets = Object.fromEntries(
    Object.entries(held).map(([name, { value }]) => [name, value.replaceAll("\n", "")]),
  );
  const scenario = eachScenario({
    apiKeys: [
      { key: secrets.RNV_API_KEY as string, scope: "write", role: "owner" },
      { key: embeddedApiKey, scope: "write", role: "owner" },
    ],
  });
  let outside: string;
  let url = "";
  /** What reached the attacker's server. */
  const received: string[] = [];
  const event = () => join(outside, "event.json");
  /** How the job says that it is one of a stranger. */
  const jobs = (): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
    GitHub: { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request_target", GITHUB_EVENT_PATH: event() },
    GitLab: { GITLAB_CI: "true", CI_PROJECT_ID: "1", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" },
    "the flag": { RNV_UNTRUSTED: "1" },
  });
  beforeAll(async () => {
    outside = newFolder("outside");
    writeFileSync(join(outside, "secret.txt"), `${outsideFile.core}\n`);
    writeFileSync(join(outside, ".env"), `A=${outsideFile.core}\n`);
    writeFileSync(
      join(outside, "cdk.tf.json"),
      JSON.stringify({ [outsideFile.core]: { a: outsideFile.core } }),
    );
    writeFileSync(join(outside, "overlay.yaml"), `outputs: { a: ${outsideFile.core} }\n`);
    const from = (name: string) => ({ repo: { full_name: name } });
    writeFileSync(
      event(),
      JSON.stringify({ pull_request: { head: from("stranger/shop"), base: from("acme/shop") } }),
    );
    const answer: StateService = ({ method, path, headers, body }) => {
      received.push(`${method} ${path} ${JSON.stringify(headers)} ${body}`);
      return { status: 404 };
    };
    url = closing(await serveState(answer, new Map())).url;
  });
  beforeEach(() => {
    received.length = 0;
  });

  const lay = ({ files, links = [] }: Attack) => {
    for (const [name, content] of Object.entries(files)) {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      scenario.write(name, text.replaceAll("OUTSIDE", outside).replaceAll("SERVER", url));
    }
    for (const name of links) {
      mkdirSync(dirname(join(scenario.folder, name)), { recursive: true });
      const target = [".env", "cdk.tf.json"].includes(name)
        ? name
        : name.endsWith(".yaml")
          ? "overlay.yaml"
          : "secret.txt";
      symlinkSync(join(outside, target), join(scenario.folder, name));
    }
  };
  const verbs = [
    ["plan"],
    ["plan", "--no-secrets", "-json"],
    ["plan", "-out", "p.rnvplan", "--format", "markdown"],
    ["validate"],
    ["validate", "-print"],
    ["graph"],
    ["drift"],
    ["ci", "plan", "--report", "reports"],
    ["ci", "drift", "--report", "drift", "--metrics", "rnv.prom"],
    ["apply", ...approve],
    ["destroy", ...approve],
  ];

  it.each(attacks)("$name: not one byte leaves, and it is said what was refused", async (attack) => {
    lay(attack);
    const inputs = new Set(
      [...Object.keys(attack.files), ...(attack.links ?? [])].map((name) => join(scenario.folder, name)),
    );
    for (const [name, job] of shareOf(Object.entries(jobs()), 3)) {
      scenario.forget();
      const env = { ...secrets, RNV_STATE_HTTP_USERNAME: "ci", ...job };
      const { code, stdout, stderr } = await scenario.runWith({ env }, "plan", ...(attack.flags ?? []));
      if (attack.stopped !== undefined) {
        expect([name, `${stdout}${stderr}`]).toEqual([name, expect.stringContaining(attack.stopped)]);
        expect(code).toBeGreaterThan(0);
      }
    }
    const env = { ...secrets, ...jobs().GitHub };
    const shown: string[] = [];
    for (const words of shareOf(verbs, 5)) {
      const ended = await scenario.runWith({ env }, ...words, ...(attack.flags ?? []));
      shown.push(...sightings(canaries, words.join(" "), `${ended.stdout}\n${ended.stderr}`));
    }
    for (const { path } of scenario.files())
      if (!inputs.has(path)) shown.push(...sightings(canaries, path, readFileSync(path, "latin1")));
    for (const request of scenario.sent)
      shown.push(...sightings(canaries, request.path, JSON.stringify(request.body ?? "")));
    expect(shown).toEqual([]);
    expect(received).toEqual([]);
    expect(scenario.files().map(({ path }) => path)).not.toContain(join(scenario.folder, "stolen"));
  });

  it("reads a name of the environment and the address of a state where a job allows them", async () => {
    const stages = `stages: { production: { state: "${url}/state/\${stage.name}" } }\n`;
    scenario.write("rnv.yaml", stages + repository("https://git.example.com/a"));
    const env = { ...secrets, ...jobs().GitHub, RNV_ALLOW_STATE: `${url}/other/*, ${url}/state/*` };
    const { stderr } = await scenario.runWith({ env }, "plan", ...inStage);
    expect(stderr).not.toContain("guard.untrusted");
    expect(received.join()).toContain("GET /state/production");
    for (const RNV_ALLOW_STATE of [`${url}/stat*`, `${url}*`, "*", `${url}/state`])
      expect(await scenario.runWith({ env: { ...env, RNV_ALLOW_STATE } }, "plan", ...inStage)).toMatchObject(
        failing(4, "list it in RNV_ALLOW_STATE"),
      );
    scenario.write("rnv.yaml", repository("https://git.example.com/${env.DEPLOY_TARGET}"));
    const named = { ...env, DEPLOY_TARGET: "eu", RNV_ALLOW_ENV: "DEPLOY_*" };
    expect(await scenario.runWith({ env: named }, "plan")).toMatchObject({ code: 0 });
  });

  it("a converter writes names, and reads neither their values nor other files", async () => {
    scenario.write(
      "render.yaml",
      `services:\n  - { type: web, name: api, image: { url: a }, dockerCommand: "serve \${SHOP_TOKEN}", envVars: [{ key: SHOP_TOKEN, sync: false }, { key: B, value: "\${DEPLOY_TARGET}" }, { key: C, value: "${outside}/.env" }] }\n`,
    );
    const env = { ...secrets, ...jobs().GitHub };
    const ended = await scenario.runWith({ env }, "init", "--from", "render", "render.yaml");
    const texts = [ended.stdout, ended.stderr, ...scenario.files().map(({ text }) => text)].join("\n");
    expect(sightings(canaries, "init", texts)).toEqual([]);
    expect(ended.code).toBe(0);
  });
});
