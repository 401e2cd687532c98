import { randomUUID } from "node:crypto";
import * as z from "zod";
import { diagnosticOf, isUncertain, unlessAbsent } from "../api/api-error";
import type { VerbAction } from "../apply/action";
import { createOrFind } from "../apply/create-or-find";
import { waitUntilSettled } from "../apply/settle";
import type { RuntimeAction } from "../commands/act-on-service";
import { type Diagnostic, type DiagnosticsError, error, failure, warning } from "../diagnostics/diagnostic";
import type { Pending } from "../model/live";
import type { ActionInput, Made } from "../model/resource-operations";
import { parseDuration } from "../model/time";
import { typeNamed } from "../resources";
import { service } from "../resources/service";
import { diagnosticMessages } from "./messages";
import type { EventOf } from "./protocol";
import { configured, type RpcAnswer, type Session, type StreamingAnswer } from "./provider";
import { findReferred, parentFindings, requireThere } from "./resource/confirm-deleted";
import { waitFinding } from "./resource/finish-write";
import {
  type AttributeSchema,
  durationCheck,
  optional,
  required,
  type Schema,
  schemaOf,
} from "./schema/block";
import { idIn } from "./schema/check-config";
import { shapeOf } from "./schema/terraform-shape";
import type { EventSink } from "./server";
import { type TerraformObject, textIn } from "./values";

/** The schema of an `action` block, which acts at once and outside of a plan (plugin protocol 6.10, Terraform 1.14). */
interface ActionSchema extends Schema {
  /** Its name, as messages have it. */
  readonly verb: RuntimeAction;
  readonly action: VerbAction;
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
  verb: RuntimeAction,
  doc: string,
  extra: readonly AttributeSchema[] = [],
): ActionSchema {
  const action = service.actions?.[verb];
  if (action === undefined) throw new Error(`${service.type} has no action ${verb}`);
  const attributes = [...shared, ...extra, ...(action.mustBeConfirmed ? [confirm] : [])];
  const twice = " After the provider is killed it may run twice: look at the service first.";
  return { ...schemaOf(`rnv_${verb.replace("-", "_")}`, { doc: doc + twice, attributes }), verb, action };
}

const commit = optional("commit", "string", "Commit to deploy; that of the configured branch unless given.", {
  check: typeNamed(service.actions?.deploy?.makes?.type ?? "")?.schema.shape.commit ?? filled,
});

const deploymentId = optional(
  deploymentAttribute,
  "string",
  "Deployment to go back to; the newest before the current one unless given.",
);

export const actionSchemas: readonly ActionSchema[] = [
  serviceAction("deploy", "Deploys a service.", [commit]),
  serviceAction("clear-cache", "Deploys a service, built without its cache."),
  serviceAction("restart", "Restarts what runs of a service."),
  serviceAction("suspend", "Suspends what runs of a service; it answers nothing until it is resumed."),
  serviceAction("resume", "Resumes what was suspended."),
  serviceAction("rollback", "Takes a service back to an earlier deployment.", [deploymentId]),
];

/** PlanAction: checks that there is a service to act on, where that is known. */
export const planAction: RpcAnswer<"PlanAction"> = async ({ session }, request) => {
  const [, config] = configured(actionSchemas, "action", request);
  const id = textIn(config, serviceAttribute);
  if (session === undefined || id === undefined) return {};
  const found = await findReferred(session, service, id, serviceAttribute);
  if (found.isMissing) return { diagnostics: diagnosticMessages(parentFindings(found, false)) };
  await requireDeployment(session, id, idIn(config, deploymentAttribute));
  return {};
};

/** Throws `DiagnosticsError` where a deployment is named that the service does not have. */
async function requireDeployment({ reads }: Session, serviceId: string, id?: string): Promise<void> {
  if (id === undefined || (await unlessAbsent(() => reads.live.getDeployment(serviceId, id)))) return;
  const summary = `the service has no deployment of the id ${id}`;
  throw failure("manifest.reference_unknown", summary, { attribute: deploymentAttribute });
}

/** InvokeAction: sends the one request, tells how it goes, and ends with what became of it. */
export const invokeAction: StreamingAnswer<"InvokeAction"> = async (provider, request, events) => {
  const [asked, config] = configured(actionSchemas, "action", request);
  const session = provider.requireSession();
  // One after the other: the next invocation does not take for its own what this one starts.
  const turn = `action ${textIn(config, serviceAttribute)}`;
  const found = await session.inTurn(turn, () => act({ session, asked, config, events }));
  await events.send({ completed: { diagnostics: diagnosticMessages(found) } });
};

interface ActionCall {
  readonly session: Session;
  readonly asked: ActionSchema;
  readonly config: TerraformObject;
  /** Its signal is aborted when the caller has gone: what was accepted is not waited for. */
  readonly events: EventSink<EventOf<"InvokeAction">>;
}

const defaultTimeoutMs = 30 * 60_000;

/** Acts on a service and waits for the end. After a kill of the provider an action may run a second time. */
async function act(invocation: ActionCall): Promise<readonly Diagnostic[]> {
  const { session, asked, config } = invocation;
  const { action, verb } = asked;
  const wanted = textIn(config, serviceAttribute) ?? "";
  const live = await requireThere(session, service, wanted, serviceAttribute);
  if (live === undefined) throw failure("live.unchecked", `the service ${wanted} could not be read`);
  const { id, name } = live;
  const deploymentId = idIn(config, deploymentAttribute);
  await requireDeployment(session, id, deploymentId);
  const address = shapeOf(service).addressOf(name);
  const named: ActionInput = { address, id, name, deploymentId, commit: textIn(config, commit.name) };
  const aim = await action.aim?.(session.reads, named, undefined);
  // Terraform composes every text that it is given.
  const confirmed = textIn(config, confirm.name) ?? "";
  if (action.mustBeConfirmed && confirmed !== name.normalize("NFC")) {
    const summary = `${JSON.stringify(confirmed)} is not the name of ${address}`;
    const hint = `its name is ${JSON.stringify(name)}`;
    return [error("guard.name_changed", summary, { attribute: confirm.name, hint })];
  }
  const input = {
    ...named,
    deploymentId: named.deploymentId ?? aim?.deploymentId,
    commit: named.commit ?? aim?.commit,
  };
  const what = `${verb} of ${address}`;
  const pending = await send(session, action, input, aim?.preexistingIds ?? [], what);
  session.reads.invalidate();
  const warnings = (aim?.warnings ?? []).map(({ code, summary, ...more }) => warning(code, summary, more));
  return config.wait === false ? warnings : [...(await settle(invocation, pending, what)), ...warnings];
}

/** Sends the action. After an uncertain answer what it made is looked for; what cannot be looked for is not sent again. */
async function send(
  session: Session,
  action: VerbAction,
  input: ActionInput,
  preexistingIds: readonly string[],
  what: string,
): Promise<Pending> {
  const { reads } = session;
  const writes = session.writes(randomUUID());
  const pendingOf = (made: Made): Pending => action.pendingOf(input, made);
  return createOrFind(reads, {
    send: async () => pendingOf(await action.send(writes, input)),
    look: async () => action.find?.(reads, input, preexistingIds),
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
  failure("apply.uncertain", `unknown whether the ${what} had an effect`, {
    detail,
    hint: "nothing was sent again. Look at the service in the dashboard; if you still want it, invoke the action again",
  });

async function settle(
  { session, asked, config, events }: ActionCall,
  pending: Pending,
  what: string,
): Promise<readonly Diagnostic[]> {
  const { reads, clock, signal } = session;
  const timeoutMs = parseDuration(textIn(config, "timeout") ?? "") ?? defaultTimeoutMs;
  const result = await waitUntilSettled(pending, {
    ...{ type: asked.action, reads, clock, signal: AbortSignal.any([signal, events.signal]) },
    timeoutMs,
    onWaiting: (seconds, status, note) => {
      const told = [status, note].filter(Boolean).join(": ");
      void events.send({ progress: { message: `${asked.verb}: ${told} [${Math.round(seconds)}s]` } });
    },
  });
  const next = "it is still running. Look at the service in the dashboard";
  const found = waitFinding(`the ${what}`, result, { next, timeoutMs, limit: "timeout" });
  return found === undefined ? [] : [found];
}
