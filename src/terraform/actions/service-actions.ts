import * as z from "zod";
import type { RuntimeAction } from "../../commands/carry-out-action";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { isMissing } from "../../model/live";
import { findResource, typeNamed } from "../../resources";
import { unlessGone } from "../../resources/deletion";
import { service } from "../../resources/service";
import { diagnosticError, diagnosticMessages } from "../messages";
import { type RpcAnswer, requireNamed, type Session, type StreamingAnswer } from "../provider";
import { textIn } from "../schema/attributes";
import {
  type AttributeSchema,
  durationCheck,
  optional,
  required,
  type Schema,
  schemaOf,
} from "../schema/block";
import { checkConfig, idIn } from "../schema/check-config";
import { decodeObject } from "../values/codec";
import { holdsUnknown, type TerraformObject } from "../values/terraform-value";
import type { ActionWish, act as carryOut } from "./act";

/** What an `action` block asks for, at once and outside of a plan (plugin protocol 6.10, Terraform 1.14). */
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

/** PlanAction: whether there is a service to act on, where that is known. */
export const planAction: RpcAnswer<"PlanAction"> = async ({ session }, request) => {
  const { valueType } = actionNamed(request.typeName);
  const config = decodeObject(valueType, request.config) ?? {};
  const id = config[serviceAttribute];
  if (session === undefined || holdsUnknown(id ?? null) || typeof id !== "string") return {};
  const read = await findResource(session.reads, service, { id });
  const found = isMissing(read) ? noService(id) : await missingDeployment(session, id, config);
  return { diagnostics: diagnosticMessages(found === undefined ? [] : [found]) };
};

/** Returns what is wrong with a deployment that is named, and is none of the service. */
async function missingDeployment(
  { reads }: Session,
  serviceId: string,
  config: TerraformObject,
): Promise<Diagnostic | undefined> {
  const attribute = deploymentAttribute;
  const id = idIn(config, attribute);
  if (id === undefined || (await unlessGone(() => reads.live.getDeployment(serviceId, id)))) return undefined;
  return error("live.import_missing", `the service has no deployment of the id ${id}`, { attribute });
}

const noService = (id: string): Diagnostic =>
  error("live.import_missing", `there is no service of the id ${id}`, { attribute: serviceAttribute });

async function requireService(session: Session, id: string): Promise<LiveResource> {
  const read = await findResource(session.reads, service, { id });
  if (read.kind === "found") return read.live;
  const { summary, attribute } = noService(id);
  throw diagnosticError("live.import_missing", summary, { attribute });
}

/** InvokeAction: sends the one request, tells how it goes, and ends with what became of it. */
export const invokeAction: StreamingAnswer<"InvokeAction"> = async (provider, request, events) => {
  const asked = actionNamed(request.typeName);
  const session = provider.requireSession();
  const config = decodeObject(asked.valueType, request.config) ?? {};
  const id = textIn(config, serviceAttribute) ?? "";
  const begin = async (): Promise<readonly Diagnostic[]> => {
    const { act } = require("./act") as { readonly act: typeof carryOut };
    const live = await requireService(session, id);
    const missing = await missingDeployment(session, live.id, config);
    if (missing !== undefined) return [missing];
    return act(wishOf(asked, config), {
      ...{ session, type: service, live, signal: events.signal },
      tell: (message) => void events.send({ progress: { message } }),
    });
  };
  // What one invocation starts, the next one of the service does not take for its own.
  const found = (await session.inTurn(`action ${id}`, begin)).map((one) =>
    one.code === "guard.name_changed" ? { ...one, attribute: confirm.name } : one,
  );
  await events.send({ completed: { diagnostics: diagnosticMessages(found) } });
};

const wishOf = ({ action }: ActionSchema, config: TerraformObject): ActionWish => ({
  action,
  deploymentId: idIn(config, deploymentAttribute),
  commit: textIn(config, commit.name),
  confirmed: textIn(config, confirm.name),
  wait: config.wait !== false,
  timeout: textIn(config, "timeout"),
});
