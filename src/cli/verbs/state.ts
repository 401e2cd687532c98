import { dirname, resolve } from "node:path";
import { Argument, Option } from "commander";
import type { Context } from "../../commands/context";
import { shownState } from "../../commands/load";
import {
  claimState,
  findRecorded,
  forceUnlock,
  handOver,
  listBackups,
  moveState,
  pushState,
  removeState,
  restoreState,
} from "../../commands/state-verbs";
import { failure } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { State } from "../../model/state";
import { escapeJson, escapeText, jsonText } from "../../report/escape-text";
import { counted } from "../../report/plan-wording";
import {
  backupsJson,
  backupsText,
  backupText,
  recordedIn,
  resourceDocument,
  resourceText,
} from "../../report/state-text";
import { encodeState } from "../../state/state-text";
import { stateOf, withContext } from "../context";
import { readText, readTextOrInput } from "../files";
import type { Handler, Invocation } from "../invocation";
import { originAt } from "../job";
import { options, stateOptions } from "../options";
import { isApproved } from "../prompt";
import { exitCodes, outStyle } from "../report";
import type { Verb, VerbFamily } from "./verb";

const writing = [options.state, options.stack, options.lockTimeout];

const lockTimeoutOf = ({ options }: Invocation): number => options.lockTimeout as number;

/** Makes the handler of a verb that does one thing with the state, and prints what it has done. */
const says =
  (work: (context: Context, invocation: Invocation) => Promise<string>): Handler =>
  async (invocation) => {
    invocation.terminal.out(await withContext(invocation, (context) => work(context, invocation)));
  };

const stateListVerb: Verb = {
  usage: "list [address...]",
  summary: "List recorded addresses",
  detail: "An address also stands for everything below it.",
  options: stateOptions,
  examples: [
    ["rnv state list", "all"],
    ["rnv state list service.shop.api", "one service and what belongs to it"],
  ],
  handler: async (invocation) => {
    const { terminal, positional, options } = invocation;
    const wanted = (positional[0] as readonly string[] | undefined) ?? [];
    const state = await stateOf(invocation);
    const all = state ? recordedIn(state).map(({ address }) => address) : [];
    const listed = all.filter(
      (address) => wanted.length === 0 || wanted.some((outer) => isWithin(state, address, outer)),
    );
    if (options.json === true) terminal.out(`${escapeJson(listed)}\n`);
    for (const address of options.json === true ? [] : listed) {
      const mark = state?.resources[address]?.retained ? "  (retained)" : "";
      terminal.out(`${escapeText(address)}${mark}\n`);
    }
    if (all.length === 0 && options.json !== true) terminal.err("Nothing is recorded yet.\n");
  },
};

/** An address stands for itself and for everything that lies in it. */
function isWithin(state: State | undefined, address: Address, outer: string): boolean {
  for (let at: Address | undefined = address; at !== undefined; at = state?.resources[at]?.parent)
    if (at === outer) return true;
  return false;
}

const stateShowVerb: Verb = {
  usage: "show <address>",
  summary: "Show what is recorded for an address",
  options: stateOptions,
  examples: [["rnv state show service.shop.api", "id, fields last applied, computed attributes"]],
  handler: async (invocation) => {
    const { terminal, positional, options } = invocation;
    const state = await stateOf(invocation);
    const shown = state && (await withContext(invocation, (context) => shownState(context, state)));
    const { address, recorded } = findRecorded(shown, positional[0] as string);
    if (options.json === true) terminal.out(jsonText(resourceDocument(address, recorded)));
    else terminal.out(`${resourceText(address, recorded, outStyle(invocation)).trimEnd()}\n`);
  },
};

const stateMvVerb: Verb = {
  usage: "mv",
  arguments: [new Argument("<address...>", "from and to; with --to STATE all that go there")],
  summary: "Move a record to another address, or records to another state",
  detail:
    "Its contents move along. `moved:` in the manifest does the same in git. With --to the other state takes the " +
    "records over under their addresses: move their blocks to its manifest too. Ended in the middle, the same command " +
    "again ends it; until then this state plans nothing.",
  options: [
    ...writing,
    new Option("--to <state>", "hand records over to this state: a file, https://… or s3://…"),
  ],
  examples: [
    ["rnv state mv service.shop.web service.shop.api", "after a renaming in the manifest"],
    [
      "rnv state mv --to ../payments/.rnv/state.json project.payments",
      "a project to the team that owns it now",
    ],
  ],
  handler: says(async (context, invocation) => {
    const given = invocation.positional[0] as readonly string[];
    if (typeof invocation.options.to === "string")
      return handedOver(context, invocation, given, invocation.options.to);
    const [from, to] = given;
    if (from === undefined || to === undefined || given.length > 2)
      throw failure("command.usage", "rnv state mv takes two addresses: from and to", {
        hint: "to hand records over to another state: rnv state mv --to STATE ADDRESS…",
      });
    const request = { from, to, lockTimeoutMs: lockTimeoutOf(invocation) };
    const { addresses } = await moveState(context, request);
    return `Moved ${counted(addresses.length, "record")}: ${addresses.map(escapeText).join(", ")}\n`;
  }),
};

async function handedOver(
  context: Context,
  invocation: Invocation,
  addresses: readonly string[],
  to: string,
): Promise<string> {
  const lockTimeoutMs = lockTimeoutOf(invocation);
  const other = { ...invocation, options: { ...invocation.options, state: to } };
  const outcome = await withContext(other, (target) => {
    const name = to.includes("://") ? undefined : originAt(dirname(resolve(invocation.cwd, to)));
    const owned = { ...target, repository: { name, isJob: false } };
    return handOver(context, owned, { addresses, lockTimeoutMs });
  });
  return (
    `Handed ${counted(outcome.addresses.length, "record")} over to ${escapeText(outcome.to)}:\n` +
    `${listed(outcome.addresses)}Their blocks belong in its manifest now, and no longer in this one.\n`
  );
}

const listed = (addresses: readonly Address[]): string =>
  addresses.map((address) => `  ${escapeText(address)}\n`).join("");

const stateClaimVerb: Verb = {
  usage: "claim",
  summary: "Record this repository as the owner of the state",
  detail:
    "A state belongs to the repository that made it, and runs of another repository are refused. After a rename of the " +
    "repository, this records its new name: that of the job, else that of the remote origin.",
  options: [...writing, options.autoApprove, options.noInput],
  examples: [["rnv state claim --stage production", "after a rename of the repository; asks first"]],
  handler: async (invocation) => {
    const { terminal } = invocation;
    const confirm = (owner: string): Promise<boolean> => {
      const told = `The state belongs to the repository ${escapeText(owner)}. Its runs will be refused.\n\n  `;
      return isApproved(invocation, "state claim", told);
    };
    const repository = await withContext(invocation, (context) =>
      claimState(context, { lockTimeoutMs: lockTimeoutOf(invocation), confirm }),
    );
    if (repository === undefined) {
      terminal.err("\nNothing was changed.\n");
      return exitCodes.error;
    }
    terminal.out(`The state belongs to the repository ${escapeText(repository)}.\n`);
    return exitCodes.done;
  },
};

const stateRmVerb: Verb = {
  usage: "rm <address...>",
  summary: "Forget records; the service keeps the resources",
  options: writing,
  examples: [["rnv state rm service.shop.worker", "rnv no longer manages it"]],
  handler: says(async (context, invocation) => {
    const wanted = invocation.positional[0] as readonly string[];
    const request = { addresses: wanted, lockTimeoutMs: lockTimeoutOf(invocation) };
    const { addresses, archived } = await removeState(context, request);
    const notes = archived.map(({ address, id }) => {
      const back = `rnv import ${escapeText(address)} ${escapeText(id)}`;
      return `${escapeText(address)} is archived and in no list of the service. To take it back: ${back}\n`;
    });
    const what = `Forgot ${counted(addresses.length, "record")}; the service keeps them:\n`;
    return [what, listed(addresses), ...notes].join("");
  }),
};

const statePullVerb: Verb = {
  usage: "pull",
  summary: "Print the state as JSON",
  options: [options.state, options.stack],
  examples: [["rnv state pull > backup.json", "a copy"]],
  handler: async (invocation) => {
    const state = await stateOf(invocation);
    if (state === undefined) throw failure("command.usage", "nothing is recorded yet");
    invocation.terminal.out(encodeState(state));
  },
};

const statePushVerb: Verb = {
  usage: "push",
  arguments: [new Argument("<file>", "state file, `-` for standard input")],
  summary: "Replace the state by a file",
  detail: "Refused for another lineage or an older serial, unless --force.",
  options: [...writing, new Option("--force", "whatever lineage and serial it has")],
  examples: [
    ["rnv state push backup.json", "from a file"],
    ["rnv state push - < backup.json", "from standard input"],
  ],
  handler: says(async (context, invocation) => {
    const name = invocation.positional[0] as string;
    const { serial } = await pushState(context, {
      text: await readTextOrInput(name, invocation.terminal),
      name: name === "-" ? "standard input" : name,
      force: invocation.options.force === true,
      lockTimeoutMs: lockTimeoutOf(invocation),
    });
    return `The state is replaced; it has serial ${serial} now.\n`;
  }),
};

const stateBackupsVerb: Verb = {
  usage: "backups",
  summary: "List previous snapshots, newest first",
  detail: "A local state and one in S3 keep ten beside them; a server of the HTTP protocol keeps its own.",
  options: stateOptions,
  examples: [["rnv state backups", "number for restore, time, serial, size, verb and place of each"]],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    const backups = await withContext(invocation, listBackups);
    if (options.json === true) terminal.out(`${escapeJson(backupsJson(backups))}\n`);
    else if (backups.length === 0) terminal.err("There are no backups yet.\n");
    else terminal.out(backupsText(backups));
  },
};

const stateRestoreVerb: Verb = {
  usage: "restore",
  arguments: [new Argument("<backup>", "number in `rnv state backups`, or a state file")],
  summary: "Put a previous snapshot in place of the state",
  detail:
    "Works on a state that cannot be read. The old state becomes the newest backup. The next plan shows what " +
    "the service has and the snapshot does not know. Refused while writes are unsettled, unless --force.",
  options: [...writing, new Option("--force", "whatever lineage it has, and unsettled writes or not")],
  examples: [
    ["rnv state restore 1", "the newest of `rnv state backups`"],
    ["rnv state restore backup.json", "a file"],
  ],
  handler: says(async (context, invocation) => {
    const backup = invocation.positional[0] as string;
    const { restored, serial } = await restoreState(context, {
      from: /^[1-9]\d?$/.test(backup) ? Number(backup) : { text: readText(backup), name: backup },
      force: invocation.options.force === true,
      lockTimeoutMs: lockTimeoutOf(invocation),
    });
    return (
      `Restored ${escapeText(restored.name)} (${backupText(restored)}).\n` +
      `The state has serial ${serial} now; what stood there is the newest backup.\n`
    );
  }),
};

export const forceUnlockVerb: Verb = {
  usage: "force-unlock <lock-id>",
  summary: "Remove a lock whose holder is gone",
  detail: "Make sure that no other run is alive: two writers of one state lose work.",
  options: [options.state, options.stack],
  examples: [["rnv force-unlock 3f1c9d52", "the id is in the message that says the lock is held"]],
  handler: says(async (context, { positional }) => {
    const { host, pid, command, since } = await forceUnlock(context, positional[0] as string);
    return `Removed the lock of ${escapeText(command)} (${escapeText(host)}, pid ${pid}, since ${since}).\n`;
  }),
};

export const stateVerbs: VerbFamily = {
  name: "state",
  summary: "List, show and correct what the state records",
  description: "List, show and correct what the state records. Nothing here writes to the service.",
  verbs: [
    stateListVerb,
    stateShowVerb,
    stateMvVerb,
    stateClaimVerb,
    stateRmVerb,
    statePullVerb,
    statePushVerb,
    stateBackupsVerb,
    stateRestoreVerb,
  ],
};
