import type * as answer from "../../../src/terraform/answer";
import { createLog, loggedCall, loggedTransport } from "../../../src/terraform/log";

const clock = { now: () => Date.UTC(2026, 0, 2), elapsed: () => 0, sleep: async () => {} };

function logOf(environment: Readonly<Record<string, string | undefined>>) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(environment, clock, (line) => {
    expect(line.endsWith("}\n")).toBe(true);
    lines.push(JSON.parse(line));
  });
  return { log, lines };
}

describe("the log of the plugin", () => {
  it("writes lines that go-plugin reads, of the asked level and above", () => {
    const { log, lines } = logOf({ TF_LOG_PROVIDER: "info" });
    log("http", "debug", "too fine");
    log("wait", "info", "waiting", { seconds: 2 });
    expect(lines).toEqual([
      {
        ...{ "@level": "info", "@message": "waiting", "@module": "rnv.wait" },
        ...{ "@timestamp": "2026-01-02T00:00:00.000000Z", seconds: 2 },
      },
    ]);
  });

  it("writes nothing unless asked, and one subsystem as it is asked for", () => {
    for (const environment of [{}, { TF_LOG: "off" }, { TF_LOG_CORE: "trace" }]) {
      const { log, lines } = logOf(environment);
      log("rpc", "error", "x");
      expect(lines).toEqual([]);
    }
    const { log, lines } = logOf({ TF_LOG: "trace", TF_LOG_PROVIDER_RNV_RPC: "off" });
    log("rpc", "error", "x");
    log("http", "trace", "y");
    expect(lines.map((line) => line["@module"])).toEqual(["rnv.http"]);
  });

  it("reports a request by its ID and its result, never a header, a query or a body", async () => {
    const { log, lines } = logOf({ TF_LOG: "JSON" });
    const answers = [200, 503, undefined];
    const transport = loggedTransport(
      {
        close: async () => {},
        send: async () => {
          const status = answers.shift();
          if (status === undefined) throw Object.assign(new Error("hidden"), { reason: "broken" });
          return { status, headers: {}, body: "hidden" };
        },
      },
      log,
      clock,
    );
    const request = {
      ...{ method: "POST", url: "https://api.example.com/api/v1/services?q=hidden", body: "hidden" },
      headers: { authorization: "Bearer hidden", "x-request-id": "rnv-abc.1" },
    };
    await transport.send(request);
    await transport.send(request);
    await expect(transport.send(request)).rejects.toThrow("hidden");
    expect(JSON.stringify(lines)).not.toContain("hidden");
    const ended = lines.filter((line) => line["@level"] !== "trace");
    expect(ended.map((line) => [line["@level"], line.status ?? line.reason, line.request_id])).toEqual([
      ["debug", 200, "rnv-abc.1"],
      ["warn", 503, "rnv-abc.1"],
      ["warn", "broken", "rnv-abc.1"],
    ]);
    expect(lines[0]).toMatchObject({ method: "POST", path: "/api/v1/services" });
  });

  it("reports a call and what it found", async () => {
    const { log, lines } = logOf({ TF_LOG: "debug" });
    const answer = { diagnostics: [{ severity: 1 }, { severity: 2 }, { severity: 2 }] };
    const call = { method: "PlanResourceChange", typeName: "rnv_service" };
    expect(await loggedCall(log, clock, call, async () => answer)).toBe(answer);
    expect(lines).toMatchObject([
      { rpc: "PlanResourceChange", resource_type: "rnv_service", errors: 1, warnings: 2, "@level": "warn" },
    ]);
  });

  it("reports a call that is answered by events, too", async () => {
    const written = jest.spyOn(process.stderr, "write").mockReturnValue(true);
    const { TF_LOG_PROVIDER: before = "" } = process.env;
    process.env.TF_LOG_PROVIDER = "debug";
    // A process reads its level once: for the calls of other tests there is another log.
    await jest.isolateModulesAsync(async () => {
      const { answerStream } = require("../../../src/terraform/answer") as typeof answer;
      const asked = { typeName: "rnv_restart", config: null };
      const { signal } = new AbortController();
      await answerStream("InvokeAction", asked, { send: async () => {}, signal });
    });
    process.env.TF_LOG_PROVIDER = before;
    const lines = written.mock.calls.map(([line]) => JSON.parse(`${line}`));
    written.mockRestore();
    expect(lines).toMatchObject([{ rpc: "InvokeAction", resource_type: "rnv_restart", errors: 1 }]);
  });
});
