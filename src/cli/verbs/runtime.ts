import { InvalidArgumentError } from "commander";
import type { ConfirmAction } from "../../apply/action";
import { type RuntimeRequest, runtimeAction } from "../../commands/act-on-service";
import { deployments, status } from "../../commands/status";
import { failure } from "../../diagnostics/diagnostic";
import { shortId } from "../../model/address";
import type { ActionInput } from "../../model/resource-operations";
import { systemClock } from "../../model/time";
import { deploymentsDocument, statusDocument } from "../../report/documents";
import { escapeJson, escapeText, jsonText, quoteText } from "../../report/escape-text";
import { oneStatusText, releasesText, statusText } from "../../report/runtime-text";
import { idNote } from "../../report/style";
import { elapsedText } from "../../report/time-text";
import type { Run } from "../open-target";
import { argument, duration, flag, negation, parsed, pick, positive, text } from "../options";
import { askForAddress, canAnswer } from "../prompt";
import { report, type Screen, usage } from "../screen";
import { stateVerb, type Verb } from "../verb";

const waiting = {
  ...pick("json", "lockTimeoutMs"),
  wait: negation("--no-wait", "return once the platform has accepted it"),
  timeoutMs: parsed("--timeout <duration>", "how long to wait", duration, 1_800_000, "30m"),
};

const address = argument("<address>");
const deploymentId = argument("[deployment-id]");

const atOnce =
  "ADDRESS is that of a recorded service, such as service.shop.api. This runs at once: it is not part of a plan. " +
  "It holds the lock of the state until the platform has accepted it. Where no answer comes, ";
const forAService = `${atOnce}the same command again finds out what happened, and repeats nothing.`;

type Wanted = Omit<RuntimeRequest, "confirm" | "onGoingOn" | "onWaiting"> & Partial<RuntimeRequest>;

async function runAction({ screen, context }: Run, wanted: Wanted): Promise<number> {
  const { terminal } = screen;
  const { address, action } = wanted;
  const isJson = screen.format === "json";
  const say = (line: string): void => {
    if (!isJson) terminal.tell(`${line}\n`);
  };
  const outcome = await runtimeAction(context, {
    confirm: async () => undefined,
    onGoingOn: (since) =>
      say(`${address}: ${action} of ${escapeText(since)} is still running. Nothing is sent again.`),
    onWaiting: (seconds, status, note) => {
      const texts = [address, escapeText(status), ...(note ? [escapeText(note)] : [])];
      say(`${texts.join(": ")}${seconds < 1 ? "" : `, ${elapsedText(seconds)}`}`);
    },
    ...wanted,
  });
  const { accepted, result, diagnostics, exitCode } = outcome;
  report(screen, diagnostics);
  if (isJson) {
    const { kind, id } = accepted ?? {};
    terminal.out(`${escapeJson({ address, action, result, kind, id })}\n`);
  } else if (result === "done" || result === "accepted") {
    const note = idNote(accepted?.id, terminal.style, accepted?.kind);
    say(`${terminal.style.colors.green(`${address}: ${action} ${result}.`)}${note}`);
  } else if (result === "cancelled") {
    say("\nNothing was done.");
  }
  return exitCode;
}

const actionVerb = (action: "restart" | "suspend" | "resume", summary: string): Verb =>
  stateVerb({
    name: action,
    arguments: { address },
    summary,
    detail: `${atOnce}it is uncertain whether it was done: give the command again if you still want it.`,
    options: waiting,
    examples: [[`rnv ${action} service.shop.api`, "waits until it is done"]],
    run: (given, run) => runAction(run, { ...given, action }),
  });

async function confirmRollback(
  screen: Screen,
  { address, name, deploymentId = "", releaseCommit, isChosen }: ActionInput,
  confirmed?: string,
  standing?: string,
): Promise<string | undefined> {
  if (confirmed === address) return name;
  const commit = releaseCommit ? ` (commit ${releaseCommit.slice(0, 12)})` : "";
  const chosen = isChosen ? ", the newest before the one that serves" : "";
  const summary = `${address} will go back to release ${shortId(deploymentId)}${commit}${chosen}`;
  if (confirmed === undefined && canAnswer(screen)) {
    const text = `${escapeText([summary, ...(standing ? [standing] : [])].join(": "))}.\n`;
    return (await askForAddress(screen, address, text)) ? name : undefined;
  }
  const why = confirmed === undefined ? "it is not confirmed" : `${quoteText(confirmed)} is not its address`;
  const about = { address, detail: standing, hint: `run it in a terminal, or add --confirm ${address}` };
  throw failure("guard.delete_unconfirmed", `${summary}. Blocked: ${why}`, about);
}

/** Parses the number of listed deployments; the platform lists at most 200. */
function listLimit(word: string): number {
  const limit = positive(word);
  if (limit > 200) throw new InvalidArgumentError("Not a whole number from 1 to 200.");
  return limit;
}

export const runtimeVerbs: readonly Verb[] = [
  stateVerb({
    name: "status",
    arguments: { address: argument("[address]") },
    summary: "Show what runs: release, commit, health, since when",
    detail:
      "Reads the platform; takes no lock and writes nothing. Without an address: every recorded service. " +
      "What failed, waits, was rolled back or is suspended is shown below each.",
    options: {
      ...pick("json", "answerTimeoutMs"),
      variables: flag(
        "--variables",
        "list the variables of each service: who manages them, and when they changed",
      ),
    },
    examples: [
      ["rnv status", "every recorded service, one line each"],
      ["rnv status service.shop.api", "one of them, with ids and exact times"],
      ["rnv status -variables", "with the keys of its variables, never their values"],
    ],
    run: async ({ address, variables, json }, { context, screen: { terminal } }) => {
      const { style } = terminal;
      const services = await status(context, { address, variables });
      const [first] = services;
      const now = systemClock.now();
      if (json) terminal.out(jsonText(statusDocument(services)));
      else if (first === undefined) terminal.err("No service is recorded yet.\n");
      else if (address === undefined) terminal.out(statusText(services, now, style));
      else terminal.out(oneStatusText(first, now, style));
    },
  }),
  stateVerb({
    name: "deployments",
    arguments: { address },
    summary: "List deployments of a service, newest first",
    detail:
      "Reads the platform; takes no lock and writes nothing. The ids are those that rollback and cancel take.",
    options: {
      ...pick("json", "answerTimeoutMs"),
      limit: parsed("--limit <n>", "how many at most: 1 to 200", listLimit, 20, "20"),
    },
    examples: [
      ["rnv deployments service.shop.api", "the last 20"],
      ["rnv deployments service.shop.api -limit 200 -json", "more of them, for programs"],
    ],
    run: async ({ address, limit, json }, { context, screen: { terminal } }) => {
      const list = await deployments(context, { address, limit });
      terminal.out(
        json ? jsonText(deploymentsDocument(list)) : releasesText(list, systemClock.now(), terminal.style),
      );
    },
  }),
  stateVerb({
    name: "deploy",
    arguments: { address },
    summary: "Deploy a service now",
    detail: forAService,
    options: {
      commit: text("--commit <sha>", "pin the commit: 40 to 64 lowercase hexadecimal digits"),
      clearCache: flag("--clear-cache", "build without the cache"),
      ...waiting,
    },
    examples: [
      [
        "rnv deploy service.shop.api",
        "the configured branch, or the commit that is pinned; waits until it is live",
      ],
      ["rnv deploy service.shop.api -no-wait", "only queue it"],
    ],
    run: async (given, run) => {
      const { commit, clearCache } = given;
      if (clearCache && commit !== undefined) throw usage("--commit and --clear-cache exclude each other");
      if (commit !== undefined && !/^[0-9a-f]{40,64}$/.test(commit))
        throw usage("--commit: not 40 to 64 lowercase hexadecimal digits", "git rev-parse HEAD prints one");
      return runAction(run, { ...given, action: clearCache ? "clear-cache" : "deploy" });
    },
  }),
  actionVerb("restart", "Restart a running service"),
  actionVerb("suspend", "Suspend a running service"),
  actionVerb("resume", "Resume a suspended service"),
  stateVerb({
    name: "rollback",
    arguments: { address, deploymentId },
    summary: "Go back to an earlier release",
    detail: `${forAService}\nWithout a deployment id: the newest release before the live one that can be rolled back to. Given again, it goes forward again.`,
    options: {
      confirm: text("--confirm <address>", "confirm with the address of the service instead of typing it"),
      ...pick("input"),
      ...waiting,
    },
    examples: [
      ["rnv rollback service.shop.api", "says what runs and what will, and asks for the address"],
      ["rnv rollback service.shop.api --confirm service.shop.api", "in a script"],
    ],
    run: (given, run) => {
      const confirm: ConfirmAction = (order, standing) =>
        confirmRollback(run.screen, order, given.confirm, standing);
      return runAction(run, { ...given, action: "rollback", confirm });
    },
  }),
  stateVerb({
    name: "cancel",
    arguments: { address, deploymentId },
    summary: "Cancel a deployment in progress",
    detail: `${forAService}\nWithout a deployment id: the newest one.`,
    options: waiting,
    examples: [["rnv cancel service.shop.api", "waits until it has stopped"]],
    run: (given, run) => runAction(run, { ...given, action: "cancel" }),
  }),
];
