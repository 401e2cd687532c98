import { InvalidArgumentError, Option } from "commander";
import { type RollbackSubject, type RuntimeRequest, runtimeAction } from "../../commands/act-on-service";
import { deployments, status } from "../../commands/status";
import { failure } from "../../diagnostics/diagnostic";
import { systemClock } from "../../model/time";
import { escapeJson, escapeText, quoteText } from "../../report/escape-text";
import { oneStatusText, releasesJson, releasesText, statusJson, statusText } from "../../report/status-text";
import { elapsedText } from "../../report/time-text";
import { withContext } from "../context";
import type { Invocation } from "../invocation";
import { duration, options, positive, stateOptions } from "../options";
import { createPrompter } from "../prompt";
import { outStyle, report } from "../report";
import type { Verb } from "./verb";

const waiting = [
  ...stateOptions,
  new Option("--no-wait", "return once the service has accepted it"),
  options.lockTimeout,
  new Option("--timeout <duration>", "how long to wait").argParser(duration).default(1_800_000, "30m"),
];

const forAService =
  "ADDRESS is that of a recorded service, such as service.shop.api. This runs at once: it is not part of a plan. " +
  "It holds the lock of the state until the service has accepted it. Where no answer comes, the same command again " +
  "finds out what happened, and repeats nothing.";

type Wanted = Pick<RuntimeRequest, "action"> & Partial<RuntimeRequest>;

async function runAction(invocation: Invocation, wanted: Wanted): Promise<number> {
  const { terminal, options, positional } = invocation;
  const [address = "", deploymentId] = positional as readonly string[];
  const say = (text: string): void => {
    if (options.json !== true) terminal.out(`${text}\n`);
  };
  const outcome = await withContext(invocation, (context) =>
    runtimeAction(context, {
      ...{ address, deploymentId },
      wait: options.wait !== false,
      timeoutMs: options.timeout as number,
      lockTimeoutMs: options.lockTimeout as number,
      confirm: async () => undefined,
      onGoingOn: (since) =>
        say(`${address}: ${wanted.action} of ${escapeText(since)} is still running. Nothing is sent again.`),
      onWaiting: (seconds, status, note) => {
        const texts = [address, escapeText(status), ...(note ? [escapeText(note)] : [])];
        say(`${texts.join(": ")}${seconds < 1 ? "" : `, ${elapsedText(seconds)}`}`);
      },
      ...wanted,
    }),
  );
  const { accepted, result, diagnostics, exitCode } = outcome;
  report(invocation, diagnostics);
  if (options.json === true) {
    const { kind, id } = accepted ?? {};
    terminal.out(`${escapeJson({ address, action: wanted.action, result, kind, id })}\n`);
  } else if (result === "done" || result === "accepted") {
    const { colors } = outStyle(invocation);
    const id = accepted === undefined ? "" : colors.dim(` [${accepted.kind}=${escapeText(accepted.id)}]`);
    say(`${colors.green(`${address}: ${wanted.action} ${result}.`)}${id}`);
  } else if (result === "cancelled") {
    say("\nNothing was done.");
  }
  return exitCode;
}

const deployVerb: Verb = {
  usage: "deploy <address>",
  summary: "Deploy a service now",
  detail: forAService,
  options: [
    new Option("--commit <sha>", "pin the commit: 40 to 64 lowercase hexadecimal digits"),
    new Option("--clear-cache", "build without the cache"),
    ...waiting,
  ],
  examples: [
    [
      "rnv deploy service.shop.api",
      "the configured branch, or the commit that is pinned; waits until it is live",
    ],
    ["rnv deploy service.shop.api -no-wait", "only queue it"],
  ],
  handler: async (invocation) => {
    const { commit, clearCache } = invocation.options;
    if (clearCache === true && commit !== undefined)
      throw failure("command.usage", "--commit and --clear-cache exclude each other");
    if (clearCache === true) return runAction(invocation, { action: "clear-cache" });
    if (commit !== undefined && !/^[0-9a-f]{40,64}$/.test(String(commit)))
      throw failure("command.usage", "--commit: not 40 to 64 lowercase hexadecimal digits", {
        hint: "git rev-parse HEAD prints one",
      });
    return runAction(invocation, { action: "deploy", commit: commit as string | undefined });
  },
};

function actionVerb(action: "restart" | "suspend" | "resume", summary: string): Verb {
  return {
    usage: `${action} <address>`,
    summary,
    detail: forAService,
    options: waiting,
    examples: [[`rnv ${action} service.shop.api`, "waits until it is done"]],
    handler: (invocation) => runAction(invocation, { action }),
  };
}

const cancelVerb: Verb = {
  usage: "cancel <address> [deployment-id]",
  summary: "Cancel a deployment in progress",
  detail: `${forAService}\nWithout a deployment id: the newest one.`,
  options: waiting,
  examples: [["rnv cancel service.shop.api", "waits until it has stopped"]],
  handler: (invocation) => runAction(invocation, { action: "cancel" }),
};

const rollbackVerb: Verb = {
  usage: "rollback <address> [deployment-id]",
  summary: "Go back to an earlier release",
  detail: `${forAService}\nWithout a deployment id: the newest release before the live one that can be rolled back to.`,
  options: [
    new Option("--confirm <name>", "confirm with the exact name of the service instead of typing it"),
    options.noInput,
    ...waiting,
  ],
  examples: [
    ["rnv rollback service.shop.api", "asks for the name of the service"],
    ["rnv rollback service.shop.api --confirm api", "in a script"],
  ],
  handler: (invocation) =>
    runAction(invocation, { action: "rollback", confirm: (subject) => confirmRollback(invocation, subject) }),
};

async function confirmRollback(
  invocation: Invocation,
  { address, name, deploymentId, releaseCommit }: RollbackSubject,
): Promise<string | undefined> {
  const { confirm } = invocation.options;
  if (typeof confirm === "string") return confirm;
  const ask = createPrompter(invocation);
  if (!ask) {
    const summary = `rolling ${address} back must be confirmed by the name of the service`;
    const hint = `run it in a terminal, or add --confirm ${quoteText(name)}`;
    throw failure("guard.delete_unconfirmed", summary, { address, hint });
  }
  const commit = releaseCommit ? ` (commit ${escapeText(releaseCommit.slice(0, 12))})` : "";
  return ask(
    `${address} will go back to the release of deployment ${escapeText(deploymentId)}${commit}.\n` +
      `  Type the name of the service, ${quoteText(name)}, to confirm: `,
  );
}

const statusVerb: Verb = {
  usage: "status [address]",
  summary: "Show what runs: release, commit, health, since when",
  detail:
    "Reads the service; takes no lock and writes nothing. Without an address: every recorded service. " +
    "What failed, waits, was rolled back or is suspended is shown below each.",
  options: [
    ...stateOptions,
    new Option("--variables", "list the variables of each service: who manages them, and when they changed"),
    options.answerTimeout,
  ],
  examples: [
    ["rnv status", "every recorded service, one line each"],
    ["rnv status service.shop.api", "one of them, with ids and exact times"],
    ["rnv status -variables", "with the keys of its variables, never their values"],
    ["rnv status -json", "for programs"],
  ],
  handler: async (invocation) => {
    const { terminal, options, positional } = invocation;
    const wanted = positional[0] as string | undefined;
    const services = await withContext(invocation, (context) =>
      status(context, wanted, options.variables === true),
    );
    const [first] = services;
    if (options.json === true) terminal.out(statusJson(services));
    else if (first === undefined) terminal.err("No service is recorded yet.\n");
    else {
      const now = systemClock.now();
      const style = outStyle(invocation);
      terminal.out(
        wanted === undefined ? statusText(services, now, style) : oneStatusText(first, now, style),
      );
    }
  },
};

const deploymentsVerb: Verb = {
  usage: "deployments <address>",
  summary: "List deployments of a service, newest first",
  detail:
    "Reads the service; takes no lock and writes nothing. The ids are those that rollback and cancel take.",
  options: [
    ...stateOptions,
    new Option("--limit <n>", "how many at most: 1 to 200").argParser(listLimit).default(20),
    options.answerTimeout,
  ],
  examples: [
    ["rnv deployments service.shop.api", "the last 20"],
    ["rnv deployments service.shop.api -limit 200 -json", "more of them, for programs"],
  ],
  handler: async (invocation) => {
    const { terminal, options, positional } = invocation;
    const request = { address: positional[0] as string, limit: options.limit as number };
    const list = await withContext(invocation, (context) => deployments(context, request));
    const style = outStyle(invocation);
    terminal.out(options.json === true ? releasesJson(list) : releasesText(list, systemClock.now(), style));
  },
};

/** Parses how many deployments are listed; the platform lists no more than 200 at once. */
function listLimit(text: string): number {
  const limit = positive(text);
  if (limit > 200) throw new InvalidArgumentError("Not a whole number from 1 to 200.");
  return limit;
}

export const runtimeVerbs: readonly Verb[] = [
  statusVerb,
  deploymentsVerb,
  deployVerb,
  actionVerb("restart", "Restart a running service"),
  actionVerb("suspend", "Suspend a running service"),
  actionVerb("resume", "Resume a suspended service"),
  rollbackVerb,
  cancelVerb,
];
