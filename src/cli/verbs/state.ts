import { dirname, resolve } from "node:path";
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
import { remoteAt } from "../../declaration/git";
import { type Address, nameOf } from "../../model/address";
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
} from "../../report/state-list";
import { encodeState } from "../../state/encode";
import { readText, readTextOrInput } from "../files";
import { type Run, runOn } from "../open-target";
import { argument, flag, pick, text } from "../options";
import { askApproval } from "../prompt";
import { exitCodes, usage } from "../screen";
import { targetAt } from "../target";
import { stateVerb, type VerbFamily } from "../verb";

/** Returns true if `address` is `outer` or inside of it. Without a record its name decides. */
export function isWithin(state: State | undefined, address: Address, outer: string): boolean {
  for (let at: Address | undefined = address; at !== undefined; at = state?.resources[at]?.parent)
    if (at === outer) return true;
  const isRecorded = Object.hasOwn(state?.resources ?? {}, address);
  return !isRecorded && `${nameOf(address)}.`.startsWith(`${nameOf(outer as Address)}.`);
}

async function handOverTo(
  state: string,
  request: { readonly addresses: readonly string[]; readonly lockTimeoutMs: number },
  { target, screen, context }: Run,
): Promise<undefined> {
  // The state may belong to another stack.
  const receiver = targetAt({ ...target, givenState: state }, { stage: target.readStage });
  const name = state.includes("://")
    ? undefined
    : remoteAt(dirname(resolve(target.cwd, state)))?.toLowerCase();
  const { addresses, to, before } = await runOn(receiver, screen, async (other) => ({
    before: await other.context.backend.read(),
    ...(await handOver(context, { ...other.context, repository: { name, isJob: false } }, request)),
  }));
  const whole = `${before ? "" : "a new state, "}${escapeText(to)}`;
  screen.terminal.tell(
    `Handed ${counted(addresses.length, "record")} over to ${whole}:\n` +
      `${listed(addresses)}Their blocks belong in its manifest now, and no longer in this one.\n`,
  );
}

const listed = (addresses: readonly Address[]): string =>
  addresses.map((address) => `  ${escapeText(address)}\n`).join("");

export const forceUnlockVerb = stateVerb({
  name: "force-unlock",
  arguments: { lockId: argument("<lock-id>") },
  summary: "Remove a lock whose holder is gone",
  detail: "Make sure that no other run is alive: two writers of one state lose work.",
  examples: [["rnv force-unlock 3f1c9d52", "the id is in the message that says the lock is held"]],
  run: async ({ lockId }, { context, screen }) => {
    const { host, pid, command, since } = await forceUnlock(context, lockId);
    const holder = `${escapeText(command)} (${escapeText(host)}, pid ${pid}, since ${since})`;
    screen.terminal.tell(`Removed the lock of ${holder}.\n`);
  },
});

export const stateVerbs: VerbFamily = {
  name: "state",
  summary: "List, show and correct what the state records",
  description: "List, show and correct what the state records. Nothing here writes to the platform.",
  verbs: [
    stateVerb({
      name: "list",
      arguments: { addresses: argument("[address...]") },
      summary: "List recorded addresses",
      detail: "An address also stands for everything below it.",
      options: pick("json"),
      examples: [
        ["rnv state list", "all"],
        ["rnv state list service.shop.api", "one service and what belongs to it"],
      ],
      run: async ({ addresses: wanted, json }, { context, screen: { terminal } }) => {
        const state = await context.backend.read();
        const all = state ? recordedIn(state).map(({ address }) => address) : [];
        const inside = (outer: string) => all.filter((address) => isWithin(state, address, outer));
        for (const outer of wanted) if (inside(outer).length === 0) findRecorded(state, outer);
        const chosen = new Set(wanted.flatMap(inside));
        const listed = wanted.length === 0 ? all : all.filter((address) => chosen.has(address));
        const mark = (address: Address) => (state?.resources[address]?.retained ? "  (retained)" : "");
        const lines = listed.map((address) => `${escapeText(address)}${mark(address)}\n`);
        terminal.out(json ? `${escapeJson(listed)}\n` : lines.join(""));
        if (all.length === 0 && !json) terminal.err("Nothing is recorded yet.\n");
      },
    }),
    stateVerb({
      name: "show",
      arguments: { address: argument("<address>") },
      summary: "Show what is recorded for an address",
      options: pick("json"),
      examples: [["rnv state show service.shop.api", "id, fields last applied, computed attributes"]],
      run: async ({ address: wanted, json }, { context, screen }) => {
        const state = await context.backend.read();
        const shown = state && (await shownState(context, state));
        const { address, recorded } = findRecorded(shown, wanted);
        if (json) screen.terminal.out(jsonText(resourceDocument(address, recorded)));
        else screen.terminal.out(`${resourceText(address, recorded, screen.terminal.style).trimEnd()}\n`);
      },
    }),
    stateVerb({
      name: "mv",
      arguments: { addresses: argument("<address...>", "from and to; with --to STATE all that go there") },
      summary: "Move a record to another address, or records to another state",
      detail:
        "Its contents move along. `moved:` in the manifest does the same in git. With --to the other state takes the " +
        "records over under their addresses: move their blocks to its manifest too. Ended in the middle, the same command " +
        "again ends it; until then this state plans nothing.",
      options: {
        ...pick("lockTimeoutMs"),
        to: text("--to <state>", "hand records over to this state: a file, https://… or s3://…"),
      },
      examples: [
        ["rnv state mv service.shop.web service.shop.api", "after a renaming in the manifest"],
        [
          "rnv state mv --to ../payments/.rnv/state.json project.payments",
          "a project to the team that owns it now",
        ],
      ],
      run: async ({ addresses: given, to: other, lockTimeoutMs }, run) => {
        if (other !== undefined) return handOverTo(other, { addresses: given, lockTimeoutMs }, run);
        const [from, to] = given;
        if (from === undefined || to === undefined || given.length > 2)
          throw usage(
            "rnv state mv takes two addresses: from and to",
            "to hand records over to another state: rnv state mv --to STATE ADDRESS…",
          );
        const { addresses } = await moveState(run.context, { from, to, lockTimeoutMs });
        const moved = addresses.map(escapeText).join(", ");
        run.screen.terminal.tell(`Moved ${counted(addresses.length, "record")}: ${moved}\n`);
      },
    }),
    stateVerb({
      name: "claim",
      summary: "Record this repository as the owner of the state",
      detail:
        "A state belongs to the repository that made it, and runs of another repository are refused. After a rename of the " +
        "repository, this records its new name: that of the job, else that of the remote origin.",
      options: pick("lockTimeoutMs", "autoApprove", "input"),
      examples: [["rnv state claim --stage production", "after a rename of the repository; asks first"]],
      run: async ({ lockTimeoutMs, autoApprove }, { context, screen }) => {
        const { terminal } = screen;
        const confirm = async (owner: string): Promise<boolean> => {
          const notice = `The state belongs to the repository ${escapeText(owner)}. Its runs will be refused.\n\n  `;
          return autoApprove || askApproval(screen, "state claim", notice);
        };
        const repository = await claimState(context, { lockTimeoutMs, confirm });
        if (repository === undefined) {
          terminal.err("\nNothing was changed.\n");
          return exitCodes.error;
        }
        terminal.tell(`The state belongs to the repository ${escapeText(repository)}.\n`);
        return exitCodes.done;
      },
    }),
    stateVerb({
      name: "rm",
      arguments: { addresses: argument("<address...>") },
      summary: "Forget records; nothing on the platform is deleted",
      options: pick("lockTimeoutMs"),
      examples: [["rnv state rm service.shop.worker", "rnv no longer manages it"]],
      run: async (request, { context, screen }) => {
        const { addresses, archived } = await removeState(context, request);
        const notes = archived.map(({ address, id }) => {
          const back = `rnv import ${escapeText(address)} ${escapeText(id)}`;
          return `${escapeText(address)} is archived and cannot be listed. To take it back: ${back}\n`;
        });
        const what = `Forgot ${counted(addresses.length, "record")}; nothing was deleted on the platform:\n`;
        screen.terminal.tell([what, listed(addresses), ...notes].join(""));
      },
    }),
    stateVerb({
      name: "pull",
      summary: "Print the state as JSON",
      examples: [["rnv state pull > backup.json", "a copy"]],
      run: async (_, { context, screen }) => {
        const state = await context.backend.read();
        if (state === undefined) throw usage("nothing is recorded yet");
        screen.terminal.out(encodeState(state));
      },
    }),
    stateVerb({
      name: "push",
      arguments: { file: argument("<file>", "state file, `-` for standard input") },
      summary: "Replace the state by a file",
      detail: "Refused for another lineage or an older serial, unless --force.",
      options: { ...pick("lockTimeoutMs"), force: flag("--force", "whatever lineage and serial it has") },
      examples: [
        ["rnv state push backup.json", "from a file"],
        ["rnv state push - < backup.json", "from standard input"],
      ],
      run: async ({ file, force, lockTimeoutMs }, { context, screen }) => {
        const text = await readTextOrInput(file, screen.terminal);
        const name = file === "-" ? "standard input" : file;
        const { serial } = await pushState(context, { text, name, force, lockTimeoutMs });
        screen.terminal.tell(`The state is replaced; it has serial ${serial} now.\n`);
      },
    }),
    stateVerb({
      name: "backups",
      summary: "List previous snapshots, newest first",
      detail:
        "A local state and one in S3 keep ten beside them; a server of the HTTP protocol keeps its own.",
      options: pick("json"),
      examples: [["rnv state backups", "number for restore, time, serial, size, verb and place of each"]],
      run: async ({ json }, { context, screen: { terminal } }) => {
        const backups = await listBackups(context);
        const others = context.backend.location.startsWith("http") ? "; the server keeps its own" : "";
        if (json) terminal.out(`${escapeJson(backupsJson(backups))}\n`);
        else if (backups.length === 0) terminal.err(`There are no backups here${others}.\n`);
        else terminal.out(backupsText(backups));
      },
    }),
    stateVerb({
      name: "restore",
      arguments: { backup: argument("<backup>", "number in `rnv state backups`, or a state file") },
      summary: "Put a previous snapshot in place of the state",
      detail:
        "Works on a state that cannot be read. The old state becomes the newest backup. The next plan shows what " +
        "the platform has and the snapshot does not know. Refused while writes are unsettled, unless --force.",
      options: {
        ...pick("lockTimeoutMs"),
        force: flag("--force", "whatever lineage it has, and unsettled writes or not"),
      },
      examples: [
        ["rnv state restore 1", "the newest of `rnv state backups`"],
        ["rnv state restore backup.json", "a file"],
      ],
      run: async ({ backup, force, lockTimeoutMs }, { context, screen }) => {
        const from = /^[1-9]\d?$/.test(backup) ? Number(backup) : { text: readText(backup), name: backup };
        const { restored, serial } = await restoreState(context, { from, force, lockTimeoutMs });
        screen.terminal.tell(
          `Restored ${escapeText(restored.name)} (${backupText(restored)}).\n` +
            `The state has serial ${serial} now; what stood there is the newest backup.\n`,
        );
      },
    }),
  ],
};
