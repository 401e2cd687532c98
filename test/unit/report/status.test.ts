import { join } from "node:path";
import stringWidth from "string-width";
import type { Address } from "../../../src/model/address";
import type { Release, RunningService } from "../../../src/report/documents";
import { releasesText, statusText } from "../../../src/report/runtime-text";
import { plainStyle } from "../../../src/report/style";
import { exactTime, timeAgo } from "../../../src/report/time-text";
import { expectText } from "../../support/expected-text";
import { casesIn } from "../../support/rows";

const now = Date.parse("2026-11-22T12:00:00Z");
const at = (text: string): Address => text as Address;
const release = (more: Partial<Release> = {}): Release => ({
  id: "d1",
  status: "live",
  serves: true,
  cancelRequested: false,
  canRollback: false,
  branch: "main",
  finishedAt: "2026-11-22T09:30:00Z",
  ...more,
});
const service = (address: string, more: Partial<RunningService> = {}): RunningService => ({
  address: at(address),
  id: "s1",
  name: address.slice(address.lastIndexOf(".") + 1),
  runs: "release",
  archived: false,
  health: "ready",
  release: release(),
  standing: [],
  ...more,
});

describe("a moment", () => {
  it.each(casesIn<[string, string]>(join(__dirname, "times-ago.json")))("%j is %s", (iso, ago) => {
    expect(timeAgo(iso, now)).toBe(ago);
  });

  it("is exact to the second, in UTC", () => {
    expect(exactTime("2026-11-22T13:00:00.123+01:00")).toBe("2026-11-22 12:00:00Z");
  });
});

describe("the status", () => {
  const services = [
    service("service.shop.web", {
      runs: "suspended",
      health: "unknown",
      standing: [{ code: "suspended", class: "running", summary: "suspended" }],
    }),
    service("service.shop.api", {
      release: release({ commit: "3f2a91c0b7de".repeat(4) }),
      standing: [
        {
          code: "failed",
          class: "pending",
          summary: "deployment d2 failed: no\u001b[2J",
          since: "2026-11-22T11:55:00Z",
        },
      ],
    }),
    service("service.cron", { runs: "nothing", archived: true, release: undefined }),
    service("service.old", { runs: "gone", health: undefined, release: undefined }),
    service("service.lost", {
      runs: "unknown",
      health: undefined,
      release: undefined,
      reason: "the platform offers no way to read one service",
    }),
  ];

  it("is one line a service, with its faults below it, and a count", () => {
    expectText(join(__dirname, "expected/status.txt"), statusText(services, now, plainStyle));
  });

  it("stays aligned where text is two columns wide", () => {
    const wide = [service("service.a", { health: "準備完了" }), service("service.b", { health: "ok" })];
    const columns = statusText(wide, now, plainStyle)
      .split("\n")
      .slice(1, 3)
      .map((line) => stringWidth(line.slice(0, line.indexOf("main"))));
    expect(new Set(columns).size).toBe(1);
  });
});

describe("the deployments of a service", () => {
  const list = (deployments: readonly Release[], more: object = {}) =>
    releasesText({ address: at("service.shop.api"), deployments, hasMore: false, ...more }, now, plainStyle);

  it("say why the list is empty, and that older deployments exist", () => {
    expect(list([], { reason: "hosting is disabled" })).toBe(
      "service.shop.api has no deployments: hosting is disabled.\n",
    );
    expect(list([release()], { hasMore: true })).toContain("There are older ones: -limit 200 shows more.\n");
  });

  it("name the way back only where a release is marked", () => {
    const serving = release({ canRollback: true });
    expect(list([serving])).not.toContain("*");
    expect(list([serving, release({ serves: false, canRollback: true })])).toMatch(/live \*[\s\S]*marked \*/);
  });

  it("say why a deployment waits or failed, and which release it brought back", () => {
    const text = list([
      release({ status: "queued", blockedReason: "the workspace builds another" }),
      release({ status: "failed", error: "the build ended with 1" }),
      release({ sourceDeploymentId: "d0" }),
    ]);
    expect(text).toContain("\n    waits: the workspace builds another\n");
    expect(text).toContain("\n    the build ended with 1\n");
    expect(text).toContain("\n    rolled back to the release of d0\n");
  });
});
