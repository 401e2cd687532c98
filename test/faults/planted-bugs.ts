import type { Finding } from "./hunt";
import {
  array,
  call,
  choice,
  condition,
  type Edit,
  type Find,
  ifStatement,
  initialValue,
  iterated,
  operand,
  property,
} from "./plant";
import type { RemoteKind } from "./remote-server";

/** A bug planted in the sources, and cases of the matrix that must find it. */
export interface PlantedBug extends Edit, Hunted {
  readonly name: string;
}

interface Hunted {
  readonly scenario: string;
  /** The kind of server that keeps the state; default: it lies on the disk. */
  readonly remote?: RemoteKind;
  /** Begin of the faults to try, in this order. */
  readonly faults: readonly string[];
  /** Part of the names of the cases to try: where the fault meets the bug soon. */
  readonly at?: string;
  /** Default: `wrong`, an end that the judge refuses. */
  readonly finds?: Finding["kind"];
}

const bug = (name: string, within: string, find: Find, to: Edit["to"], hunted: Hunted): PlantedBug => ({
  ...{ name, within, find, to },
  ...hunted,
});

export const plantedBugs: readonly PlantedBug[] = [
  bug("an intent is not synced before its write", "intend", property("durable"), () => "false", {
    scenario: "create-all",
    faults: ["kill power-cut"],
  }),
  bug("a write has no intent", "journaledSend", call("intend"), () => "1", {
    scenario: "create-all",
    faults: ["kill"],
  }),
  bug("a key without the run's nonce", "writeKey", array("runId"), ({ parts }) => `[${parts.slice(1)}]`, {
    scenario: "update",
    faults: ["refuse once"],
    finds: "at once",
  }),
  bug(
    "a key of the body alone",
    "writeKey",
    array("runId"),
    ({ parts }) => `[${parts[0]}, ${parts.at(-1)}]`,
    { scenario: "update", faults: ["refuse once"] },
  ),
  bug(
    "what was made is not recorded with its answer",
    "journaledSend",
    call("close", "recording"),
    ({ text, parts }) => `${text.slice(0, text.indexOf("("))}(${parts[0]}, ${parts[1]})`,
    { scenario: "create-all", faults: ["kill"], at: "disk write" },
  ),
  bug(
    "an outcome stands before what it made",
    "close",
    call("push", "outcome"),
    ({ text }) => text.replace("push", "unshift"),
    { scenario: "unlisted", faults: ["kill torn"] },
  ),
  bug(
    "a deletion without an answer counts as done",
    "remove",
    ifStatement("!isRefusedAsGone("),
    ({ text }) => `${text} return { id: input.id };`,
    { scenario: "delete", faults: ["500-before onward"] },
  ),
  bug("a queued deletion is not waited for", "seenDeleted", condition("pending"), () => "false", {
    scenario: "delete",
    faults: ["refuse once"],
    finds: "at once",
  }),
  bug("an empty list is trusted to forget", "proveGone", condition("missing"), () => "true", {
    scenario: "update",
    faults: ["empty-list"],
  }),
  bug(
    "an empty list is trusted to create",
    "findEarlierCreate",
    condition("reacts", "candidates"),
    () => "true",
    {
      scenario: "adopt",
      faults: ["empty-list once"],
    },
  ),
  bug("one short write is taken for the whole", "writeFully", condition("length"), () => "done < 1", {
    scenario: "create-all",
    faults: ["disk short"],
  }),
  bug("a new file is not synced", "openNew", call("sync"), () => "undefined", {
    scenario: "update",
    faults: ["kill power-cut", "kill torn"],
    finds: "stop",
  }),
  bug("the name of a new journal is not synced", "create", call("syncFolderOf"), () => "undefined", {
    scenario: "create-all",
    faults: ["kill power-cut"],
  }),
  bug(
    "a key is used after its receipt has expired",
    "keyLifetimeMs",
    initialValue,
    ({ text }) => `100 * ${text}`,
    { scenario: "unlisted", faults: ["kill later"], finds: "stop" },
  ),
  bug("a key is used with another credential", "keyStillCounts", operand("credential"), () => "true", {
    scenario: "unlisted",
    faults: ["kill another-key"],
    finds: "stop",
  }),
  bug("every 409 is retried", "classifyAnswer", operand("engine_unavailable"), () => "true", {
    scenario: "update",
    faults: ["409-"],
  }),
  bug("a lock is taken whoever holds it", "isDead", condition("isAlive"), () => "true", {
    scenario: "update",
    faults: ["two at once"],
    at: "variables",
  }),
  bug("a writer does not look at its lock", "checkLock", condition("isSameLock"), () => "false", {
    scenario: "update",
    faults: ["lock stolen"],
  }),
  bug("a late journal of a fenced holder counts", "pendingOf", condition("generation"), () => "false", {
    scenario: "create-all",
    faults: ["lock stolen"],
    at: "disk remove",
  }),
  bug("a 500 counts as not happened", "classifyAnswer", call("fail", "uncertain"), () => `fail("refused")`, {
    scenario: "create-all",
    faults: ["500-after"],
  }),
  bug(
    "a broken connection counts as not sent",
    "classifyTransportError",
    call("retryUnlessUncertain", "no whole answer"),
    () => `retry("not connected", "unavailable")`,
    { scenario: "create-all", faults: ["reset-after onward"] },
  ),
  bug("open intents are forgotten by the next run", "recover", iterated("open"), () => "[]", {
    scenario: "create-all",
    faults: ["kill"],
    // A list is read before the create is sent again: it stops.
    finds: "stop",
  }),
  bug("open intents are not in the snapshot", "finish", property("open"), () => "[]", {
    scenario: "create-all",
    faults: ["reset-after onward"],
  }),
  bug(
    "what stood there before is taken for what was made",
    "lookingFor",
    property("preexistingIds"),
    () => "[]",
    { scenario: "update", faults: ["kill"], finds: "stop" },
  ),
  bug(
    "an unanswered create is sent again unseen",
    "sendOrFind",
    call("untilVisible"),
    () => "Promise.resolve([])",
    {
      scenario: "create-all",
      faults: ["500-after-no-receipt"],
    },
  ),
  bug(
    "a resent write leaves its first intent open",
    "journaledSend",
    array("carried", "attempts"),
    ({ parts }) => `[...${parts[0]}]`,
    { scenario: "verb-deploy", faults: ["500-before"] },
  ),
  bug(
    "what is created again is recorded under the old id",
    "recordOfAccepted",
    condition("reacts", "makes"),
    ({ parts }) => `${parts[0]}`,
    { scenario: "replace", faults: ["kill"], at: "disk write" },
  ),
  bug(
    "the next run does not wait for what is pending",
    "followPending",
    condition("pending", "deletes"),
    () => "true",
    { scenario: "create-all", faults: ["kill"] },
  ),
  bug("everything that vanishes is gone", "checkMassDeletion", call("findUnprovenLosses"), () => "[]", {
    scenario: "delete",
    faults: ["revoked onward"],
  }),
  bug("a failed change ends with 0", "exitCodeOf", choice("worked"), () => "0", {
    scenario: "update",
    faults: ["403"],
  }),
  bug("a run that was cut short never ends", "execute", operand("run", "null"), () => "false", {
    scenario: "update",
    faults: ["disk EIO once"],
  }),
  bug(
    "a short answer tells all: no answer without an id is doubted",
    "journaledSend",
    operand("DELETE"),
    () => "true",
    { scenario: "create-all", faults: ["bare-object onward"] },
  ),
  bug(
    "an unreadable variable looks as if it lay elsewhere",
    "recordOfAccepted",
    property("applied"),
    ({ parts }) => `${parts[0]} ?? {}`,
    { scenario: "unlisted", faults: ["kill"] },
  ),
  bug(
    "a deletion has ended when its operation has",
    "pollDeletion",
    condition("gone"),
    ({ text }) => `${text} || status !== undefined`,
    { scenario: "failed-deletion", faults: ["refuse once"], finds: "at once" },
  ),
  bug(
    "what a verb was answered is not recorded",
    "acceptedBefore",
    condition("accepted", "open"),
    () => "true",
    {
      scenario: "verb-restart",
      faults: ["kill"],
    },
  ),
  bug("a verb whose end was not seen is over", "awaitEnd", condition("isSeen"), () => "true", {
    scenario: "verb-deploy",
    faults: ["redirect once"],
  }),
];

/** Bugs in what keeps a state on a server. */
export const remotePlantedBugs: readonly PlantedBug[] = [
  bug("a web page counts as an answer", "send", condition("startsWith"), () => "false", {
    scenario: "update",
    remote: "http",
    faults: ["remote html-before held"],
  }),
  bug(
    "a write does not look at what exists",
    "createHttpStore",
    condition("read()", "expected"),
    () => "true",
    { scenario: "update", remote: "http-lax", faults: ["remote lock stolen"], finds: "stop" },
  ),
  bug("the lock is not proven after a write", "write", call("proveLock"), () => "undefined", {
    scenario: "create-all",
    remote: "http-lax",
    faults: ["remote lock stolen before a write"],
  }),
  bug("a write to S3 has no condition", "createS3Store", choice("if-match"), () => "{}", {
    scenario: "update",
    remote: "s3",
    faults: ["remote lock stolen"],
  }),
  bug(
    "what is to be durable is not waited for",
    "append",
    call("push", "queue"),
    ({ text }) => `(${text}, resolve())`,
    { scenario: "create-all", remote: "http", faults: ["remote kill"] },
  ),
];
