import { Argument, type Command, Option } from "commander";
import { exportHandler, importHandler } from "../handlers/live";
import {
  forceUnlockHandler,
  outputHandler,
  stateBackupsHandler,
  stateListHandler,
  stateMoveHandler,
  statePullHandler,
  statePushHandler,
  stateRemoveHandler,
  stateRestoreHandler,
  stateShowHandler,
} from "../handlers/state";
import { graphHandler } from "../handlers/tools";
import type { Run } from "../invocation";
import { options } from "../options";
import { addVerb } from "./add-verb";

const writing = () => [options.state(), options.lockTimeout()];

/** What is recorded and what is live: `state …`, `import`, `export`, `output`, `graph`, `force-unlock`. */
export function addStateVerbs(program: Command, run: Run): void {
  program.commandsGroup("State and what is live:");
  addVerb(program, run, {
    usage: "import <address> <id>",
    summary: "Record something live under an address, by its id",
    detail:
      "The manifest has to declare the address: what is recorded and not declared, the next plan deletes. " +
      "Writes the state only, never the service. The next plan shows what differs.",
    options: [options.file(), options.app(), options.untrusted(), options.answerTimeout(), ...writing()],
    examples: [
      [
        "rnv import service.shop.api 7f9c0e4a-5d0e-4f44-9f3c-0a4c3a1f2b6d",
        "adopt one service; `import:` in the manifest does it in git",
      ],
    ],
    handler: importHandler,
  });
  addVerb(program, run, {
    usage: "export",
    summary: "Write a manifest of what is live",
    detail:
      "Only configuration that differs from the defaults is written. Values of variables stay where they are: " +
      "they are written as `preserve: true`. `rnv apply --adopt` then changes nothing. Archived services are in no " +
      "list of the service: each can only be declared with `import: ID`.",
    options: [
      new Option("--project <name>", "only this project, by name or id"),
      new Option("-o, --out <file>", "write to this file, which must not exist (default: print it)"),
      options.answerTimeout(),
    ],
    examples: [
      ["rnv export", "print everything of the workspace"],
      ["rnv export --project Shop -out rnv.yaml", "one project, to a file"],
    ],
    handler: exportHandler,
  });
  addVerb(program, run, {
    usage: "output [name]",
    summary: "Print outputs of the last apply",
    options: [options.state(), options.json(), new Option("--raw", "one value as it is, without quotes")],
    examples: [
      ["rnv output", "all of them"],
      ["rnv output -raw apiUrl", "one, for a script"],
      ["rnv output -json", "all, as JSON"],
    ],
    handler: outputHandler,
  });
  addVerb(program, run, {
    usage: "graph",
    summary: "Print the dependencies between resources, as DOT",
    options: [
      options.file(),
      options.app(),
      options.untrusted(),
      new Option("--mermaid", "as Mermaid, which GitHub and GitLab draw"),
    ],
    examples: [
      ["rnv graph | dot -Tsvg > graph.svg", "as a picture"],
      ["rnv graph -mermaid", "for Markdown"],
    ],
    handler: graphHandler,
  });
  addVerb(program, run, {
    usage: "force-unlock <lock-id>",
    summary: "Remove a lock whose holder is gone",
    detail: "Make sure that no other run is alive: two writers of one state lose work.",
    options: [options.state()],
    examples: [["rnv force-unlock 3f1c9d52", "the id is in the message that says the lock is held"]],
    handler: forceUnlockHandler,
  });
  addStateSubverbs(program, run);
}

function addStateSubverbs(program: Command, run: Run): void {
  const state = program
    .command("state")
    .summary("List, show and correct what the state records")
    .description("List, show and correct what the state records. Nothing here writes to the service.");
  addVerb(state, run, {
    usage: "list [address...]",
    summary: "List recorded addresses",
    detail: "An address also stands for everything below it.",
    options: [options.state(), options.json()],
    examples: [
      ["rnv state list", "all"],
      ["rnv state list service.shop.api", "one service and what belongs to it"],
    ],
    handler: stateListHandler,
  });
  addVerb(state, run, {
    usage: "show <address>",
    summary: "Show what is recorded for an address",
    options: [options.state(), options.json()],
    examples: [["rnv state show service.shop.api", "id, fields last applied, computed attributes"]],
    handler: stateShowHandler,
  });
  addVerb(state, run, {
    usage: "mv <from> <to>",
    summary: "Move a record to another address",
    detail: "What lies in it moves along. `moved:` in the manifest does the same in git.",
    options: writing(),
    examples: [["rnv state mv service.shop.web service.shop.api", "after a renaming in the manifest"]],
    handler: stateMoveHandler,
  });
  addVerb(state, run, {
    usage: "rm <address...>",
    summary: "Forget records; the service keeps the things",
    options: writing(),
    examples: [["rnv state rm service.shop.worker", "rnv no longer manages it"]],
    handler: stateRemoveHandler,
  });
  addVerb(state, run, {
    usage: "pull",
    summary: "Print the state as JSON",
    options: [options.state()],
    examples: [["rnv state pull > backup.json", "a copy"]],
    handler: statePullHandler,
  });
  addVerb(state, run, {
    usage: "push",
    summary: "Replace the state by a file",
    detail: "Refused for another lineage or an older serial, unless --force.",
    options: [...writing(), new Option("--force", "whatever lineage and serial it has")],
    examples: [
      ["rnv state push backup.json", "from a file"],
      ["rnv state push - < backup.json", "from standard input"],
    ],
    handler: statePushHandler,
  }).addArgument(new Argument("<file>", "state file, `-` for standard input"));
  addVerb(state, run, {
    usage: "backups",
    summary: "List previous snapshots, newest first",
    detail:
      "A local state and one in S3 keep ten beside them; of a state over HTTP this machine keeps its last ten.",
    options: [options.state(), options.json()],
    examples: [["rnv state backups", "number for restore, time, serial, size, verb and place of each"]],
    handler: stateBackupsHandler,
  });
  addVerb(state, run, {
    usage: "restore",
    summary: "Put a previous snapshot in place of the state",
    detail:
      "Works on a state that cannot be read. What stands there becomes the newest backup. The next plan shows what " +
      "the service has and the snapshot does not know. Refused while writes are unsettled, unless --force.",
    options: [...writing(), new Option("--force", "whatever lineage it has, and unsettled writes or not")],
    examples: [
      ["rnv state restore 1", "the newest of `rnv state backups`"],
      ["rnv state restore backup.json", "a file"],
    ],
    handler: stateRestoreHandler,
  }).addArgument(new Argument("<backup>", "number in `rnv state backups`, or a state file"));
}
