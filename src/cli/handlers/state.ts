import { text as readAll } from "node:stream/consumers";
import { forceUnlock } from "../../commands/force-unlock";
import { output } from "../../commands/output";
import { show } from "../../commands/show";
import { listBackups, moveState, pushState, removeState, restoreState } from "../../commands/state-verbs";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { State } from "../../model/state";
import type { Plain } from "../../model/value";
import { backupsJson, backupsText, backupText } from "../../render/backups-text";
import { inertJson, inertText } from "../../render/inert";
import { counted } from "../../render/plan-wording";
import { outputsJson, resourceDocument } from "../../render/state-json";
import { outputsText, recordedAddresses, resourceText } from "../../render/state-text";
import { encodeState } from "../../state/state-text";
import type { Handler, Invocation } from "../invocation";
import { readLimited } from "../read-limited";
import { outStyle, report } from "../report";
import { withContext } from "../with-context";

const lockTimeoutOf = ({ options }: Invocation): number => (options.lockTimeout as number | undefined) ?? 0;

/** `rnv state list` */
export const stateListHandler: Handler = async (invocation) => {
  const { terminal, positional, options } = invocation;
  const wanted = (positional[0] as readonly string[] | undefined) ?? [];
  const { state } = await withContext(invocation, (context) => show(context));
  const all = state ? recordedAddresses(state) : [];
  const listed = all.filter(
    (address) => wanted.length === 0 || wanted.some((outer) => isWithin(state, address, outer)),
  );
  if (options.json === true) terminal.out(`${inertJson(listed)}\n`);
  else terminal.out(listed.map((address) => `${inertText(address)}${mark(state, address)}\n`).join(""));
  if (all.length === 0 && options.json !== true) terminal.err("Nothing is recorded yet.\n");
  return 0;
};

const mark = (state: State | undefined, address: Address): string =>
  state?.resources[address]?.retained ? "  (retained)" : "";

/** An address stands for itself and for everything that lies in it. */
function isWithin(state: State | undefined, address: Address, outer: string): boolean {
  for (let at: Address | undefined = address; at !== undefined; at = state?.resources[at]?.parent)
    if (at === outer) return true;
  return false;
}

/** `rnv state show` */
export const stateShowHandler: Handler = async (invocation) => {
  const { terminal, positional, options } = invocation;
  const outcome = await withContext(invocation, (context) =>
    show(context, { address: positional[0] as string }),
  );
  report(invocation, outcome.diagnostics);
  if (outcome.found) {
    const { address, recorded } = outcome.found;
    if (options.json === true) terminal.out(`${inertJson(resourceDocument(address, recorded), 2)}\n`);
    else terminal.out(`${resourceText(address, recorded, outStyle(invocation)).trimEnd()}\n`);
  }
  return outcome.exitCode;
};

/** `rnv state mv` */
export const stateMoveHandler: Handler = async (invocation) => {
  const [from, to] = invocation.positional as readonly [string, string];
  const { addresses, exitCode } = await withContext(invocation, (context) =>
    moveState(context, { from, to, lockTimeoutMs: lockTimeoutOf(invocation) }),
  );
  invocation.terminal.out(
    `Moved ${counted(addresses.length, "record")}: ${addresses.map(inertText).join(", ")}\n`,
  );
  return exitCode;
};

/** `rnv state rm` */
export const stateRemoveHandler: Handler = async (invocation) => {
  const wanted = invocation.positional[0] as readonly string[];
  const {
    addresses,
    archived = [],
    exitCode,
  } = await withContext(invocation, (context) =>
    removeState(context, { addresses: wanted, lockTimeoutMs: lockTimeoutOf(invocation) }),
  );
  const list = addresses.map((address) => `  ${inertText(address)}\n`).join("");
  invocation.terminal.out(`Forgot ${counted(addresses.length, "record")}; the service keeps them:\n${list}`);
  for (const { address, id } of archived)
    invocation.terminal.out(
      `${inertText(address)} is archived and in no list of the service. To take it back: rnv import ${inertText(address)} ${inertText(id)}\n`,
    );
  return exitCode;
};

/** `rnv state pull` */
export const statePullHandler: Handler = async (invocation) => {
  const { state } = await withContext(invocation, (context) => show(context));
  if (state === undefined) throw new DiagnosticsError([error("command.usage", "nothing is recorded yet")]);
  invocation.terminal.out(encodeState(state));
  return 0;
};

/** `rnv state push` */
export const statePushHandler: Handler = async (invocation) => {
  const name = invocation.positional[0] as string;
  const text = name === "-" ? await readAll(invocation.terminal.stdin) : readText(name);
  const { serial, exitCode } = await withContext(invocation, (context) =>
    pushState(context, {
      text,
      name: name === "-" ? "standard input" : name,
      force: invocation.options.force === true,
      lockTimeoutMs: lockTimeoutOf(invocation),
    }),
  );
  invocation.terminal.out(`The state is replaced; it has serial ${serial} now.\n`);
  return exitCode;
};

/** `rnv state backups` */
export const stateBackupsHandler: Handler = async (invocation) => {
  const { terminal, options } = invocation;
  const { backups } = await withContext(invocation, listBackups);
  if (options.json === true) terminal.out(`${inertJson(backupsJson(backups))}\n`);
  else if (backups.length === 0) terminal.err("There are no backups yet.\n");
  else terminal.out(backupsText(backups));
  return 0;
};

/** `rnv state restore` */
export const stateRestoreHandler: Handler = async (invocation) => {
  const backup = invocation.positional[0] as string;
  const from = /^[1-9]\d?$/.test(backup) ? Number(backup) : { text: readText(backup), name: backup };
  const { restored, serial, exitCode } = await withContext(invocation, (context) =>
    restoreState(context, {
      from,
      force: invocation.options.force === true,
      lockTimeoutMs: lockTimeoutOf(invocation),
    }),
  );
  invocation.terminal.out(
    `Restored ${inertText(restored.name)} (${backupText(restored)}).\n` +
      `The state has serial ${serial} now; what stood there is the newest backup.\n`,
  );
  return exitCode;
};

/** Bytes of a state or a saved plan. */
const largestText = 64 * 1024 * 1024;

/** The text of a file that was named on the command line. */
export function readText(path: string): string {
  try {
    return readLimited(path, largestText).toString("utf8");
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unreadable";
    throw new DiagnosticsError([error("command.usage", `cannot read ${path} (${reason})`)]);
  }
}

/** `rnv force-unlock` */
export const forceUnlockHandler: Handler = async (invocation) => {
  const lockId = invocation.positional[0] as string;
  const outcome = await withContext(invocation, (context) => forceUnlock(context, { lockId }));
  report(invocation, outcome.diagnostics);
  if (outcome.removed) {
    const { host, pid, command, since } = outcome.removed;
    invocation.terminal.out(
      `Removed the lock of ${inertText(command)} (${inertText(host)}, pid ${pid}, since ${since}).\n`,
    );
  }
  return outcome.exitCode;
};

/** `rnv output` */
export const outputHandler: Handler = async (invocation) => {
  const { terminal, positional, options } = invocation;
  const name = positional[0] as string | undefined;
  const { outputs, diagnostics, exitCode } = await withContext(invocation, (context) =>
    output(context, { name }),
  );
  report(invocation, diagnostics);
  if (exitCode !== 0) return exitCode;
  if (options.raw === true) terminal.out(rawText(name, name === undefined ? undefined : outputs[name]));
  else if (name !== undefined) terminal.out(`${inertJson(outputs[name])}\n`);
  else if (options.json === true) terminal.out(outputsJson(outputs));
  else if (Object.keys(outputs).length === 0) terminal.err("There are no outputs.\n");
  else terminal.out(`${outputsText(outputs).trimEnd()}\n`);
  return exitCode;
};

/** A value as a script wants it: no quotes, no line break. Anything but a scalar has no such form. */
function rawText(name: string | undefined, value: Plain | undefined): string {
  if (value !== null && ["string", "number", "boolean"].includes(typeof value)) return String(value);
  const summary =
    name === undefined ? "-raw needs the name of one output" : `-raw: output "${name}" is not a text`;
  throw new DiagnosticsError([error("command.usage", summary, { hint: "-json prints any of them" })]);
}
