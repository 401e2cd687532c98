import { join } from "node:path";
import type { CodeHost } from "../../../src/api/code-host/create-host";
import type { Clock } from "../../../src/model/time";
import { type CodeHostServer, hostTokens, serveCodeHost } from "../../support/code-host-server";
import type { StateAnswer } from "../../support/http-state-server";
import { casesIn } from "../../support/rows";

const marker = "<!-- rnv plan manifest=rnv.yaml stage= -->";
const pull = { kind: "pull request", number: 7 } as const;

/** A clock on which every pause is over at once, and is remembered. */
function hurriedClock(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  let passed = 0;
  const sleep = async (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    passed += milliseconds;
  };
  return { pauses, now: () => 1_800_000_000_000 + passed, elapsed: () => passed, sleep };
}

describe.each(["github", "gitlab"] as const)("%s", (platform) => {
  let server: CodeHostServer;
  let host: CodeHost;
  let clock: ReturnType<typeof hurriedClock>;
  beforeEach(async () => {
    server = await serveCodeHost(platform);
    clock = hurriedClock();
    host = server.open({ clock });
  });
  afterEach(async () => {
    await host.close();
    await server.close();
  });
  const bodies = () => server.comments.map(({ body }) => body);
  const posts = () => server.seen.filter(({ method }) => method === "POST").length;

  it("finds its own comment behind 250 others, never a comment of another account", async () => {
    server.addComment("pull 7", "mallory", `${marker}\nnot ours`);
    for (let i = 0; i < 250; i += 1)
      server.addComment("pull 7", i % 2 ? "alice" : "atlantis[bot]", `text ${i}`);
    server.addComment("pull 8", "bob", marker);
    const written = await host.writeComment(pull, `${marker}\nfirst`);
    expect(await host.findComments(pull)).toEqual([written]);
    await host.rewriteComment(pull, written.id, `edited by hand\r\n\r\n${marker}\r\nsecond`);
    expect((await host.findComments(pull)).map(({ id }) => id)).toEqual([written.id]);
    expect(bodies().filter((body) => body.includes("first"))).toEqual([]);
    expect(bodies()).toContain(`${marker}\nnot ours`);
  });

  if (platform === "github")
    it("says how to name the account that wrote a text", async () => {
      const other = server.open({ clock, author: "app-of-ours[bot]" });
      const hint = "set RNV_COMMENT_AUTHOR=github-actions[bot] in the jobs";
      const told = { diagnostics: [{ severity: "warning", hint }] };
      await expect(other.writeComment(pull, marker)).rejects.toMatchObject(told);
      await expect(other.openIssue({ title: "Drift", body: marker })).rejects.toMatchObject(told);
      await other.close();
    });

  it.each(["reset", "status"] as const)(
    "writes a comment once when the answer is lost (%s)",
    async (kind) => {
      let lost = 0;
      server.fault = ({ method }) => {
        if (method !== "POST" || lost > 0) return undefined;
        lost += 1;
        return kind === "reset" ? { kind, after: true } : { kind, status: 502, after: true };
      };
      await host.writeComment(pull, `${marker}\nplan`);
      expect(bodies()).toEqual([`${marker}\nplan`]);
      expect(posts()).toBe(1);
    },
  );

  it.each(casesIn<[string, StateAnswer, number]>(join(__dirname, "limits-of-hosts.json")))(
    "waits as long as a limit says: %s",
    async (_, refused, pause) => {
      let asked = 0;
      server.refuse = ({ method }) => (method === "POST" && asked++ === 0 ? refused : undefined);
      await host.writeComment(pull, `${marker}\nplan`);
      expect({ pauses: clock.pauses, bodies: bodies() }).toEqual({
        pauses: [pause],
        bodies: [`${marker}\nplan`],
      });
    },
  );

  it("gives up on a limit that lasts longer than a job", async () => {
    server.refuse = () => ({ status: 429, headers: { "retry-after": "3600" } });
    await expect(host.findComments(pull)).rejects.toMatchObject({
      kind: "unavailable",
      hint: expect.stringContaining("limits how many requests"),
    });
  });

  it("gives up on a refusal without showing the token, and on answers of another form", async () => {
    const echoed = JSON.stringify({ message: `no access for ${hostTokens[platform]}` });
    server.refuse = () => ({ status: 403, body: echoed });
    const refused = await host.writeComment(pull, marker).catch((cause: Error) => cause);
    expect(refused).toMatchObject({ kind: "refused", status: 403, message: "no access for (sensitive)" });
    const hints = {
      403: /api|permissions/,
      404: /api|permissions/,
      401: /^check the token/,
      422: /^mend what/,
    };
    for (const [status, hint] of Object.entries(hints)) {
      server.refuse = () => ({ status: Number(status), body: echoed });
      const told = { hint: expect.stringMatching(hint) };
      await expect(host.rewriteComment(pull, "1", marker)).rejects.toMatchObject(told);
    }
    server.refuse = () => ({ status: 200, body: "[{}]" });
    await expect(host.findComments(pull)).rejects.toMatchObject({ kind: "malformed" });
  });

  it.each(["1", "2"])(
    "waits for the pull requests of a push once, not for each commit: %s",
    async (first) => {
      const commits = [first, "3"].map((digit) => digit.repeat(40));
      const known = { commits: ["1".repeat(40)], mergeCommit: "1".repeat(40), commit: "1".repeat(40) };
      server.pulls.push({ number: 7, branch: "b", isOpen: false, ...known });
      const found = [];
      for (const commit of commits) found.push((await host.pullRequestsOf(commit)).length);
      expect(found).toEqual(first === "1" ? [1, 0] : [0, 0]);
      const pauses = platform === "github" ? [1000, 2000, 4000, 6000, 7000] : [];
      expect(clock.pauses).toEqual(pauses);
    },
  );

  it("opens an issue once when the answer is lost", async () => {
    let lost = 0;
    server.fault = ({ method }) =>
      method === "POST" && lost++ === 0 ? { kind: "reset", after: true } : undefined;
    await host.openIssue({ title: "Drift", body: marker });
    expect(server.issues).toHaveLength(1);
  });
});
