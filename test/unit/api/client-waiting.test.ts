import { join } from "node:path";
import { casesIn } from "../../support/rows";
import { answer, creation, failure, keyedWrite, type Reply, read, scriptedClient } from "./scripted-client";

const done = answer(200, { ok: true });
const limited = (seconds: number) => answer(429, {}, { "retry-after": String(seconds) });
const start = 1_000_000;
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Replies given by hand: requests stay in flight until `release`. */
function heldReplies() {
  const held: ((reply: Reply) => void)[] = [];
  const reply: Reply = () =>
    new Promise((resolve, reject) => {
      held.push((given) => (given instanceof Error ? reject(given) : resolve(given as typeof done)));
    });
  return { reply, held };
}

describe("the gate of a 429", () => {
  it("holds every request until Retry-After has passed in full", async () => {
    let limits = 0;
    const { client, times } = scriptedClient(() => {
      limits += 1;
      return limits === 2 ? limited(7) : done;
    });
    await Promise.all(Array.from({ length: 12 }, () => client.send(read)));
    const before = times.filter((time) => time < start + 7000);
    expect(times).toHaveLength(13);
    // Those that were in flight together with the limited one, and the two that took the first one's place.
    expect(before.length).toBeLessThanOrEqual(6);
    expect(before.every((time) => time === start)).toBe(true);
  });

  it.each([
    [5, 140, 10],
    [1, 700, 45],
  ])("of %i s slows no run of %i requests beyond %i s", async (retryAfter, count, seconds) => {
    const { client, times } = scriptedClient((_, index) => (index === 10 ? limited(retryAfter) : done));
    await Promise.all(Array.from({ length: count }, () => client.send(read)));
    expect(Math.max(...times)).toBeLessThan(start + seconds * 1000);
  });

  it("waits a second, then longer, when the service does not say how long", async () => {
    const { client, times } = scriptedClient([answer(429), answer(429, {}, { "retry-after": "soon" }), done]);
    await client.send(read);
    expect(times).toEqual([start, start + 1000, start + 3000]);
  });

  it.each(casesIn<[string, Record<string, string>, number]>(join(__dirname, "retry-after.json")))(
    "is closed for as long as Retry-After says: %s",
    async (_what, headers, seconds) => {
      const { client, times, waits } = scriptedClient([answer(429, {}, headers), done]);
      await client.send(read);
      expect(times).toEqual([start, start + seconds * 1000]);
      expect(waits).toEqual([{ reason: "rate limited", seconds, operation: "listProjects" }]);
    },
  );

  it.each(["301", "99999999999", "9".repeat(400)])(
    "is not waited for where that is too long: %s s",
    async (text) => {
      const { client, sent, clock } = scriptedClient([answer(429, {}, { "retry-after": text }), done]);
      await expect(client.send(read)).rejects.toMatchObject({ kind: "unavailable", status: 429 });
      await expect(client.send(keyedWrite)).rejects.toMatchObject({ code: "rate_limited", attempts: 0 });
      await expect(client.send(keyedWrite)).rejects.toThrow(
        /^rate limited: the platform asks to wait \d{3,9} s$/,
      );
      expect(sent).toHaveLength(1);
      expect(clock.now()).toBe(start);
    },
  );

  it("ends a request at once when it is longer than the deadline, and those that wait in line", async () => {
    const { client, sent, clock } = scriptedClient([limited(301)], {
      deadlineMs: 300_000,
      maxConcurrency: 1,
    });
    const failed = { kind: "unavailable" };
    const all = [read, keyedWrite, creation].map((request) => client.send(request));
    for (const one of all) await expect(one).rejects.toMatchObject(failed);
    await expect(client.send(read)).rejects.toMatchObject({ ...failed, code: "rate_limited", attempts: 0 });
    expect(sent).toHaveLength(1);
    expect(clock.now()).toBe(start);
  });
});

describe("adaptive concurrency", () => {
  it("starts at 4, doubles with each window of clean answers, halves once for one burst, and then grows by one", async () => {
    const { reply, held } = heldReplies();
    const { client } = scriptedClient([reply]);
    const all = Array.from({ length: 60 }, () => client.send(read));
    const answerAll = async (given: Reply) => {
      for (const release of held.splice(0)) release(given);
      for (let i = 0; i < 5; i += 1) await tick();
      return held.length;
    };
    await tick();
    expect(held).toHaveLength(4);
    expect(await answerAll(done)).toBe(8);
    expect(await answerAll(answer(503))).toBe(4);
    expect(await answerAll(answer(503))).toBe(2);
    expect(await answerAll(done)).toBe(3);
    expect(await answerAll(done)).toBe(4);
    expect(await answerAll(limited(1))).toBe(2);
    for (let left = 60; left > 0 && held.length > 0; left -= 1) await answerAll(done);
    await Promise.all(all);
  });

  it.each<[string, Reply, number]>([
    ...[200, 400, 404, 499].map((status): [string, Reply, number] => [`${status}`, answer(status), 8]),
    ...[500, 502, 504, 599].map((status): [string, Reply, number] => [`${status}`, answer(status), 4]),
    ["no answer", failure("ECONNRESET"), 4],
    ["503", answer(503), 2],
  ])("grows with what was answered, and shrinks with overload alone: %s", async (_, reply, following) => {
    const script = heldReplies();
    const { client } = scriptedClient([script.reply]);
    const all = Array.from({ length: 12 }, () => client.send(creation).catch(() => undefined));
    await tick();
    for (const release of script.held.splice(0)) release(reply);
    for (let i = 0; i < 5; i += 1) await tick();
    expect(script.held).toHaveLength(following);
    for (let i = 0; i < 30; i += 1) {
      for (const release of script.held.splice(0)) release(done);
      await tick();
    }
    await Promise.all(all);
  });

  it("lets a request that was sent before go ahead of those that never were", async () => {
    const { client, sent } = scriptedClient((_, index) => (index === 0 ? limited(1) : done), {
      maxConcurrency: 1,
    });
    const paths = ["/first", "/second", "/third"];
    await Promise.all(paths.map((path) => client.send({ ...read, path })));
    expect(sent.map((request) => new URL(request.url).pathname.slice("/api/v1".length))).toEqual([
      "/first",
      ...paths,
    ]);
  });
});

describe("the deadline of a request", () => {
  it("ends a backoff that would outlast it, without waiting", async () => {
    const slow = answer(503, {}, { "retry-after": "6" });
    const { client, times, clock } = scriptedClient([slow], { deadlineMs: 10_000 });
    await expect(client.send(keyedWrite)).rejects.toMatchObject({ kind: "uncertain", attempts: 2 });
    expect(times).toEqual([start, start + 6000]);
    expect(clock.now()).toBe(start + 6000);
  });
});

describe("the last moment of a request", () => {
  it("is in time for another attempt", async () => {
    const slow = answer(503, {}, { "retry-after": "5" });
    const { client, times } = scriptedClient([slow, done], { deadlineMs: 5000 });
    await expect(client.send(keyedWrite)).resolves.toMatchObject({ status: 200 });
    expect(times).toEqual([start, start + 5000]);
  });
});

describe("an aborted signal", () => {
  const reason = new Error("stopped");

  it.each([
    ["at the gate", limited(60)],
    ["in backoff", answer(503, {}, { "retry-after": "60" })],
  ])("ends a wait %s", async (_where, reply) => {
    const stop = new AbortController();
    const { client, sent } = scriptedClient([reply], {
      onWait: () => queueMicrotask(() => stop.abort(reason)),
    });
    await expect(client.send(read, stop)).rejects.toMatchObject({ kind: "unavailable", code: "aborted" });
    expect(sent).toHaveLength(1);
  });

  it("ends a wait in line, where nothing was sent yet, and leaves the others in line", async () => {
    const { reply, held } = heldReplies();
    const { client, sent } = scriptedClient([reply], { maxConcurrency: 1 });
    const stop = new AbortController();
    const first = client.send(read);
    const second = client.send(keyedWrite, stop);
    const third = client.send(read);
    stop.abort(reason);
    await expect(second).rejects.toMatchObject({ kind: "unavailable", code: "aborted", attempts: 0 });
    for (let i = 0; i < 4; i += 1) {
      await tick();
      for (const release of held.splice(0)) release(done);
    }
    await Promise.all([first, third]);
    expect(sent).toHaveLength(2);
  });

  it("cuts a GET in flight, never a write", async () => {
    const stop = new AbortController();
    const { client, sent } = scriptedClient([
      (request) =>
        new Promise((resolve, reject) => {
          request.signal?.addEventListener("abort", () => reject(request.signal?.reason));
          if (request.method !== "GET") setImmediate(() => resolve(done));
        }),
    ]);
    const get = client.send(read, stop);
    const write = client.send(keyedWrite, stop);
    await tick();
    stop.abort(reason);
    await expect(get).rejects.toMatchObject({ kind: "unavailable", code: "aborted" });
    await expect(write).resolves.toMatchObject({ status: 200 });
    expect(sent).toHaveLength(2);
  });
});
