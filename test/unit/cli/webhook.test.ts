import type { Transport } from "../../../src/api/transport";
import { deliver, readWebhook } from "../../../src/cli/verbs/ci-drift";

const webhook = readWebhook("https://hooks.example.com/T0/token?x=1");

/** What a webhook is sent while it answers so: a status, headers, or a failure of the way there. */
async function delivered(
  answers: readonly (number | { status: number; headers: Record<string, string> } | { code: string })[],
) {
  const seen: { method: string; url: string; headers: Record<string, unknown>; body: unknown }[] = [];
  const pauses: number[] = [];
  const transport: Transport = {
    send: async ({ method, url, headers, body }) => {
      const answer = answers[Math.min(seen.length, answers.length - 1)] ?? 200;
      seen.push({ method, url, headers: { ...headers }, body });
      if (typeof answer === "object" && "code" in answer) throw Object.assign(new Error("x"), answer);
      const { status, headers: sent = {} } =
        typeof answer === "number" ? { status: answer } : (answer as { status: number; headers: object });
      return { status, headers: sent, body: "" } as never;
    },
    close: async () => undefined,
  };
  const clock = { sleep: async (milliseconds: number) => void pauses.push(milliseconds) };
  const request = { method: "POST", url: webhook.href, headers: {}, body: '{"text":"ü"}' };
  const problem = await deliver(request, transport, clock);
  return { seen, pauses, problem };
}

describe("a webhook", () => {
  it.each([[500], [503], [429], [{ code: "ECONNRESET" }]])("is tried five times: %j", async (answer) => {
    const { seen, pauses, problem } = await delivered([answer]);
    expect(seen).toHaveLength(5);
    expect(pauses).toHaveLength(4);
    expect(problem).toEqual(expect.any(String));
    expect(problem).not.toContain("token");
  });

  it("is done as soon as it takes it", async () => {
    expect(await delivered([502, 200])).toMatchObject({ seen: { length: 2 }, problem: undefined });
  });

  it.each([[400], [404], [301], [{ code: "CERT_HAS_EXPIRED" }], [{ code: "ERR_INVALID_CHAR" }]])(
    "is not tried again where that changes nothing: %j",
    async (answer) => {
      const { seen, pauses, problem } = await delivered([answer]);
      expect({ tries: seen.length, pauses }).toEqual({ tries: 1, pauses: [] });
      expect(problem).toBeDefined();
    },
  );
});
