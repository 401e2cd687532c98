import { rmSync } from "node:fs";
import { join } from "node:path";
import { pullWords } from "../../src/api/code-host/code-host";
import { addMerged, jobKey, mainJob, ownComments, pullRequestJob } from "../support/ci-jobs";
import { approve, eachScenario, failing, printing, refusing } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import { shareOf } from "../support/soak";

const merged = "a".repeat(40);
const mergedLater = "e".repeat(40);

/** A service with the variables that are given as YAML. */
const service = (variables: string, configuration = "branch: main", name = "api") =>
  `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/shop", ${configuration} }, variables: { ${variables} } }\n`;
const shop = (...services: string[]) => `projects:\n  shop:\n    services:\n${services.join("")}`;
const token = "TOKEN: { fromEnv: SHOP_TOKEN }";

/** The record of a review binds every text of the manifest (DESIGN section 15). */
describe.each(shareOf(["gitlab", "github"] as const, 2))("the record of a review on %s", (platform) => {
  const scenario = eachScenario();
  let server: CodeHostServer;
  beforeEach(async () => {
    server = await serveCodeHost(platform);
    addMerged(server, 7, merged);
    addMerged(server, 8, mergedLater);
    scenario.write("summary", "");
  });

  /** Plans as the job of a pull request, which has no secret of production. */
  const plan = (number = 7, env: Record<string, string> = {}) =>
    scenario.runWith(
      { env: { ...pullRequestJob(scenario, server, number), ...env } },
      ...["ci", "plan", "--no-secrets"],
    );
  const apply = (env: Record<string, string> = {}, ...args: string[]) => {
    const job = { ...mainJob(scenario, server, merged), SHOP_TOKEN: "first", ...env };
    return scenario.runWith({ env: job }, "ci", "apply", ...args);
  };
  const own = (kind: "plan" | "apply", number = 7) => ownComments(server, kind, number);
  const settled = async (manifest: string, more: Record<string, string> = {}) => {
    scenario.write("rnv.yaml", manifest);
    const env = { ...jobKey, SHOP_TOKEN: "first", ...more };
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    scenario.forget();
  };
  const refused = (text: string) => failing(5, text);

  it("binds literal values, also where the job could not read a secret", async () => {
    await settled(shop(service(`${token}, CALLBACK_URL: "https://a.example"`)));
    scenario.write("rnv.yaml", shop(service(`${token}, CALLBACK_URL: "https://b.example"`)));
    await plan();
    expect(own("plan")[0]).toContain("This run cannot read 1 value");
    scenario.write("rnv.yaml", shop(service(`${token}, CALLBACK_URL: "https://evil.example"`)));
    expect(await apply()).toMatchObject(
      refused("variable.shop.api.CALLBACK_URL has another value than was reviewed"),
    );
    expect(own("apply")[0]).toContain(`Open a ${pullWords[platform]} from`);
    // A new value, and one that was not there.
    scenario.write("rnv.yaml", shop(service(`${token}, CALLBACK_URL: "https://b.example", MORE: x`)));
    expect(await apply()).toMatchObject(refused("variable.shop.api.MORE would change now"));
    expect(scenario.requests()).toEqual([]);
    for (const { body } of server.comments) expect(body).not.toContain('example"');
    scenario.write("rnv.yaml", shop(service(`${token}, CALLBACK_URL: "https://b.example"`)));
    expect(await apply()).toMatchObject({ code: 0 });
  });

  it("is no review of a deletion that it showed as blocked, until the confirmed plan is reviewed", async () => {
    const docs = service('KEPT: "1"', "branch: main", "docs");
    await settled(shop(service("A: a"), docs));
    scenario.write("rnv.yaml", shop(service("A: a")));
    expect(await plan()).toMatchObject({ code: 4 });
    expect(await apply()).toMatchObject({ code: 4 });
    scenario.write("rnv.yaml", `${shop(service("A: a"))}removed: [service.shop.docs]\n`);
    expect(await apply()).toMatchObject(
      refused("service.shop.docs was blocked in the review, and is confirmed now"),
    );
    expect(scenario.requests()).toEqual([]);
    expect(await plan()).toMatchObject({ code: 0 });
    expect(await apply()).toMatchObject({ code: 0 });
  });

  it("lets a secret rotate that the job could not read, and its service deploy, and nothing else", async () => {
    const docs = service('KEPT: "1"', "branch: main", "docs");
    await settled(shop(service(token), docs));
    scenario.write("rnv.yaml", shop(service(token), docs.replace('"1"', '"2"')));
    await plan();
    scenario.write(
      "rnv.yaml",
      shop(service(token.replace("SHOP_TOKEN", "OTHER")), docs.replace('"1"', '"2"')),
    );
    expect(await apply({ OTHER: "rotated" })).toMatchObject(
      refused("variable.shop.api.TOKEN would change now"),
    );
    scenario.write("rnv.yaml", shop(service("TOKEN: rotated"), docs.replace('"1"', '"2"')));
    expect(await apply()).toMatchObject(refused("variable.shop.api.TOKEN would change now"));
    scenario.write("rnv.yaml", shop(service(token), docs.replace('"1"', '"2"')));
    expect(scenario.requests()).toEqual([]);
    expect(await apply({ SHOP_TOKEN: "rotated" })).toMatchObject({ code: 0 });
    const env = { ...jobKey, SHOP_TOKEN: "rotated" };
    expect((await scenario.runWith({ env }, "plan", "-detailed-exitcode")).code).toBe(0);
    expect(scenario.requests().filter((one) => one.endsWith("/deploys"))).toHaveLength(2);
  });

  it("is not needed for new values of the recorded sources", async () => {
    const grouped = (...items: string[]) => {
      const taking = ` variablesFrom: [${items.join(", ")}], variables:`;
      const api = service(`${token}, KEPT: "1"`).replace(" variables:", taking);
      return `${shop(api)}variableGroups: { common: { LEVEL: { fromEnv: LEVEL } } }\n`;
    };
    const env = { LEVEL: "info" };
    const dotenv = "{ dotenv: production.env }";
    const common = "{ group: common }";
    const files = ["production.env", "other.env"];
    const writeFiles = () => {
      for (const file of files) scenario.write(file, `FILE_TOKEN=${file}\n`);
    };
    const hideFiles = () => {
      for (const file of files) rmSync(join(scenario.folder, file));
    };
    writeFiles();
    await settled(grouped(common, dotenv), env);
    hideFiles();
    expect(await plan()).toMatchObject(printing(0, "cannot read 3 values"));
    expect(own("plan")).toEqual([]);
    const moved = "its source is not the one that was last applied";
    const sources = [
      [grouped(common, dotenv).replace("SHOP_TOKEN", "OTHER"), "TOKEN", moved],
      [grouped(common, dotenv).replace("LEVEL }", "OTHER }"), "LEVEL", "production.env"],
      [grouped(common, "{ dotenv: other.env }"), "FILE_TOKEN", "other.env"],
    ];
    for (const [manifest = "", key, reason] of sources) {
      scenario.write("rnv.yaml", manifest);
      await plan();
      expect(own("plan")).toEqual([expect.stringMatching(`variable.shop.api.${key}.*${reason}`)]);
      server.comments.length = 0;
      writeFiles();
      expect(await apply({ ...env, OTHER: "other" })).toMatchObject(
        refused("has no plan comment for this stage"),
      );
      server.comments.length = 0;
      hideFiles();
    }
    writeFiles();
    // Nor is a setting that the comment would have shown.
    scenario.write("rnv.yaml", grouped(common, dotenv).replace('KEPT: "1"', 'KEPT: "2"'));
    expect(await apply({ LEVEL: "debug" })).toMatchObject(refused("has no plan comment for this stage"));
    // Nor is another commit, which would ride on the deployment of a new value.
    scenario.write(
      "rnv.yaml",
      grouped(common, dotenv).replace(" }\n", ` , deploy: { commit: ${"b".repeat(40)} } }\n`),
    );
    expect(await apply({ SHOP_TOKEN: "rotated", LEVEL: "debug" })).toMatchObject(
      refused("has no plan comment for this stage"),
    );
    expect(scenario.requests()).toEqual([]);
    scenario.write("rnv.yaml", grouped(common, dotenv));
    expect(await apply({ SHOP_TOKEN: "rotated", LEVEL: "debug" })).toMatchObject({ code: 0 });
    expect(scenario.requests().filter((one) => one.endsWith("/deploys"))).toHaveLength(1);
    server.comments.length = 0;
    // A state of before has no source: the comment is written, until an apply has recorded it.
    const { stdout: state } = await scenario.runWith({ env: jobKey }, "state", "pull");
    expect(state).not.toMatch(/SHOP_TOKEN|rotated|production\.env/);
    scenario.write("older.json", state.replace(/,\s*"source": "\w{64}"/g, ""));
    expect(await scenario.run("state", "push", "--force", "older.json")).toMatchObject({ code: 0 });
    await plan();
    expect(own("plan")).toEqual([expect.stringContaining("This run cannot read 2 values")]);
    server.comments.length = 0;
    expect(await apply({ SHOP_TOKEN: "rotated", LEVEL: "debug" })).toMatchObject({ code: 0 });
    await plan();
    expect(own("plan")).toEqual([]);
  });

  it("needs the key of the state in both jobs where there are variables, and only there", async () => {
    const keyless = { RNV_STATE_KEY: "" };
    const needed = failing(4, "openssl rand -hex 32");
    scenario.write("rnv.yaml", shop(service('A: "1"')));
    expect(await plan(7, keyless)).toMatchObject(needed);
    expect(await apply(keyless)).toMatchObject(needed);
    const short = failing(1, "RNV_STATE_KEY is too short to be a key");
    expect(await plan(7, { RNV_STATE_KEY: "short" })).toMatchObject(short);
    expect(scenario.requests()).toEqual([]);
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    expect(await plan(7, keyless)).toMatchObject({ code: 0 });
    // Not authenticated, it counts in a comment of the job's own account alone.
    const comments = server.comments.splice(0);
    for (const { at, body } of comments) server.addComment(at, "mallory", body);
    expect(await apply(keyless)).toMatchObject({ code: 5 });
    server.comments.push(...comments);
    expect(await apply(keyless)).toMatchObject({ code: 0 });
  });

  const confirmed = ["--confirm-delete", "service.shop.api"];

  const parts = [
    ["service", /\/services$/],
    ["variable", /\/variables$/],
  ] as const;
  it.each(shareOf(parts, 2))(
    "holds for the rest of a replacement of which the creation of a %s failed",
    async (_, part) => {
      const kinds = (kind: string, a = "1", branch = "main") =>
        shop(service(`A: "${a}", ${token}`, `branch: ${branch}`).replace("kind: web", `kind: ${kind}`));
      await settled(kinds("worker"));
      scenario.write("rnv.yaml", kinds("web"));
      await plan();
      expect(own("plan")[0]).toContain("This run cannot read 1 value");
      scenario.fail(refusing("POST", part, 422));
      // A secret that was not read may be another one by now.
      expect(await apply({ SHOP_TOKEN: "rotated" }, ...confirmed)).toMatchObject({ code: 3 });
      scenario.fail(undefined);
      for (const other of [kinds("web", "2"), kinds("web", "1", "next"), kinds("static")]) {
        scenario.write("rnv.yaml", other);
        expect(await apply({ SHOP_TOKEN: "rotated" }, ...confirmed)).toMatchObject({ code: 5 });
      }
      scenario.write("rnv.yaml", kinds("web"));
      expect(await apply({ SHOP_TOKEN: "rotated" })).toMatchObject({ code: 0 });
      expect(scenario.requests().filter((one) => one.startsWith("DELETE"))).toHaveLength(1);
      expect(scenario.emulator.store.services()).toMatchObject([{ kind: "web" }]);
    },
  );

  it("holds for the rest of a service that is created, changed or restored, and archived", async () => {
    await settled("projects: { shop: {} }\n");
    for (const [name, archived, method, part] of [
      ["first", true, "POST", /archive$/],
      ["second", false, "PATCH", /services/],
      ["third", true, "POST", /archive$/],
    ] as const) {
      const named = (one: string) =>
        shop(service("").replace("{ kind", `{ name: ${one}, archived: ${archived}, kind`));
      scenario.write("rnv.yaml", named(name));
      await plan();
      scenario.fail(refusing(method, part, 422));
      expect((await apply()).code).not.toBe(0);
      scenario.fail(undefined);
      scenario.write("rnv.yaml", named("other"));
      expect(await apply()).toMatchObject({ code: 5 });
      scenario.write("rnv.yaml", named(name));
      expect(await apply()).toMatchObject({ code: 0 });
      expect(scenario.emulator.store.services()).toMatchObject([{ name, archived }]);
    }
  });

  it("holds for the rest of a move", async () => {
    await settled(shop(service('A: "1"')));
    const named = service('A: "1"', "branch: next", "backend").replace("{ kind", "{ name: api, kind");
    scenario.write(
      "rnv.yaml",
      `moved: [{ from: service.shop.api, to: service.shop.backend }]\n${shop(named)}`,
    );
    await plan();
    scenario.fail(refusing("PATCH", /services/, 422));
    expect(await apply()).toMatchObject({ code: 1 });
    scenario.fail(undefined);
    scenario.emulator.store.failNextDeployment("*", "npm ERR! missing script: build");
    expect(await apply()).toMatchObject({ code: 7 });
    expect(await apply()).toMatchObject({ code: 0 });
  });

  it("holds after a first deployment that failed, but for a value that the job could not read", async () => {
    scenario.write("rnv.yaml", shop(service(`${token}, A: "1"`)));
    await plan();
    expect(own("plan")[0]).toContain("This run cannot read 1 value");
    scenario.emulator.store.failNextDeployment("*", "the build ended with 1");
    expect(await apply({ SHOP_TOKEN: "wrong" })).toMatchObject({ code: 7 });
    expect(own("apply")[0]).toContain("the build ended with 1 (exit 7)");
    scenario.write("rnv.yaml", shop(service(`${token}, A: "2"`)));
    expect(await apply({ SHOP_TOKEN: "right" })).toMatchObject({ code: 5 });
    scenario.write("rnv.yaml", shop(service(`${token}, A: "1"`)));
    expect(await apply({ SHOP_TOKEN: "right" })).toMatchObject({ code: 0 });
  });

  it("is kept for the run that goes on where the plan was applied by hand", async () => {
    await settled(shop(service('A: "1"')));
    scenario.write("rnv.yaml", shop(service('A: "2"')));
    await plan();
    scenario.write("rnv.yaml", shop(service('A: "2", B: "1"')));
    expect(await apply()).toMatchObject({ code: 5 });
    const [, digest = ""] = /--pull-request 7 --expect-digest (\w{64})/.exec(own("apply")[0] ?? "") ?? [];
    scenario.emulator.store.failNextDeployment("*", "the registry was down");
    expect(await apply({}, "--expect-digest", digest)).toMatchObject({ code: 7 });
    expect(await apply({}, "--expect-digest", digest)).toMatchObject({ code: 0 });
  });

  if (platform === "gitlab")
    it("is found where a branch was merged as it is: its commit is that of other merge requests, too", async () => {
      const pull = { branch: "main", commit: merged, isOpen: false, commits: [merged] };
      server.pulls.splice(0, 2, { ...pull, number: 6 }, { ...pull, number: 7 });
      scenario.write("rnv.yaml", shop(service('A: "2"')));
      await plan(6);
      scenario.write("rnv.yaml", shop(service('A: "1"')));
      await plan();
      expect(await apply()).toMatchObject({ code: 0 });
    });

  it("is that of any of our comments, where two jobs of a pull request planned at once", async () => {
    scenario.write("rnv.yaml", shop(service('A: "1"')));
    await plan();
    const [first] = server.comments.splice(0);
    scenario.write("rnv.yaml", shop(service('A: "2"')));
    await plan();
    server.comments.push(first as (typeof server.comments)[number]);
    expect(await apply()).toMatchObject({ code: 0 });
  });

  it("is told in the summary, the report and the comment: what was applied, or what it waits for", async () => {
    scenario.write("rnv.yaml", shop(service('A: "1"', "plan: starter")));
    await plan();
    for (const _ of ["first", "again, before the checkout"]) {
      expect(await apply({}, "--report", "out")).toMatchObject({ code: 8 });
      const report = scenario.read("out/apply.md");
      for (const text of [
        own("apply")[0],
        report,
        platform === "github" ? scenario.read("summary") : report,
      ]) {
        expect(text).toContain("(exit 8)");
        expect(text).toContain("Finish the checkout in the dashboard");
        expect(text).not.toContain("No changes");
      }
    }
    expect(scenario.read("out/plan.json")).toContain('"digest"');
    // A report that cannot be written is refused before anything is sent.
    scenario.write("taken", "");
    scenario.forget();
    expect(await apply({}, "--report", "taken")).toMatchObject(failing(1, "cannot write taken"));
    expect(scenario.requests()).toEqual([]);
    scenario.emulator.store.completeCheckout(scenario.idOf());
    expect(await apply({}, "--report", "out")).toMatchObject({ code: 0 });
    expect(scenario.read("out/apply.md")).toContain("**Applied.**");
    // A pull request that changes nothing gets no comment.
    server.comments.length = 0;
    scenario.write("rnv.yaml", shop(service(`A: "1"`, "plan: starter")));
    expect(await plan(8)).toMatchObject({ code: 0 });
    expect(own("plan", 8)).toEqual([]);
  });

  it("turns the job red where the comment of an older run cannot be rewritten", async () => {
    scenario.write("rnv.yaml", shop(service('A: "1"')));
    server.refuse = ({ method }) =>
      method === "GET" ? undefined : { status: 403, body: '{"message":"no"}' };
    expect(await plan()).toMatchObject({ code: 0 });
    server.refuse = undefined;
    await plan();
    scenario.write("rnv.yaml", shop(service('A: "2"')));
    server.refuse = ({ method }) =>
      method === "GET" ? undefined : { status: 403, body: '{"message":"no"}' };
    const stale = await plan();
    server.refuse = undefined;
    expect(stale).toMatchObject(
      failing(1, `${pullWords[platform]} 7 still shows the comment of an older run`),
    );
  });

  it("is found where the host lists the pull request of a commit late", async () => {
    scenario.write("rnv.yaml", shop(service('A: "1"')));
    await plan();
    let asked = 0;
    server.refuse = ({ path }) => {
      const isList = path.includes(merged);
      asked += isList ? 1 : 0;
      return isList && platform === "github" && asked < 3 ? { status: 200, body: "[]" } : undefined;
    };
    expect(await apply()).toMatchObject({ code: 0 });
  });
});
