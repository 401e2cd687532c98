import type { Transport } from "../../../src/api/transport";
import { deliver } from "../../../src/commands/ci/webhook";

/** What becomes of a webhook that answers so: with a status, or a failure of the way there. */
async function delivered(answers: readonly (number | { code: string })[]) {
  let tries = 0;
  const pauses: number[] = [];
  const transport: Transport = {
    send: async () => {
      const answer = answers[Math.min(tries, answers.length - 1)] ?? 200;
      tries += 1;
      if (typeof answer === "object") throw Object.assign(new Error("x"), answer);
      return { status: answer, headers: {}, body: "" } as never;
    },
    close: async () => undefined,
  };
  const clock = { sleep: async (milliseconds: number) => void pauses.push(milliseconds) };
  const request = {
    method: "POST",
    url: "https://hooks.example.com/T0/token?x=1",
    headers: {},
    body: '{"text":"ü"}',
  };
  return { problem: await deliver(request, transport, clock), tries, pauses };
}

describe("a webhook", () => {
  it.each([[500], [503], [429], [{ code: "ECONNRESET" }]])("is tried five times: %j", async (answer) => {
    const { tries, pauses, problem } = await delivered([answer]);
    expect(tries).toBe(5);
    expect(pauses).toHaveLength(4);
    expect(problem).toEqual(expect.any(String));
    expect(problem).not.toContain("token");
  });

  it("is done as soon as it takes it", async () => {
    expect(await delivered([502, 200])).toMatchObject({ tries: 2, problem: undefined });
  });

  it.each([[400], [404], [301], [{ code: "CERT_HAS_EXPIRED" }], [{ code: "ERR_INVALID_CHAR" }]])(
    "is not tried again where that changes nothing: %j",
    async (answer) => {
      const { tries, pauses, problem } = await delivered([answer]);
      expect({ tries, pauses }).toEqual({ tries: 1, pauses: [] });
      expect(problem).toBeDefined();
    },
  );
});
