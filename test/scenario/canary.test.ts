import { join } from "node:path";
import type { Fault } from "../../src/emulator/faults";
import { type Canary, canary, sightings } from "../support/canaries";
import { approve, type CliRun, oneScenario } from "../support/cli";
import { casesIn, textIn } from "../support/rows";
import { inSoak, shareOf } from "../support/soak";

const plain = canary("plain");
const environment = canary("environment");
const file = canary("file");
const command = canary("command");
const template = canary("template");
const interpolated = canary("interpolated");
const block = canary("block");
const apiKey: Canary = { name: "api key", core: "cnryapikey9x", value: "rnv_cnryapikey9x" };
const stateKey: Canary = {
  name: "state key",
  core: "636e727973746174656b6579",
  value: "636e727973746174656b6579".padEnd(64, "0"),
};
const canaries = [plain, environment, file, command, template, interpolated, block, apiKey, stateKey];
const yaml = (one: Canary): string => JSON.stringify(one.value);

const env = {
  RNV_API_KEY: apiKey.value,
  RNV_STATE_KEY: stateKey.value,
  SECRET: environment.value,
  INTERPOLATED: interpolated.value,
  TF_LOG: "TRACE",
  DEBUG: "*",
  RNV_LOG: "trace",
  GITHUB_ACTIONS: "true",
};

/** Debug output of Node about requests and files. */
const debugging = { ...env, NODE_DEBUG: "http,https,net,tls,fs,stream" };

const shop = (more = "", text = yaml(plain)) =>
  textIn(join(__dirname, "canary.yaml"), {
    text,
    command: JSON.stringify(JSON.stringify(command.value)),
    templateCore: template.core,
    blockValue: block.value,
    more,
  });

/** A manifest, or a mistake in the manifest of the shop: the text of its secret, or more lines. */
interface Mistake {
  readonly manifest?: string;
  readonly more?: string;
  readonly text?: string;
  readonly dotenv?: string;
}

describe("no secret is ever shown", () => {
  const scenario = oneScenario({ apiKeys: [{ key: apiKey.value, scope: "write", role: "owner" }] });
  let seen: string[];
  let runs: number;
  const inputs = ["rnv.yaml", "other.yaml", "secret.txt", ".env"];
  beforeAll(async () => {
    scenario.write("secret.txt", file.value);
    scenario.write("rnv.yaml", shop());
  });
  beforeEach(() => {
    seen = [];
    runs = 0;
  });
  afterEach(() => scenario.fail());

  /** Runs a command and looks at everything it printed and left in the folder. */
  const watched = async (
    how: readonly string[],
    environment: Record<string, string> = env,
    clock: { readonly node?: readonly string[] } = {},
  ): Promise<CliRun> => {
    const ended = await scenario.runWith({ env: environment, ...clock }, ...how);
    runs += 1;
    expect(ended.stderr).not.toMatch(/this is a bug/i);
    const all = [...canaries, ...generated()];
    const line = `rnv ${how.join(" ")}`;
    seen.push(
      ...sightings(all, `${line} (stdout)`, ended.stdout),
      ...sightings(all, `${line} (stderr)`, ended.stderr),
    );
    for (const { path, text } of scenario.files()) {
      if (!inputs.some((name) => path.endsWith(`/${name}`)))
        seen.push(...sightings(all, `${path} after ${line}`, text));
    }
    return ended;
  };

  const generated = (): Canary[] =>
    scenario.emulator.store
      .services()
      .flatMap(({ id }) => scenario.emulator.store.variables(id))
      .filter(({ key }) => key === "GENERATED")
      .map(({ id }) => scenario.emulator.store.variableValue(id) ?? "")
      .map((value) => ({ name: "generated", core: value.slice(4, 24), value }));

  const faults: readonly (readonly [string, Fault])[] = [
    [
      "a 400 that echoes what was sent",
      { kind: "status", status: 400, message: `bad value ${plain.value}: ${environment.value} ${file.core}` },
    ],
    ["a 409", { kind: "status", status: 409, code: "idempotency_conflict", message: command.value }],
    ["a 401", { kind: "status", status: 401, message: apiKey.value }],
    ["a 403", { kind: "status", status: 403, message: `${apiKey.value} ${plain.value}` }],
    ["a redirect", { kind: "redirect", location: `http://127.0.0.1:9/${encodeURIComponent(plain.core)}` }],
    ["a broken answer", { kind: "malformed" }],
  ];
  it.each(shareOf(faults, faults.length))("when a variable meets %s", async (_, fault) => {
    let met = false;
    scenario.fail(({ method, path }) => {
      if (method === "GET" || !path.includes("/variables")) return undefined;
      met = true;
      return fault;
    });
    // What a request may have made is looked for.
    const fast = { node: ["--require", require.resolve("../support/fast-clock.cjs")] };
    await watched(["apply", ...approve], env, fast);
    await watched(["apply", ...approve, "-json"], env, fast);
    expect(met).toBe(true);
    expect(seen).toEqual([]);
  });

  it("by a run that ends well, in any format", async () => {
    expect((await watched(["apply", ...approve, "-json"], debugging)).code).toBe(0);
    expect(generated()).toHaveLength(1);
    const sentValues = scenario.sent.map(({ body }) => body ?? "").join("\n");
    // The watch is worth something only if the values did leave.
    for (const { core } of [plain, environment, file, command, template, interpolated, block])
      expect(sentValues).toContain(core);
    for (const how of [
      ["validate", "-json"],
      ["plan", "-json"],
      ["show", "-json"],
      ["state", "pull"],
      ["state", "show", "variable.shop.api.PLAIN", "-json"],
      ["export"],
      ["graph"],
      ["drift", "-json"],
      ["status", "-json"],
    ]) {
      expect(await watched(how)).toMatchObject({ code: 0 });
    }
    expect(seen).toEqual([]);
  });

  it("by a change, a saved plan, drift and its repair", async () => {
    const next = canary("next");
    canaries.push(next);
    scenario.write("rnv.yaml", shop("", yaml(next)));
    for (const format of ["text", "markdown"]) await watched(["plan", "--format", format]);
    await watched(["plan", "-out", "p.rnvplan"]);
    expect((await watched(["show", "p.rnvplan"])).code).toBe(0);
    expect((await watched(["apply", "p.rnvplan"])).code).toBe(0);
    const [{ id = "" } = {}] = scenario.emulator.store.variables(scenario.idOf());
    scenario.emulator.store.editVariable(id, { value: interpolated.value });
    expect((await watched(["drift", "-strict"])).code).toBe(2);
    expect((await watched(["apply", ...approve], inSoak(debugging, env))).code).toBe(0);
    await watched(["plan"]);
    expect(seen).toEqual([]);
  });

  const filled = (text: string): string =>
    text.replaceAll("<core>", plain.core).replaceAll("<value>", yaml(plain));
  const mistakes = casesIn<Mistake>(join(__dirname, "canary-mistakes.yaml"));
  it.each(shareOf(mistakes, 7))("by $name", async ({ manifest, more = "", text = "<value>", dotenv }) => {
    if (dotenv) scenario.write(".env", filled(dotenv));
    scenario.write("rnv.yaml", manifest ? filled(manifest) : shop(filled(more), filled(text)));
    const validated = await watched(["validate", "-json"]);
    const planned = await watched(["plan"]);
    expect(Math.max(validated.code, planned.code)).toBeGreaterThan(0);
    expect(runs).toBe(2);
    expect(seen).toEqual([]);
  });

  it("by destroy, and by what it leaves", async () => {
    scenario.write("rnv.yaml", shop());
    const { code, stdout } = await watched(["destroy", ...approve], inSoak(debugging, env));
    expect({ code, stdout }).toMatchObject({ code: 0 });
    await watched(["show"]);
    expect(seen).toEqual([]);
  });
});

const simple = (name: string): Canary => ({ ...canary(name), value: canary(name).core });
const outside = ["env", "file", "command", "dotenv"].map(simple) as [Canary, Canary, Canary, Canary];
const [token, inFile, printed, inDotenv] = outside;

const shared = textIn(join(__dirname, "canary-beside.yaml"), {
  printed: JSON.stringify(JSON.stringify(printed.value)),
});

describe("a value from outside the manifest that stands in live attributes", () => {
  const at = oneScenario();
  let own: Record<string, string> = { RNV_STATE_KEY: stateKey.value, TOKEN: token.value };
  const texts: string[] = [];
  const seen: string[] = [];
  const run = async (...args: readonly string[]): Promise<CliRun> => {
    const ended = await at.runWith({ env: own }, ...args);
    const files = at.files().filter(({ path }) => !/(secret\.txt|\.env|rnv\.yaml)$/.test(path));
    texts.push(ended.stdout);
    const all = [{ path: "output", text: `${ended.stdout}${ended.stderr}` }, ...files];
    for (const { path, text } of all) seen.push(...sightings(outside, `${path} of ${args.join(" ")}`, text));
    return ended;
  };
  const command = `A=${token.value} B=${inFile.value} D=${inDotenv.value} npm run start:production C=${printed.value}`;
  const leak = (): void => {
    const id = at.idOf("api");
    at.emulator.store.editService(id, () => ({ hostName: token.value }));
    at.emulator.store.editConfiguration(id, { startCommand: command });
  };

  it("is masked wherever a plan, drift or a state shows it, and literals stay", async () => {
    at.write("secret.txt", inFile.value);
    at.write(".env", `DOTENV=${inDotenv.value}\n`);
    at.write("rnv.yaml", shared);
    expect(await run("apply", ...approve)).toMatchObject({ code: 0 });
    leak();
    for (const how of [
      ["plan", "-verbose"],
      ["plan", "-json"],
      ["plan", "--format", "markdown"],
      ["plan", "-html", "plan.html", "-json-into", "plan.json", "-out", "p.rnvplan"],
      ["show", "p.rnvplan"],
      ["show", "-json", "p.rnvplan"],
      ["drift"],
      ["drift", "-json", "-html", "drift.html"],
      ["status", "-json"],
      ["ci", "plan"],
    ])
      await run(...how);
    const [text = "", json = "", markdown = ""] = texts.slice(1);
    const shown = "A=(sensitive) B=(sensitive) D=(sensitive) npm run start:production C=(sensitive)";
    for (const one of [text, json, markdown, at.read("plan.html"), at.read("p.rnvplan")])
      expect(one).toContain(shown);
    expect(seen).toEqual([]);
  });

  it("leaves comparisons, references and requests raw, the state and outputs without it", async () => {
    expect(await run("apply", "p.rnvplan")).toMatchObject({ code: 0 });
    expect(at.service("api")?.configuration.startCommand).toBe("node server");
    const [reference] = at.emulator.store.variables(at.idOf("worker"));
    expect(at.emulator.store.variableValue(reference?.id ?? "")).toContain(`${token.value}-`);
    expect((await run("output", "-raw", "apiUrl")).code).toBe(1);
    for (const how of [["output"], ["output", "-json"], ["show"], ["show", "-json"], ["state", "list"]])
      expect(await run(...how)).toMatchObject({ code: 0 });
    expect(await run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(at.read(".rnv/state.json")).not.toContain('"url": "https://cnry');
    expect(seen).toEqual([]);
  });

  it("is left out of manifests with a comment", async () => {
    leak();
    for (const how of [["export"], ["init", "--from", "workspace", "--dry-run", "--state", "new.json"]]) {
      const { stdout } = await run(...how);
      expect(stdout).toContain("# startCommand is left out");
      expect(stdout).not.toContain("(sensitive)");
      expect(stdout).toContain("npm run start:production");
    }
    expect(seen).toEqual([]);
  });

  it("is masked where the run has no value, and where a refresh has recorded what is live", async () => {
    const { TOKEN: _, ...keyAlone } = own;
    own = keyAlone;
    for (const how of [
      ["drift", "-json"],
      ["plan", "--no-secrets", "-json"],
      ["apply", "-refresh-only", ...approve],
      ["show"],
      ["state", "show", "service.shop.api", "-json"],
    ])
      await run(...how);
    expect(texts.at(-1)).toContain("A=(sensitive) B=(sensitive)");
    // The state keeps declared fields as they are: they are compared.
    expect(seen.filter((one) => !one.includes("state.json"))).toEqual([]);
  });
});
