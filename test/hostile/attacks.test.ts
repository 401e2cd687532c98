import { embeddedApiKey } from "../../src/emulator/emulator";
import { shareOf } from "../support/soak";
import { Arena, type Attack, canary, type Outcome } from "./arena";
import { attacks } from "./attacks";
import { commandsIn, hiddenIn } from "./inertness";

jest.setTimeout(300_000);

const megabytes = 1024;
const played = shareOf(attacks, 8);
/**
 * What an attack may cost: so many times the processor time of a manifest of one line. The dearest takes about six on an
 * idle machine, and a cost that grows with the square of the text hundreds.
 */
const mostTimes = 20;
const harmless: Attack = {
  title: "a manifest of one line",
  files: { "rnv.yaml": "services: { api: { kind: web } }\n" },
  args: ["validate"],
  says: /valid/,
  codes: [0],
};
const arena = new Arena();
let harmlessMs = 0;
const outcomes = new Map<string, Promise<Outcome>>();

/** Three at a time: most of each is waiting. */
beforeAll(async () => {
  await arena.open();
  const usual = await Promise.all([harmless, harmless, harmless].map((one) => arena.run(one)));
  harmlessMs = Math.max(...usual.map(({ cpuMs }) => cpuMs));
  const waiting = [...played];
  const work = async (): Promise<void> => {
    for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift()) {
      const outcome = arena.run(attack);
      outcomes.set(attack.title, outcome);
      await outcome.catch(() => undefined);
    }
  };
  await Promise.all([work(), work(), work()]);
});
afterAll(() => arena.close());

it("there are at least sixty attacks, each once", () => {
  expect(new Set(attacks.map(({ title }) => title)).size).toBe(attacks.length);
  expect(attacks.length).toBeGreaterThanOrEqual(60);
});

describe("a clean end, where", () => {
  it.each(played)("$title", async ({ title, says, codes = [1] }) => {
    const { code, text, cpuMs, rssKb, foreign } = (await outcomes.get(title)) as Outcome;
    expect(text).not.toMatch(/this is a bug in rnv|\n\s+at .*:\d+:\d+\)?\n/i);
    expect(codes).toContain(code);
    expect(text).toMatch(says);
    expect(text).not.toContain(canary);
    expect(text).not.toMatch(/root:x:|CANARY/);
    expect(text).not.toContain(embeddedApiKey);
    expect(text.length).toBeLessThan(1024 * 1024);
    expect([hiddenIn(text), commandsIn(text)]).toEqual([[], []]);
    expect(foreign).toBe(0);
    expect(cpuMs).toBeLessThan(mostTimes * harmlessMs);
    expect(rssKb).toBeLessThan(256 * megabytes);
  });
});
