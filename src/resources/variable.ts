import * as z from "zod";
import { ApiError } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import { gapVariable } from "../api/gaps";
import type { VersionFilter } from "../api/known-versions";
import type { Reads, Resource } from "../api/reads";
import type { Variable } from "../api/wire/shapes";
import { failure } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import type { LiveResource, Pending, ReadResult } from "../model/live";
import { sameName } from "../model/names";
import type {
  Accepted,
  AppliableValue,
  CandidateSearch,
  CreateInput,
  DeleteInput,
  Finding,
  ReadTarget,
  UpdateInput,
} from "../model/resource-operations";
import type { ResourceType, RulesOf } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isOlder } from "../model/time";
import { type ResolvedValue, Unknown } from "../model/value";
import { checkName, foundAmong, parentIdOf, parentRecord, present, sameId } from "./attribute-values";
import { type DeletionStatus, deletionOf } from "./deletion";

const schema = z.strictObject({
  key: z.string().min(1).optional().describe("Name of the variable; its logical name unless given."),
  value: z
    .string()
    .optional()
    .describe(
      "Value: text, or one of `fromEnv`, `fromFile`, `fromCommand`, `generate`. Never shown, never stored.",
    ),
  preserve: z
    .boolean()
    .optional()
    .describe("True: the variable exists on the platform and its value is not ours to set."),
});

type VariableBlock = z.infer<typeof schema>;

const rules: RulesOf<VariableBlock, "serviceId"> = {
  serviceId: { change: "replace", equal: sameId },
  key: { change: "update" },
  value: { change: "update", secret: true },
  preserve: { change: "local" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the variable.", stable: true },
  createdAt: { valueType: "string", doc: "When it was created, ISO 8601.", stable: true },
  updatedAt: { valueType: "string", doc: "When its name or value last changed, ISO 8601.", stable: false },
} as const satisfies ResourceType["computed"];

/** An encrypted variable of one service; the service shows masked metadata only (interface, "Variable"). */
export const variable: Resource = {
  type: "variable",
  doc: "An encrypted variable of one service. Plans compare fingerprints and times, never values.",
  schema,
  rules,
  computed,
  groups: [],
  manifest: {
    key: "variables",
    within: ["service"],
    shape: "map",
    shorthand: "value",
    shared: { groups: "variableGroups", from: "variablesFrom" },
    alsoCalled: [
      "variable",
      "vars",
      "var",
      "env",
      "envs",
      "envVars",
      "environmentVariables",
      "environment",
      "secrets",
      "secret",
    ],
    fieldsAlsoCalled: {
      fromEnv: ["env"],
      fromFile: ["file"],
      fromCommand: ["command", "cmd", "exec"],
      generate: ["random"],
      preserve: ["keep"],
    },
  },
  parents: [{ type: "service", attribute: "serviceId" }],
  follows: [],
  nameAttribute: "key",
  picture: { as: "reference" },
  preservedBy: "preserve",
  defaults: () => new Map(),
  check,
  read,
  list,
  candidates,
  reveal: async (reads, live) =>
    new Map([["value", await reads.live.revealVariable(live.parentId ?? "", live.id)]]),
  create,
  update,
  unappliedHint: `if no value ever takes, the platform wants another body, which ${gapVariable("patchVariable")} may hold (rnv schema gaps)`,
  removal: "delete",
  removedWithParent: true,
  ...deletionOf({
    send: (writes, { address, id, parentId }) => {
      if (parentId === undefined) throw new Error(`${address}: a variable without a service`);
      return writes.deleteVariable(parentId, id);
    },
    subject: (variableId, serviceId) => ({ variableId, serviceId }),
    look: lookAt,
    find,
  }),
};

/** Returns a variable of the service as a live resource: its key, never its value. */
function liveVariable(found: Variable, serviceId: string): LiveResource {
  return {
    type: "variable",
    id: found.id,
    name: found.key,
    parentId: serviceId,
    attributes: present({ serviceId, key: found.key }),
    computed: present({ id: found.id, createdAt: found.createdAt, updatedAt: found.updatedAt }),
    updatedAt: found.updatedAt ?? undefined,
  };
}

function check(declared: ReadonlyMap<string, ResolvedValue>): readonly Finding[] {
  const isPreserved = declared.get("preserve") === true;
  if (declared.get("preserve") instanceof Unknown || isPreserved !== declared.has("value"))
    return checkName(declared, "key");
  const code = "plan.invalid_combination";
  if (!isPreserved) return [{ code, summary: "a variable has no value", ...remedy("variable.value") }];
  const hint = "remove `value` to leave what the platform has, or remove `preserve` to set it";
  return [{ code, summary: "a preserved variable has a value", hint, attribute: "value" }];
}

const otherPath = `(${gapVariable("listVariables")} names another path)`;

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const service = await parentRecord(target, "serviceId", (id) => reads.service(id));
  if (service.kind !== "found") return service;
  const { id: serviceId, missing } = service;
  const { name: key } = target;
  const asks: VersionFilter = ({ id, name }) => id === target.id || sameName(name, key);
  const variables = await reads.variables(serviceId, asks);
  if (variables === undefined) {
    return target.id === undefined
      ? missing
      : { kind: "unchecked", reason: `the platform does not list variables ${otherPath}` };
  }
  // A declared key may stand in for a recorded id. A deletion must not follow a name.
  const mayMatchKey = target.id === undefined || target.declared.size > 0;
  const recorded = variables.filter(({ id }) => id === target.id);
  // Gap "variable keys".
  const named = mayMatchKey ? variables.filter((variable) => sameName(variable.key, key)) : [];
  const found = recorded.length > 0 ? recorded : named;
  return foundAmong(
    found.map((shown) => liveVariable(shown, serviceId)),
    missing,
  );
}

async function list(reads: Reads, serviceId?: string): Promise<readonly LiveResource[] | undefined> {
  if (serviceId !== undefined)
    return (await reads.variables(serviceId))?.map((shown) => liveVariable(shown, serviceId));
  const services = await reads.services();
  const lists = await Promise.all(services.map(async ({ id }) => (await list(reads, id)) ?? []));
  return lists.flat();
}

async function candidates(
  reads: Reads,
  { name, parentId, since }: CandidateSearch,
): Promise<readonly LiveResource[] | undefined> {
  if (parentId === undefined) return [];
  // An older variable was left out of the list of the plan: its value is another.
  const variables = await reads.variables(parentId);
  const sentAt = reads.timeAt(since);
  const isNew = ({ key, updatedAt }: Variable): boolean => sameName(key, name) && !isOlder(updatedAt, sentAt);
  return variables?.filter(isNew).map((shown) => liveVariable(shown, parentId));
}

/** Returns the value to send; a text is declared in the open. */
const valueAt = (attributes: ReadonlyMap<string, AppliableValue>): Secret | string | undefined => {
  const value = attributes.get("value");
  return value instanceof Secret || typeof value === "string" ? value : undefined;
};

async function create(writes: Endpoints, input: CreateInput): Promise<Accepted> {
  const serviceId = parentIdOf(input, "serviceId");
  const value = valueAt(input.attributes);
  if (value === undefined) {
    const { address } = input;
    const summary = `${address} is to be preserved, but the platform has no such variable`;
    const hint = "set it in the dashboard, or give it a value here";
    throw failure("live.preserve_missing", summary, { address, hint });
  }
  const live = liveVariable(await writes.createVariable(serviceId, { key: input.name, value }), serviceId);
  return { id: live.id, live };
}

async function update(writes: Endpoints, input: UpdateInput): Promise<Accepted> {
  const serviceId = parentIdOf(input, "serviceId");
  const value = input.changed.has("value") ? valueAt(input.attributes) : undefined;
  const key = input.changed.has("key") ? input.name : undefined;
  if (value === undefined && key === undefined) return { id: input.id, live: input.live };
  const changed = await writes.updateVariable(serviceId, input.id, { key, value });
  return { id: input.id, live: liveVariable(changed, serviceId) };
}

/** A variable does not show that it is being deleted. It ends with its service. */
async function lookAt(reads: Reads, { serviceId, variableId }: Pending): Promise<DeletionStatus> {
  const listed =
    serviceId === undefined ? undefined : await reads.variables(serviceId, ({ id }) => id === variableId);
  if (listed === undefined) return "unreadable";
  return listed.some(({ id }) => id === variableId) ? "unmarked" : "gone";
}

/** Finds a variable without a read by id: an update of its key to the same key answers 404 when it is gone. */
async function find(
  writes: Endpoints,
  { id, name, parentId }: DeleteInput,
): Promise<LiveResource | undefined> {
  if (parentId === undefined) return undefined;
  try {
    return liveVariable(await writes.updateVariable(parentId, id, { key: name }), parentId);
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) return undefined;
    throw failure;
  }
}
