import { join } from "node:path";
import { type Diagnostic, SourceFile } from "../../src/diagnostics/diagnostic";
import type { Address } from "../../src/model/address";
import type { PastRun } from "../../src/model/state";
import { planDocument } from "../../src/plan/document";
import { type DriftJob, type DriftReport, driftReport, type StageDrift } from "../../src/plan/drift";
import type { Plan } from "../../src/plan/plan";
import { codeQuality, githubAnnotations, junit, planSuite } from "../../src/report/ci/artifacts";
import { applyComment, failedPlanComment, planComment } from "../../src/report/ci/comment";
import {
  driftIssue,
  driftJobJson,
  driftJobMarkdown,
  driftJobText,
  webhookBody,
} from "../../src/report/ci/drift-job";
import { diagnosticsText } from "../../src/report/diagnostics";
import {
  deploymentsDocument,
  diagnosticData,
  eventDocument,
  type Release,
  type ReleaseList,
  type RunningService,
  statusDocument,
  versioned,
} from "../../src/report/documents";
import { driftJson, driftMarkdown, driftText } from "../../src/report/drift-report";
import { escapeHtml, escapeJson, jsonText } from "../../src/report/escape-text";
import { eventText } from "../../src/report/events";
import { graphDot, graphMermaid } from "../../src/report/graph-text";
import { historyText } from "../../src/report/history-text";
import { planMarkdown, planText } from "../../src/report/plan-text";
import { oneStatusText, releasesText, statusText } from "../../src/report/runtime-text";
import { stateJson, stateMarkdown, stateText } from "../../src/report/state-list";
import { plainStyle } from "../../src/report/style";
import { emptyState } from "../../src/state/recorded";
import { absent, change, field, plan, value } from "../support/plan-fixture";
import { casesIn } from "../support/rows";
import { commandsIn, hiddenIn, outsideCode } from "./inertness";

/** Pieces that each mean something to a terminal, a runner, Markdown or a browser; every pair of them is tried. */
const pieces = casesIn<string>(join(__dirname, "pieces.json"));
const texts = pieces.flatMap((a) => pieces.map((b) => `${a}${b}`));

const standing = (text: string, of: Plan["standing"][number]["class"]): Plan["standing"][number] => ({
  address: "service.a" as Address,
  code: "waiting",
  class: of,
  summary: text,
  since: text,
});

const planOf = (text: string): Plan =>
  plan(
    [
      change("update", "service.a", {
        id: text,
        liveName: text,
        reason: text,
        attributes: [field("configuration.branch", value(text), value(`${text}!`))],
      }),
      change("adopt", "project.b", { id: text, liveName: text }),
    ],
    {
      outputs: [{ name: "o", before: absent, after: value(text) }],
      unmanaged: [{ type: "service", id: text, name: text }],
      standing: [standing(text, "running"), standing(text, "pending")],
      unchecked: [{ address: "service.a" as Address, reason: text }],
    },
  );
const finding = (text: string): Diagnostic[] => [
  {
    severity: "error",
    code: "api.refused",
    summary: text,
    detail: text,
    hint: text,
    requestId: text,
    address: text,
    range: new SourceFile(text, text).range(0, 1),
  },
];
const stateOf = (text: string) => ({
  ...emptyState({ lineage: text, workspaceId: text, baseUrl: text }),
  resources: {
    ["service.a" as Address]: {
      type: "service",
      id: text,
      name: text,
      dependsOn: [],
      applied: { branch: text },
      computed: { url: text },
      preventDestroy: false,
      onRemove: "delete" as const,
      writes: 1,
    },
  },
});
const driftOf = (text: string): DriftReport =>
  driftReport(planOf(text), {
    unmanaged: [{ type: "variable", id: text, name: text, within: "service.a" as Address }],
    undeclared: [
      { address: "service.a" as Address, path: "configuration.branch", value: text, default: text },
    ],
    unchecked: [{ address: "service.b" as Address, reason: text }],
  });
const releaseOf = (text: string): Release => ({
  id: text,
  status: text,
  serves: false,
  branch: text,
  commitMessage: text,
  actor: text,
  error: text,
  createdAt: text,
  finishedAt: text,
  cancelRequested: false,
  canRollback: true,
});
const runningOf = (text: string): RunningService => ({
  address: "service.a" as Address,
  id: text,
  name: text,
  runs: "release",
  reason: text,
  archived: false,
  url: text,
  status: text,
  health: text,
  healthCheckedAt: text,
  release: releaseOf(text),
  latest: releaseOf(text),
  standing: [standing(text, "running")],
});
const releasesOf = (text: string): ReleaseList => ({
  address: "service.a" as Address,
  deployments: [releaseOf(text)],
  hasMore: true,
  reason: text,
});

const event = (text: string) =>
  ({
    type: "waiting",
    address: "service.a" as Address,
    action: "update",
    elapsedSeconds: 1,
    status: text,
    note: text,
  }) as const;

const stageOf = (text: string): StageDrift => ({
  ...{ stage: text, stack: text, exitCode: 2, seconds: 1, recordedIds: [] },
  ...{ report: driftOf(text), diagnostics: finding(text) },
});
const jobOf = (text: string): DriftJob => ({
  ...{ manifest: text, at: "2026-01-01T00:00:00.000Z", seconds: 1, commit: text, exitCode: 2 },
  stages: [stageOf(text), { ...stageOf(text), report: undefined as never, exitCode: 1 }],
});
const issueOf = (text: string) => driftIssue(stageOf(text), jobOf(text), "pull request");
const bodyOf = (text: string): string => {
  const { marker, body = "", farewell } = issueOf(text);
  return body.replace(marker, "") + farewell;
};
const runOf = (text: string): PastRun => ({
  ...{ id: text, startedAt: text, command: text, by: text, commit: text, job: text, digest: text },
});

/** Every comment of a job, of something and in a place that an attacker names. */
const commentsOf = (text: string): string => {
  const place = { manifest: text, stage: text, stack: text };
  const comment = { ...place, commit: text, pullWord: "pull request", limit: 65_536 };
  const applied = { exitCode: 3, diagnostics: finding(text) };
  const unreviewed = finding(text).map((found) => ({ ...found, code: "plan.digest" as const }));
  const refused = { exitCode: 5, plan: planOf(text), diagnostics: unreviewed };
  return [
    planComment(planOf(text), comment),
    failedPlanComment(finding(text), comment),
    applyComment(applied, comment),
    applyComment(refused, comment),
    applyComment({ ...refused, differences: [{ address: text, kind: "new" }] }, comment),
  ]
    .map((comment) => comment.replace(/^<!-- rnv [\w =%.!'()*~-]*-->$/gm, ""))
    .join("\n");
};
const reportsOf = (text: string): string => {
  const suites = [planSuite(planOf(text), text, 1), planSuite({ diagnostics: finding(text) }, text, 1)];
  return junit(suites) + codeQuality([{ diagnostics: finding(text) }], (file) => file);
};

const lines = { text: planText, markdown: planMarkdown } as const;
const renderers: Readonly<Record<string, (text: string) => string>> = {
  "plan as text": (text) => lines.text(planOf(text), plainStyle),
  "plan as Markdown": (text) => lines.markdown(planOf(text)),
  "plan as JSON": (text) => jsonText(planDocument(planOf(text))),
  "comments of a job": commentsOf,
  "reports of a job": reportsOf,
  "drift as text": (text) => driftText(driftOf(text), plainStyle),
  "drift as Markdown": (text) => driftMarkdown({ report: driftOf(text), diagnostics: [] }),
  "drift as JSON": (text) => driftJson({ report: driftOf(text), diagnostics: [] }),
  "drift job as text": (text) => driftJobText(jobOf(text), plainStyle),
  "drift job as Markdown": (text) => driftJobMarkdown(jobOf(text)) + bodyOf(text),
  "title of an issue": (text) => issueOf(text).title,
  "drift job as JSON": (text) => driftJobJson(jobOf(text)),
  "drift job for a channel": (text) => JSON.parse(webhookBody(jobOf(text))).text,
  "history as text": (text) => historyText([runOf(text)], 0, plainStyle),
  "history as JSON": (text) => escapeJson(versioned({ runs: [runOf(text)] })),
  "status as text": (text) =>
    statusText([runningOf(text)], 0, plainStyle) + oneStatusText(runningOf(text), 0, plainStyle),
  "status as JSON": (text) => jsonText(statusDocument([runningOf(text)])),
  "deployments as text": (text) =>
    releasesText(releasesOf(text), 0, plainStyle) +
    releasesText({ ...releasesOf(text), deployments: [] }, 0, plainStyle),
  "deployments as JSON": (text) => jsonText(deploymentsDocument(releasesOf(text))),
  "findings as text": (text) => diagnosticsText(finding(text), plainStyle),
  "findings as JSON": (text) => jsonText(finding(text).map(diagnosticData)),
  "state as text": (text) => stateText(stateOf(text), plainStyle),
  "state as Markdown": (text) => stateMarkdown(stateOf(text)),
  "state as JSON": (text) => stateJson(stateOf(text)),
  "event as text": (text) => eventText(event(text), plainStyle),
  "event as JSON": (text) => escapeJson(eventDocument(event(text))),
};

const alive = /<script|<img|onerror|<!--|evil\.example|@admin|(?<![&\w])#12|\*\*b\*\*|<unclosed/;

let checks = 0;

describe("whatever text comes from outside, output is inert for terminals and runners", () => {
  it.each(Object.keys(renderers))("%s", (name) => {
    const render = renderers[name] as (text: string) => string;
    for (const text of texts) {
      const output = render(text);
      const found = [...hiddenIn(output), ...commandsIn(output)];
      if (found.length > 0) expect({ text, found }).toEqual({ text, found: [] });
      checks += 1;
    }
  });

  it("annotations of GitHub are one command for one finding", () => {
    for (const text of texts) {
      const output = githubAnnotations(finding(text), (file) => file);
      if (hiddenIn(output).length > 0 || !/^::error [^\n]*\n$/.test(output))
        expect(output).toBe(`inert, for ${text}`);
      checks += 1;
    }
  });

  it("Markdown holds no link, image, mention, HTML or emphasis of an attacker", () => {
    for (const text of texts) {
      const drift = ["drift as Markdown", "drift job as Markdown"].map((name) => renderers[name]?.(text));
      const shown = planMarkdown(planOf(text)) + stateMarkdown(stateOf(text)) + drift.join("");
      const left = outsideCode(shown + commentsOf(text));
      if (alive.test(left)) expect({ text, left }).toEqual({ text, left: "inert" });
      checks += 1;
    }
  });

  it("HTML holds no element of an attacker, and no graph a command", () => {
    for (const text of texts) {
      expect(escapeHtml(text)).not.toMatch(/[<>"']/);
      const node = { id: text, title: text, facts: "", mark: "same" as const, signs: [], does: "" };
      const graph = {
        nodes: [node],
        edges: [{ from: text, to: "b", names: [] }],
        boxes: new Map(),
        notes: [text],
      };
      const [dot, mermaid] = [graphDot(graph), graphMermaid(graph)];
      // Graphviz takes a quoted label for text, whatever stands in it; quotes must not end it.
      const isOneLabel = /^ {2}"(?:[^"\\]|\\.)*"$/m.test(dot) && dot.split("\n").length === 9;
      const isInert = hiddenIn(dot + mermaid).length === 0 && !/<script|<img/.test(mermaid);
      if (!isOneLabel || !isInert) expect({ text, dot, mermaid }).toBe("inert");
      checks += 1;
    }
  });

  it("checks thousands of texts", () => {
    expect(checks).toBeGreaterThanOrEqual(50_000);
  });
});
