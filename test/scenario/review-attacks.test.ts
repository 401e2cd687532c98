import { join } from "node:path";
import { addMerged, jobKey, mainJob, ownComments, pullRequestJob } from "../support/ci-jobs";
import { approve, type CliRun, failing, openScenario, type Scenario } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import { textIn } from "../support/rows";
import { shareOf } from "../support/soak";

const production = ["--stage", "production"];

/** A manifest of two stages; the value is that of a secret. */
const manifest = (value: string) => textIn(join(__dirname, "review-attacks.yaml"), { value });

/** A code host with three merged pull requests, and the jobs of them. */
class World {
  constructor(
    readonly scenario: Scenario,
    readonly server: CodeHostServer,
  ) {
    for (const number of [7, 8, 9]) addMerged(server, number, String(number).repeat(40));
  }

  /** Our comment of a kind on a pull request; empty where there is none. */
  comment(number: number, kind: "plan" | "apply" = "plan"): string {
    return ownComments(this.server, kind, number)[0] ?? "";
  }

  /** Plans a value in the job of a pull request. Returns the comment. */
  async plan(
    number: number,
    value: string,
    { args = production, env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
  ): Promise<string> {
    this.scenario.write("rnv.yaml", manifest(value));
    const job = { ...pullRequestJob(this.scenario, this.server, number), ...env };
    await this.scenario.runWith({ env: job }, "ci", "plan", ...args);
    return this.comment(number);
  }

  /** Applies a value in the job of the commit that a pull request was merged with. */
  apply(number: number, value: string, ...args: readonly string[]): Promise<CliRun> {
    this.scenario.write("rnv.yaml", manifest(value));
    const env = mainJob(this.scenario, this.server, String(number).repeat(40));
    return this.scenario.runWith({ env }, "ci", "apply", ...production, ...args);
  }
}

const recordIn = (body: string): string => /^<!-- rnv record .* -->$/m.exec(body)?.[0] ?? "no record";
const partsOf = (body: string): readonly string[] => /record ([\w-]+)\.(\w+) -->/.exec(body)?.slice(1) ?? [];
const withRecord = (body: string, other: string): string => body.replace(recordIn(body), recordIn(other));

/** Returns the comment as someone leaves it who may write as the account of the job. */
type Forge = (good: string, world: World) => string | Promise<string>;

const forgeries: readonly (readonly [name: string, forge: Forge])[] = [
  [
    "edited: one character of the record",
    (good) => {
      const [packed = ""] = partsOf(good);
      return good.replace(packed, `${packed.slice(0, 9)}${packed[9] === "A" ? "B" : "A"}${packed.slice(10)}`);
    },
  ],
  [
    "edited: the record of another plan, with the authentication of this one",
    async (good, world) => {
      const [packed = ""] = partsOf(await world.plan(7, "evil"));
      return good.replace(partsOf(good)[0] ?? "", packed);
    },
  ],
  ["edited: no authentication", (good) => good.replace(/\.\w+ -->/, ". -->")],
  ["edited: a part of the authentication", (good) => good.replace(/\.(\w{32})\w+ -->/, ".$1 -->")],
  ["edited: the authentication in capitals", (good) => good.replace(/\.\w+ -->/, (mac) => mac.toUpperCase())],
  ["edited: the record taken out", (good) => good.replace(`${recordIn(good)}\n`, "")],
  [
    "edited: a record of its own before the good one",
    async (good, world) => {
      const [packed = ""] = partsOf(await world.plan(7, "evil"));
      const [marker = ""] = good.split("\n");
      return `${marker}\n<!-- rnv record ${packed}.${"0".repeat(64)} -->\n\n${good}`;
    },
  ],
  ["copied from another pull request", async (good, world) => withRecord(good, await world.plan(8, "evil"))],
  [
    "copied from another stage",
    async (good, world) => {
      const args = ["--stage", "staging"];
      await world.plan(9, "evil", { args });
      return withRecord(good, world.comment(9));
    },
  ],
  [
    "copied from another manifest",
    async (good, world) => {
      world.scenario.write("other.yaml", manifest("evil"));
      const args = [...production, "-f", "other.yaml", "--state", ".rnv/stages/production/state.json"];
      world.server.comments.length = 0;
      return withRecord(good, await world.plan(7, "2", { args }));
    },
  ],
  [
    "copied from another repository",
    async (good, world) =>
      withRecord(
        good,
        await world.plan(7, "evil", { env: { GITHUB_SERVER_URL: "https://fork.example.com" } }),
      ),
  ],
  [
    "copied from the job of another key",
    async (good, world) =>
      withRecord(
        good,
        await world.plan(7, "evil", {
          env: { RNV_STATE_KEY: "cd".repeat(32), RNV_STATE_KEY_PREVIOUS: jobKey.RNV_STATE_KEY },
        }),
      ),
  ],
  [
    "copied from the comment of a refused apply, which was not reviewed",
    async (good, world) => {
      expect(await world.apply(7, "evil")).toMatchObject({ code: 5 });
      return withRecord(good, world.comment(7, "apply"));
    },
  ],
];

describe("the record of a review", () => {
  let world: World;
  beforeEach(async () => {
    world = new World(...(await Promise.all([openScenario(), serveCodeHost("github")])));
    world.scenario.write("rnv.yaml", manifest("1"));
    const settled = await world.scenario.runWith({ env: jobKey }, "apply", ...production, ...approve);
    expect(settled).toMatchObject({ code: 0 });
    world.scenario.settle();
    world.scenario.forget();
  });

  it.each(shareOf(forgeries, 6))("is not replaced by a forgery: %s", async (_, forge) => {
    const { scenario, server } = world;
    const good = await world.plan(7, "2");
    const [{ author = "" } = {}] = server.comments;
    const forged = await forge(good, world);
    expect(forged).not.toBe(good);
    expect(forged).not.toContain("no record");
    for (const value of ["evil", "2"]) {
      server.comments.length = 0;
      server.addComment("pull 7", author, forged);
      expect(await world.apply(7, value)).toMatchObject({ code: 5 });
    }
    expect(scenario.requests()).toEqual([]);
    server.comments.length = 0;
    server.addComment("pull 7", author, good);
    expect(await world.apply(7, "2")).toMatchObject({ code: 0 });
  });

  it("is used once: a job that runs again after a revert does not undo the revert", async () => {
    await world.plan(7, "2");
    expect(await world.apply(7, "2")).toMatchObject({ code: 0 });
    await world.plan(8, "1");
    expect(await world.apply(8, "1")).toMatchObject({ code: 0 });
    world.scenario.forget();
    const again = await world.apply(7, "2");
    expect(again).toMatchObject(failing(5, "was applied already"));
    expect(again.stderr).not.toContain("expected digest");
    expect(world.scenario.requests()).toEqual([]);
    // The same change again, reviewed again: by a pull request, or by the digest of the refused apply.
    await world.plan(9, "2");
    expect(await world.apply(9, "2")).toMatchObject({ code: 0 });
    await world.plan(8, "1");
    expect(await world.apply(8, "1")).toMatchObject({ code: 0 });
    expect(await world.apply(7, "2")).toMatchObject({ code: 5 });
    const [, digest = ""] = /--expect-digest (\w+)/.exec(world.comment(7, "apply")) ?? [];
    expect(await world.apply(7, "2", "--expect-digest", digest)).toMatchObject({ code: 0 });
  });

  it("is no longer continued once a later pull request was applied over what it left", async () => {
    await world.plan(7, "2");
    world.scenario.emulator.store.failNextDeployment("*");
    expect(await world.apply(7, "2")).toMatchObject({ code: 7 });
    await world.plan(8, "1");
    expect(await world.apply(8, "1")).toMatchObject({ code: 0 });
    world.scenario.forget();
    expect(await world.apply(7, "2")).toMatchObject({ code: 5 });
    expect(world.scenario.requests()).toEqual([]);
  });

  it("is refused once the state has forgotten what ran since", async () => {
    await world.plan(7, "2");
    const path = ".rnv/production/state.json";
    const state = JSON.parse(world.scenario.read(path));
    const history = Array.from({ length: 50 }, (_, at) => ({
      ...state.history[0],
      id: `${at}`,
      digest: "d",
    }));
    world.scenario.write(path, JSON.stringify({ ...state, history }));
    expect(await world.apply(7, "2")).toMatchObject(
      failing(5, "was reviewed before the 50 runs that the state remembers"),
    );
    await world.plan(7, "2");
    expect(await world.apply(7, "2")).toMatchObject({ code: 0 });
  });
});
