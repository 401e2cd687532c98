import { randomUUID } from "node:crypto";
import * as z from "zod";
import { diagnosticOf } from "../api/api-error";
import { type ActionOrder, act, type Uncertainty } from "../apply/action";
import { waitUntilSettled } from "../apply/settle";
import type { RuntimeAction } from "../commands/act-on-service";
import { type Diagnostic, type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { snakeCase } from "../model/terraform-names";
import { parseDuration } from "../model/time";
import { deployment } from "../resources/deployment";
import { service } from "../resources/service";
import { serviceActions } from "../resources/service/actions";
import { diagnosticMessages, diagnosticsOf } from "./messages";
import type { ResponseOf } from "./protocol";
import { configured, type RpcAnswer, type Session, type StreamingAnswer } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
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
  readonly verb: RuntimeAction;
}

const serviceAttribute = `${service.type}_id`;

const shared: readonly AttributeSchema[] = [
  required(serviceAttribute, "string", "Id of the service."),
  optional("wait", "bool", "Wait until it has ended. Default: true."),
  optional("timeout", "string", "How long to wait, such as `45m`. Default: `30m`.", { check: durationCheck }),
];

const confirm = required("confirm", "string", "Name of the service: what its users see now is taken away.", {
  // A reference to a missing resource is an empty text.
  check: z.string().min(1),
});

function serviceAction(
  verb: RuntimeAction,
  doc: string,
  extra: readonly AttributeSchema[] = [],
): ActionSchema {
  const attributes = [...shared, ...extra, ...(serviceActions[verb].mustBeConfirmed ? [confirm] : [])];
  const twice = " After the provider is killed it may run twice: look at the service first.";
  return { ...schemaOf(`rnv_${verb.replace("-", "_")}`, { doc: doc + twice, attributes }), verb };
}

const commit = optional("commit", "string", "Commit to deploy; that of the configured branch unless given.", {
  check: deployment.schema.shape.commit,
});

const deploymentId = optional(
  "deployment_id",
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

/** PlanAction: warns where there is no such service or deployment, as for an ID that another unit mocks. */
export const planAction: RpcAnswer<"PlanAction"> = async ({ session }, request) => {
  const [{ verb }, config] = configured(actionSchemas, "action", request);
  if (session === undefined || textIn(config, serviceAttribute) === undefined) return {};
  const found = await orderOf(session, verb, config)
    .then((order) =>
      order.deploymentId ? serviceActions[verb].aim?.(session.reads, order, undefined) : undefined,
    )
    .then(() => [], diagnosticsOf);
  return { diagnostics: actionMessages(found.map((one) => ({ ...one, severity: "warning" }))) };
};

const actionMessages = (found: readonly Diagnostic[]) =>
  diagnosticMessages(found, (attribute) => [snakeCase(attribute)]);

async function orderOf(
  session: Session,
  action: RuntimeAction,
  config: TerraformObject,
): Promise<ActionOrder> {
  const wanted = textIn(config, serviceAttribute) ?? "";
  const live = await requireThere(session, service, wanted, serviceAttribute);
  if (live === undefined) throw failure("live.unchecked", `the service ${wanted} could not be read`);
  const { id, name } = live;
  const named = { deploymentId: idIn(config, deploymentId.name), commit: textIn(config, commit.name) };
  return { action, address: shapeOf(service).addressOf(name), id, name, ...named };
}

/** InvokeAction: acts on a service, tells how it goes, and ends with the result. */
export const invokeAction: StreamingAnswer<"InvokeAction"> = async (provider, request, events) => {
  const [{ verb }, config] = configured(actionSchemas, "action", request);
  const session = provider.requireSession();
  // In turn: the next invocation must not mistake this deployment for its own.
  const turn = `action ${textIn(config, serviceAttribute)}`;
  const found = await session
    .inTurn(turn, () => actAndWait(session, verb, config, events))
    .catch(diagnosticsOf);
  await events.send({ completed: { diagnostics: actionMessages(found) } });
};

const defaultTimeoutMs = 30 * 60_000;

/** After a kill of the provider an action may run a second time. */
async function actAndWait(
  session: Session,
  verb: RuntimeAction,
  config: TerraformObject,
  events: EventSink<ResponseOf<"InvokeAction">>,
): Promise<readonly Diagnostic[]> {
  const { reads, clock } = session;
  const action = serviceActions[verb];
  const order = await orderOf(session, verb, config);
  const what = `${verb} of ${order.address}`;
  const door = {
    reads,
    confirm: async () => textIn(config, confirm.name) ?? "",
    begin: async () => session.writes(randomUUID()),
    close: async () => {},
    uncertain: async (_order: ActionOrder, why: Uncertainty) => unknownEffect(what, why),
    command: "terraform apply",
  };
  const accepted = await act(door, action, order, await action.aim?.(reads, order, undefined));
  if (accepted === undefined || config.wait === false) return accepted?.warnings ?? [];
  const timeoutMs = parseDuration(textIn(config, "timeout") ?? "") ?? defaultTimeoutMs;
  // Nothing is waited for once the caller has gone.
  const signal = AbortSignal.any([session.signal, events.signal]);
  const onWaiting = (seconds: number, status: string, note?: string) => {
    const told = [status, note].filter(Boolean).join(": ");
    void events.send({ progress: { message: `${verb}: ${told} [${Math.round(seconds)}s]` } });
  };
  const waiting = { type: action, reads, clock, signal, timeoutMs, onWaiting };
  const result = await waitUntilSettled(accepted.pending, waiting);
  const next = "it is still running. Look at the service in the dashboard";
  const found = waitFinding(`the ${what}`, result, { next, timeoutMs, limit: "timeout" });
  return found === undefined ? accepted.warnings : [found, ...accepted.warnings];
}

const unknownEffect = (what: string, { found, failure: cause }: Uncertainty): DiagnosticsError =>
  failure("apply.uncertain", `unknown whether the ${what} had an effect`, {
    detail: found ? `Found: ${found.join(", ")}. Any of them may be it.` : `${diagnosticOf(cause).summary}.`,
    hint: "nothing was sent again. Look at the service in the dashboard; if you still want it, invoke the action again",
  });
