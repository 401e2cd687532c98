import { randomUUID } from "node:crypto";
import * as z from "zod";
import { diagnosticOf, isUncertain, unlessAbsent } from "../api/api-error";
import type { Resource } from "../api/reads";
import { createOrFind } from "../apply/create-or-find";
import { waitUntilSettled } from "../apply/settle";
import type { RuntimeAction } from "../commands/act-on-service";
import { type Diagnostic, DiagnosticsError, error, warning } from "../diagnostics/diagnostic";
import type { LiveResource, Pending } from "../model/live";
import type { ActionInput, Made } from "../model/resource-operations";
import { isoTime, parseDuration } from "../model/time";
import { typeNamed } from "../resources";
import { service } from "../resources/service";
import { diagnosticError, diagnosticMessages } from "./messages";
import { type RpcAnswer, requireNamed, type Session, type StreamingAnswer } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { waitFinding } from "./resource/finish-write";
import { addressIn, textIn } from "./schema/attributes";
import {
  type AttributeSchema,
  durationCheck,
  optional,
  required,
  type Schema,
  schemaOf,
} from "./schema/block";
import { checkConfig, idIn } from "./schema/check-config";
import { decodeObject } from "./values/codec";
import { isSameText, type TerraformObject } from "./values/terraform-value";

/** The schema of an `action` block, which acts at once and outside of a plan (plugin protocol 6.10, Terraform 1.14). */
interface ActionSchema extends Schema {
  readonly action: RuntimeAction;
}

const serviceAttribute = `${service.type}_id`;
const deploymentAttribute = "deployment_id";

/** A reference to what does not exist is an empty text. */
const filled = z.string().min(1);

const shared: readonly AttributeSchema[] = [
  required(serviceAttribute, "string", "Id of the service."),
  optional("wait", "bool", "Wait until it has ended. Default: true."),
  optional("timeout", "string", "How long to wait, such as `45m`. Default: `30m`.", { check: durationCheck }),
];

const confirm = required("confirm", "string", "Name of the service: what its users see now is taken away.", {
  check: filled,
});

function serviceAction(
  action: RuntimeAction,
  doc: string,
  extra: readonly AttributeSchema[] = [],
): ActionSchema {
  const confirmed = service.actions?.[action]?.mustBeConfirmed ? [confirm] : [];
  const name = `rnv_${action.replace("-", "_")}`;
  const attributes = [...shared, ...extra, ...confirmed];
  const twice = " After the provider is killed it may run twice: look at the service first.";
  return { ...schemaOf(name, { doc: doc + twice, attributes }), action };
}

const commit = optional("commit", "string", "Commit to deploy; that of the configured branch unless given.", {
  check: typeNamed(service.actions?.deploy?.makes?.type ?? "")?.schema.shape.commit ?? filled,
});

const deploymentId = optional(
  deploymentAttribute,
  "string",
  "Deployment to go back to; the newest before the current one unless given.",
);

/** Every action: the only list of them. */
export const actionSchemas: readonly ActionSchema[] = [
  serviceAction("deploy", "Deploys a service.", [commit]),
  serviceAction("clear-cache", "Deploys a service, built without its cache."),
  serviceAction("restart", "Restarts what runs of a service."),
  serviceAction("suspend", "Suspends what runs of a service; it answers nothing until it is resumed."),
  serviceAction("resume", "Resumes what was suspended."),
  serviceAction("rollback", "Takes a service back to an earlier deployment.", [deploymentId]),
];

const actionNamed = (name: string): ActionSchema => requireNamed(actionSchemas, name, "action");

/** ValidateActionConfig: what is wrong with the values that are known. */
export const validateActionConfig: RpcAnswer<"ValidateActionConfig"> = async (_provider, request) => {
  const { block, valueType } = actionNamed(request.typeName);
  return {
    diagnostics: diagnosticMessages(checkConfig(block, decodeObject(valueType, request.config) ?? {})),
  };
};

/** PlanAction: checks that there is a service to act on, where that is known. */
export const planAction: RpcAnswer<"PlanAction"> = async ({ session }, request) => {
  const { valueType } = actionNamed(request.typeName);
  const config = decodeObject(valueType, request.config) ?? {};
  const id = textIn(config, serviceAttribute);
  if (session === undefined || id === undefined) return {};
  await requireThere(session, service, id, serviceAttribute);
  await requireDeployment(session, id, config);
  return {};
};

/** Throws `DiagnosticsError` where a deployment is named that the service does not have. */
async function requireDeployment(
  { reads }: Session,
  serviceId: string,
  config: TerraformObject,
): Promise<void> {
  const attribute = deploymentAttribute;
  const id = idIn(config, attribute);
  if (id === undefined || (await unlessAbsent(() => reads.live.getDeployment(serviceId, id)))) return;
  throw diagnosticError("live.import_missing", `the service has no deployment of the id ${id}`, {
    attribute,
  });
}

/** InvokeAction: sends the one request, tells how it goes, and ends with what became of it. */
export const invokeAction: StreamingAnswer<"InvokeAction"> = async (provider, request, events) => {
  const asked = actionNamed(request.typeName);
  const session = provider.requireSession();
  const config = decodeObject(asked.valueType, request.config) ?? {};
  const id = textIn(config, serviceAttribute) ?? "";
  const begin = async (): Promise<readonly Diagnostic[]> => {
    const live = await requireThere(session, service, id, serviceAttribute);
    if (live === undefined) throw diagnosticError("live.unchecked", `the service ${id} could not be read`);
    await requireDeployment(session, live.id, config);
    const { action: verb } = asked;
    const action = service.actions?.[verb];
    if (action === undefined) throw new Error(`${service.type} has no action ${verb}`);
    const tell = (message: string) => void events.send({ progress: { message } });
    return act({ session, live, action, verb, config, tell, signal: events.signal });
  };
  // One after the other: the next invocation does not take for its own what this one starts.
  const found = await session.inTurn(`action ${id}`, begin);
  await events.send({ completed: { diagnostics: diagnosticMessages(found) } });
};

/** An action on a service, and what it is asked with. */
interface Invocation {
  readonly session: Session;
  readonly live: LiveResource;
  readonly action: Action;
  /** Its name, as messages have it. */
  readonly verb: RuntimeAction;
  readonly config: TerraformObject;
  readonly tell: (message: string) => void;
  /** Aborted when the caller has gone: what was accepted is not waited for. */
  readonly signal: AbortSignal;
}

type Action = NonNullable<Resource["actions"]>[string];

const defaultTimeoutMs = 30 * 60_000;

/** Acts on a service and waits for the end. After a kill of the provider an action may run a second time. */
async function act(invocation: Invocation): Promise<readonly Diagnostic[]> {
  const { session, live, action, verb, config } = invocation;
  const { id, name } = live;
  const address = addressIn({ resource: service }, name);
  const asked: ActionInput = {
    ...{
      address,
      id,
      name,
      deploymentId: idIn(config, deploymentAttribute),
      commit: textIn(config, commit.name),
    },
  };
  const aim = await action.aim?.(session.reads, asked, undefined);
  const confirmed = textIn(config, confirm.name) ?? "";
  if (action.mustBeConfirmed && !isSameText(confirmed, name)) return [notItsName(address, confirmed, name)];
  const input = {
    ...asked,
    deploymentId: asked.deploymentId ?? aim?.deploymentId,
    commit: asked.commit ?? aim?.commit,
  };
  const what = `${verb} of ${address}`;
  const pending = await send(session, action, input, aim?.preexistingIds ?? [], what);
  session.reads.invalidate();
  const warnings = (aim?.warnings ?? []).map(({ code, summary, ...more }) => warning(code, summary, more));
  return config.wait === false ? warnings : [...(await settle(invocation, pending, what)), ...warnings];
}

const notItsName = (address: string, confirmed: string, name: string): Diagnostic =>
  error("guard.name_changed", `${JSON.stringify(confirmed)} is not the name of ${address}`, {
    attribute: confirm.name,
    hint: `its name is ${JSON.stringify(name)}`,
  });

/** Sends the action. After an uncertain answer what it made is looked for; what cannot be looked for is not sent again. */
async function send(
  session: Session,
  action: Action,
  input: ActionInput,
  preexistingIds: readonly string[],
  what: string,
): Promise<Pending> {
  const { reads } = session;
  const since = isoTime(reads.serviceTime());
  const writes = session.writes(randomUUID());
  const pendingOf = (made: Made): Pending => action.pendingOf(input, made);
  return createOrFind(reads, {
    send: async () => pendingOf(await action.send(writes, input)),
    look: async () => action.find?.(reads, input, { preexistingIds, since }),
    take: async (id: string) => pendingOf({ id }),
    refuse: async () => {},
    several: (found) => unknownEffect(what, `Found: ${found.join(", ")}. Any of them may be it.`),
    command: "terraform apply",
  }).catch((failure: unknown) => {
    throw action.find || !isUncertain(failure)
      ? failure
      : unknownEffect(what, `${diagnosticOf(failure).summary}.`);
  });
}

const unknownEffect = (what: string, detail: string): DiagnosticsError =>
  new DiagnosticsError([
    error("apply.uncertain", `unknown whether the ${what} had an effect`, {
      detail,
      hint: "nothing was sent again. Look at the service in the dashboard; if you still want it, invoke the action again",
    }),
  ]);

async function settle(
  { session, action, verb, config, tell, signal }: Invocation,
  pending: Pending,
  what: string,
): Promise<readonly Diagnostic[]> {
  const { reads, clock } = session;
  const result = await waitUntilSettled(pending, {
    ...{ type: action, reads, clock, signal: AbortSignal.any([session.signal, signal]) },
    timeoutMs: parseDuration(textIn(config, "timeout") ?? "") ?? defaultTimeoutMs,
    onWaiting: (seconds, status, note) =>
      tell(`${verb}: ${[status, note].filter(Boolean).join(": ")} [${Math.round(seconds)}s]`),
    onNext: async () => {},
  });
  const next = "it is still running. Look at the service in the dashboard, or raise timeout";
  const found = waitFinding(`the ${what}`, result, { next });
  return found === undefined ? [] : [found];
}
