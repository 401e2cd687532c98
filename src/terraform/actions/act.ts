import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { actOnService } from "../../commands/act-on-service";
import type { RuntimeAction, RuntimeRequest } from "../../commands/carry-out-action";
import type { Connection, Context } from "../../commands/context";
import { holdLock } from "../../commands/hold-lock";
import { startingState } from "../../commands/recover";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import { type Address, addressOf, isLogicalName } from "../../model/address";
import type { LiveResource } from "../../model/live";
import type { RecordedResource } from "../../model/state";
import { parseDuration, timeNow } from "../../model/time";
import type { StateBackend } from "../../state/backend";
import { createLocalBackend } from "../../state/local/local-backend";
import { intentFolder, notWritten } from "../apply/intent-files";
import type { Provider, Session } from "../provider";
import { bareRecord } from "../record";
import { isSameText } from "../values/terraform-value";

/** What an `action` block asks for. */
export interface ActionWish {
  readonly action: RuntimeAction;
  readonly deploymentId: string | undefined;
  readonly commit: string | undefined;
  /** The name of the service, where it must be typed. */
  readonly confirmed: string | undefined;
  readonly wait: boolean;
  readonly timeout: string | undefined;
}

interface ActionSurroundings {
  readonly session: Session;
  /** The service to act on. */
  readonly live: LiveResource;
  /** `rnv_restart`. */
  readonly typeName: string;
  readonly provider: Pick<Provider, "environment" | "cwd" | "host">;
  readonly tell: (message: string) => void;
  /** Aborted when nobody listens any more: what was accepted is not waited for. */
  readonly signal: AbortSignal;
}

const defaultTimeoutMs = 30 * 60_000;
const lockTimeoutMs = 60_000;

/**
 * Acts on a service exactly once, as the verbs of the command line do: the intent is in a file of Terraform's data
 * folder before the request leaves, and an invocation that ended before its end was seen is gone on with by the next
 * one of the same action. The file is gone once nothing is open.
 */
export async function act(wish: ActionWish, around: ActionSurroundings): Promise<readonly Diagnostic[]> {
  const { session, live, provider } = around;
  const folder = join(
    intentFolder(provider.cwd, provider.environment),
    ...["actions", session.workspaceId, live.id],
  );
  makeFolder(folder);
  const context = contextOf(around, folder);
  const address = await recordService(context, around);
  const { diagnostics } = await actOnService(
    context,
    connectionOf(session),
    requestOf(wish, address, around),
  );
  session.reads.invalidate();
  await removeIfOver(context.backend, folder);
  return diagnostics.map((one) => inWordsOfTerraform(one, around.typeName, `service "${live.name}"`));
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw notWritten(folder, cause);
  }
}

function contextOf({ session, provider, tell, signal }: ActionSurroundings, folder: string): Context {
  const { workspaceId, baseUrl, clock, credential } = session;
  const host = hostname();
  const { environment } = provider;
  const { pid, isAlive } = provider.host;
  const path = join(folder, "intents.json");
  return {
    ...{ cwd: folder, environment, baseUrl, workspaceId, clock, host, pid, randomBytes },
    credential: () => credential,
    backend: createLocalBackend({ path, workspaceId, baseUrl, host, pid, isAlive, clock }),
    connect: async () => connectionOf(session),
    stateKey: async () => ({ diagnostics: [] }),
    emit: () => {},
    say: tell,
    signal: AbortSignal.any([session.signal, signal]),
  };
}

const connectionOf = ({ send, reads, endpoints, close }: Session): Connection => ({
  ...{ send, reads, endpoints, close },
  redact: () => false,
});

/** Records what is acted on, beside what an earlier invocation left open; returns the address it has there. */
async function recordService(context: Context, { session, live }: ActionSurroundings): Promise<Address> {
  return holdLock(context, { command: "action", timeoutMs: lockTimeoutMs }, async (lock) => {
    const state = await startingState(context, lock, []);
    const before = Object.entries(state.resources).find(([, { id }]) => id === live.id)?.[0];
    const name = isLogicalName(live.name) ? live.name : live.id;
    const address = (before as Address | undefined) ?? addressOf(live.type, name);
    const made = Object.fromEntries(madeIn(session, live, address));
    await lock.commit({ ...state, resources: { ...made, ...state.resources, [address]: bareRecord(live) } });
    return address;
  });
}

/** What this process made in the service a moment ago: a list without it is behind. */
function madeIn(session: Session, { id, type }: LiveResource, parent: Address) {
  const writtenAt = timeNow(session);
  const within = [...session.made.values()]
    .filter((one) => one !== undefined)
    .filter((one) => one.parentId === id);
  return within.map((one): [Address, RecordedResource] => [
    addressOf(one.type, parent.slice(type.length + 1)),
    { ...bareRecord(one), parent, writtenAt },
  ]);
}

function requestOf(wish: ActionWish, address: Address, { live, tell }: ActionSurroundings): RuntimeRequest {
  const { action, deploymentId, commit, confirmed, wait, timeout } = wish;
  let told = "";
  let toldAt = 0;
  return {
    ...{ address, action, deploymentId, commit, wait, lockTimeoutMs },
    timeoutMs: (timeout === undefined ? undefined : parseDuration(timeout)) ?? defaultTimeoutMs,
    confirm: async () => (isSameText(confirmed ?? "", live.name) ? live.name : (confirmed ?? "")),
    onGoingOn: (since) => tell(`The ${action} of ${since} goes on; nothing is repeated.`),
    onWaiting: (seconds, status, note) => {
      const line = [status, note].filter(Boolean).join(": ");
      if (line === told && seconds - toldAt < secondsBetweenLines) return;
      told = line;
      toldAt = seconds;
      tell(`${action}: ${line} [${Math.round(seconds)}s]`);
    },
  };
}

const secondsBetweenLines = 10;

async function removeIfOver(backend: StateBackend, folder: string): Promise<void> {
  const state = await backend.read();
  if (state === undefined || (state.run === null && state.open.length === 0))
    rmSync(folder, { recursive: true, force: true });
}

/** Names the action where the command line names its verb, and the service where that has an address of its own. */
function inWordsOfTerraform(
  { address, ...found }: Diagnostic,
  typeName: string,
  subject: string,
): Diagnostic {
  const again = `terraform apply -invoke=action.${typeName}.NAME`;
  const reworded = (text: string | undefined): string | undefined =>
    text
      ?.replace(/`?\brnv drift\b`?/g, "`terraform plan`")
      .replace(
        /`?\brnv [a-z]+ service\.[\w.-]+( [0-9a-f-]{36})?( --commit [0-9a-f]+)?( --clear-cache)?`?/g,
        `\`${again}\``,
      )
      .replaceAll(address ?? subject, subject)
      .replace("the same command again", "the same action again")
      .replace("--timeout", "`timeout`");
  return {
    ...found,
    summary: reworded(found.summary) ?? "",
    detail: reworded(found.detail),
    hint: reworded(found.hint),
  };
}
