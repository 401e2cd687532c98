import { mkdirSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { join, sep } from "node:path";
import { ApiError, diagnosticOf } from "../../src/api/api-error";
import { createClient } from "../../src/api/client";
import { consistently } from "../../src/api/consistent-reads";
import { createEndpoints } from "../../src/api/endpoints";
import { defaultGaps } from "../../src/api/gaps";
import { createReads } from "../../src/api/reads";
import type { Send } from "../../src/api/request";
import { loadDesired } from "../../src/commands/load";
import { type Diagnostic, DiagnosticsError } from "../../src/diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import type { Address } from "../../src/model/address";
import { Secret } from "../../src/model/secret";
import { sha256 } from "../../src/model/sha256";
import type { RecordedResource } from "../../src/model/state";
import { canonicalJson, type Plain } from "../../src/model/value";
import { planFromDocument } from "../../src/plan/read-document";
import { readSavedPlan, savePlan } from "../../src/plan/saved-plan";
import { diagnosticsText } from "../../src/report/diagnostics";
import { planText } from "../../src/report/plan-text";
import { stateText } from "../../src/report/state-list";
import { plainStyle } from "../../src/report/style";
import { resourceTypes } from "../../src/resources";
import { StateCipher } from "../../src/state/cipher";
import { encodeState } from "../../src/state/encode";
import { decodeJournal, encodeLine } from "../../src/state/journal";
import { textIn } from "../support/rows";
import { newFolder } from "../support/temp-folder";
import { createWorkbench } from "../support/workbench";

/** Something that reads text from outside, and a text that it reads well. */
export interface Target {
  readonly kind: string;
  readonly seeds: readonly string[];
  /** The text with its checksums worked out again; undefined where it has none any more. */
  readonly reseal?: (text: string) => string | undefined;
  /** Everything that a user would see of it. Throws nothing but a bug. */
  readonly show: (text: string) => Promise<string>;
}

const yaml = textIn(join(__dirname, "manifest.yaml"));

const stack = JSON.stringify(JSON.parse(textIn(join(__dirname, "stack.json"))), null, 1);

const shown = (diagnostics: readonly Diagnostic[]): string => diagnosticsText(diagnostics, plainStyle);

/** What is read by the manifest's loaders, from a folder of its own; `opened` lists what it opened outside. */
function manifestTarget(kind: string, file: string, seed: string, opened: Set<string>): Target {
  const base = newFolder("mutated");
  const cwd = join(base, "project");
  mkdirSync(cwd);
  writeFileSync(join(base, "canary.txt"), "CANARY");
  const open = fs.open;
  fs.open = ((path: string, ...rest: unknown[]) => {
    if (String(path).startsWith(base) && !String(path).startsWith(cwd + sep)) opened.add(String(path));
    return (open as (...all: unknown[]) => unknown)(path, ...rest);
  }) as typeof open;
  return {
    kind,
    seeds: [seed],
    show: async (text) => {
      writeFileSync(join(cwd, file), text);
      const { diagnostics } = await loadDesired({
        files: [file],
        cwd,
        types: resourceTypes,
        environment: { STAGE: "test", TOKEN: "t" },
        // Commands that a mutation makes up must not be run here.
        secrets: /fromCommand/.test(text) ? "skip" : "resolve",
      });
      return shown(diagnostics);
    },
  };
}

/** Every reader of text from outside, with texts that a real run wrote. */
export async function openTargets(opened: Set<string>): Promise<readonly Target[]> {
  const { state, journal, plan, bodies } = await realTexts();
  const cipher = new StateCipher({}, () => new Uint8Array(12));
  return [
    manifestTarget("YAML", "rnv.yaml", yaml, opened),
    manifestTarget("JSON", "cdk.tf.json", stack, opened),
    {
      kind: "state",
      seeds: [state],
      show: (text) => told(async () => stateText((await cipher.parse(text, "state.json")).state, plainStyle)),
    },
    {
      kind: "journal",
      seeds: [journal],
      reseal: resealJournal,
      show: async (text) =>
        told(async () =>
          String((await decodeJournal(Buffer.from(text), "state.json.journal", cipher)).entries.length),
        ),
    },
    {
      kind: "plan",
      seeds: [plan],
      reseal: resealPlan,
      show: async (text) => {
        const { document, diagnostics } = readSavedPlan(text);
        if (document === undefined) return shown(diagnostics);
        const read = planFromDocument(document.plan);
        return read === undefined ? "error[none]" : planText(read, plainStyle);
      },
    },
    {
      kind: "response",
      seeds: [...bodies.keys()].map((path) => `${path}\n${bodies.get(path)}`),
      show: showAnswer,
    },
  ];
}

/** As someone would who changed a plan and worked out its checksum again. */
function resealPlan(text: string): string | undefined {
  try {
    const { saved } = JSON.parse(text) as { readonly saved: Plain };
    return `${canonicalJson({ checksum: sha256(canonicalJson(saved)), saved })}\n`;
  } catch {
    return undefined;
  }
}

const resealJournal = (text: string): string =>
  text.replace(
    /^\{"n":(\d{1,15}),"synced":(\d{1,15}),"sum":"[^"]*","entry":(.*)\}$/gm,
    (_, n, synced, entry) =>
      `{"n":${n},"synced":${synced},"sum":"${sha256(`${n} ${synced} ${entry}`).slice(0, 16)}","entry":${entry}}`,
  );

async function told(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DiagnosticsError) return shown(cause.diagnostics);
    if (cause instanceof ApiError) return shown([diagnosticOf(cause)]);
    throw cause;
  }
}

/** The three reads of a plan, one of them with the body of the attacker. */
function showAnswer(text: string): Promise<string> {
  const [path = "", ...rest] = text.split("\n");
  const body = rest.join("\n");
  const foreign: string[] = [];
  const client = createClient({
    baseUrl: "https://api.test/api/v1",
    apiKey: new Secret(embeddedApiKey),
    transport: {
      send: async ({ url }) => {
        if (!url.startsWith("https://api.test/api/v1/")) foreign.push(url);
        return { status: 200, headers: {}, body };
      },
      close: async () => {},
    },
    clock: { now: () => 0, elapsed: () => 0, sleep: async () => {} },
    random: () => 0.5,
    gaps: defaultGaps,
  });
  const make = (send: Send) => createEndpoints(send, embeddedWorkspaceId, defaultGaps);
  const reads = createReads(consistently(make)(client.send));
  return told(async () => {
    if (path.includes("catalog")) await reads.catalog();
    else if (path.includes("projects")) await reads.projects();
    else await reads.services();
    if (foreign.length > 0) throw new Error(`asked ${foreign.join(", ")}`);
    return "read";
  });
}

async function realTexts() {
  const bench = createWorkbench();
  bench.write(
    "rnv.yaml",
    yaml
      .replace(/, TOKEN: .*? \}, HOST/, ", HOST")
      .replace(", P: { preserve: true }", "")
      .replace("${env.STAGE} ", ""),
  );
  const planned = await bench.plan();
  if (planned.plan === undefined) throw new Error(shown(planned.diagnostics));
  await bench.apply();
  const recorded = await bench.context.backend.read();
  if (recorded === undefined) throw new Error("nothing recorded");
  const bodies = new Map<string, string>();
  const transport = bench.emulator.transport();
  for (const path of ["catalog", "projects", "canvas"]) {
    const url = `http://127.0.0.1:1/api/v1/workspaces/${embeddedWorkspaceId}/${path}`;
    const headers = { authorization: `Bearer ${embeddedApiKey}` };
    bodies.set(path, (await transport.send({ method: "GET", url, headers })).body);
  }
  bench.remove();
  const header = {
    format: "rnv-journal",
    version: 1,
    id: "j",
    lineage: recorded.lineage,
    serial: 1,
    generation: 1,
  } as const;
  const entries = (Object.entries(recorded.resources) as [Address, RecordedResource][]).map(
    ([address, resource], i) => encodeLine(i + 1, i, { kind: "resource", address: address, resource }),
  );
  return {
    state: encodeState(recorded),
    journal: encodeLine(0, 0, header) + entries.join(""),
    plan: savePlan(planned.plan, { files: [] }),
    bodies,
  };
}
