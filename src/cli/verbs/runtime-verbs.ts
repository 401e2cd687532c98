import { type Command, Option } from "commander";
import { actionHandler, cancelHandler, deployHandler, rollbackHandler } from "../handlers/runtime";
import { deploymentsHandler, statusHandler } from "../handlers/status";
import type { Run } from "../invocation";
import { duration, options, positive } from "../options";
import { addVerb } from "./add-verb";

const waiting = () => [
  options.state(),
  options.json(),
  new Option("--no-wait", "return once the service has accepted it"),
  options.lockTimeout(),
  new Option("--timeout <duration>", "how long to wait").argParser(duration).default(1_800_000, "30m"),
];

const forAService =
  "ADDRESS is that of a recorded service, such as service.shop.api. This runs at once: it is not part of a plan. " +
  "It holds the lock of the state until the service has accepted it. Where no answer comes, the same command again " +
  "finds out what happened, and repeats nothing.";

/** What is done to a running service without a plan: `deploy`, `restart` … */
export function addRuntimeVerbs(program: Command, run: Run): void {
  program.commandsGroup("Running services:");
  addVerb(program, run, {
    usage: "status [address]",
    summary: "Show what runs: release, commit, health, since when",
    detail:
      "Reads the service; takes no lock and writes nothing. Without an address: every recorded service. " +
      "What failed, waits, was rolled back or is suspended stands below each.",
    options: [options.state(), options.json(), options.answerTimeout()],
    examples: [
      ["rnv status", "every recorded service, one line each"],
      ["rnv status service.shop.api", "one of them, with ids and exact times"],
      ["rnv status -json", "for programs"],
    ],
    handler: statusHandler,
  });
  addVerb(program, run, {
    usage: "deployments <address>",
    summary: "List deployments of a service, newest first",
    detail:
      "Reads the service; takes no lock and writes nothing. The ids are those that rollback and cancel take.",
    options: [
      options.state(),
      options.json(),
      new Option("--limit <n>", "how many at most").argParser(positive).default(20),
      options.answerTimeout(),
    ],
    examples: [
      ["rnv deployments service.shop.api", "the last 20"],
      ["rnv deployments service.shop.api -limit 500 -json", "more of them, for programs"],
    ],
    handler: deploymentsHandler,
  });
  addVerb(program, run, {
    usage: "deploy <address>",
    summary: "Deploy a service now",
    detail: forAService,
    options: [
      new Option("--commit <sha>", "pin the commit: 40 to 64 lowercase hexadecimal digits"),
      new Option("--clear-cache", "build without the cache"),
      ...waiting(),
    ],
    examples: [
      [
        "rnv deploy service.shop.api",
        "the configured branch, or the commit that is pinned; waits until it is live",
      ],
      ["rnv deploy service.shop.api -no-wait", "only queue it"],
    ],
    handler: deployHandler,
  });
  for (const [action, summary] of [
    ["restart", "Restart a running service"],
    ["suspend", "Suspend a running service"],
    ["resume", "Resume a suspended service"],
  ] as const) {
    addVerb(program, run, {
      usage: `${action} <address>`,
      summary,
      detail: forAService,
      options: waiting(),
      examples: [[`rnv ${action} service.shop.api`, "waits until it is done"]],
      handler: actionHandler(action),
    });
  }
  addVerb(program, run, {
    usage: "rollback <address> [deployment-id]",
    summary: "Go back to an earlier release",
    detail: `${forAService}\nWithout a deployment id: the newest release before the live one that can be rolled back to.`,
    options: [
      new Option("--confirm <name>", "confirm with the exact name of the service instead of typing it"),
      options.noInput(),
      ...waiting(),
    ],
    examples: [
      ["rnv rollback service.shop.api", "asks for the name of the service"],
      ["rnv rollback service.shop.api --confirm api", "in a script"],
    ],
    handler: rollbackHandler,
  });
  addVerb(program, run, {
    usage: "cancel <address> [deployment-id]",
    summary: "Cancel a deployment in progress",
    detail: `${forAService}\nWithout a deployment id: the newest one.`,
    options: waiting(),
    examples: [["rnv cancel service.shop.api", "waits until it has stopped"]],
    handler: cancelHandler,
  });
}
