import * as z from "zod";

const text = z.string().min(1);
const count = z.int().min(0);
/** Any JSON object. Not `z.record`: copying every attribute of 5,000 resources takes longer than all the rest. */
const plainRecord = z.custom<Record<string, unknown>>(
  (value) => value !== null && typeof value === "object" && !Array.isArray(value),
  "expected an object",
);

const resource = z.looseObject({
  type: text,
  id: text,
  name: z.string(),
  parent: text.optional(),
  dependsOn: z.array(text),
  applied: plainRecord,
  computed: plainRecord,
  updatedAt: z.string().optional(),
  writtenAt: z.string().optional(),
  preventDestroy: z.boolean(),
  onRemove: z.enum(["delete", "archive", "retain"]),
  initial: plainRecord.optional(),
  madeWith: z.array(text).optional(),
  ignoreChanges: z.array(text).optional(),
  writes: count,
  inputs: z.record(z.string(), count).optional(),
  deletionFailed: z.string().optional(),
  retained: z.literal(true).optional(),
});

const command = z.looseObject({
  action: text,
  deploymentId: text.optional(),
  commit: text.optional(),
  isChosen: z.literal(true).optional(),
});

const pending = z.looseObject({ kind: z.enum(["deployment", "operation"]), id: text });

const run = z.looseObject({
  id: text,
  planDigest: z.string(),
  credential: z.string(),
  startedAt: z.string(),
  fences: z.record(z.string(), z.array(z.string())),
  accepted: z.looseObject({ address: text, command, pending }).optional(),
});

const intent = z.looseObject({
  seq: count,
  runId: text,
  address: text,
  type: text,
  operation: text,
  method: text,
  path: text,
  key: z.string(),
  bodyDigest: z.string(),
  body: z.unknown().optional(),
  madeWith: z.array(text).optional(),
  command: command.optional(),
  at: z.string(),
});

/** The shape of the state file, version 1. Fields it does not name are allowed and kept. */
export const stateSchema = z.looseObject({
  format: z.literal("rnv-state"),
  version: z.literal(1),
  lineage: text,
  serial: count,
  workspaceId: z.string(),
  baseUrl: z.string(),
  keyId: z.string().nullable(),
  resources: z.record(z.string(), resource),
  outputs: plainRecord,
  run: run.nullable(),
  deleted: z
    .record(z.string(), z.looseObject({ type: text, name: z.string(), address: text, at: z.string() }))
    .optional(),
  open: z.array(intent),
});

/** The shape of the state file when it is encrypted: lineage and serial stand in the clear, all else in `data`. */
export const sealedStateSchema = z.looseObject({
  format: z.literal("rnv-state-encrypted"),
  version: z.literal(1),
  lineage: text,
  serial: count,
  /** Names the key without telling it. */
  keyId: text,
  nonce: z.base64(),
  data: z.base64(),
});

/** What a state file may hold, in the clear or encrypted. */
export const stateFileSchema = z.discriminatedUnion("format", [stateSchema, sealedStateSchema]);

/** The shape of one entry of the journal. */
export const journalEntrySchema = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("run"), run, keyId: z.string().optional() }),
  z.looseObject({ kind: z.literal("intent"), intent }),
  z.looseObject({
    kind: z.literal("outcome"),
    seq: count,
    result: z.enum(["done", "refused"]),
    status: z.number(),
    id: z.string().optional(),
  }),
  z.looseObject({
    kind: z.literal("resource"),
    address: text,
    resource: resource.nullable(),
    deletedAt: z.string().optional(),
  }),
  z.looseObject({ kind: z.literal("outputs"), outputs: plainRecord }),
  z.looseObject({ kind: z.literal("end") }),
]);
