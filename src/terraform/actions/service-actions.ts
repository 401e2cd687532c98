import type { ZodType } from "zod";
import type { RuntimeAction } from "../../commands/act-on-service";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { isMissing } from "../../model/live";
import { durationPattern } from "../../model/time";
import { findResource, typeNamed } from "../../resources";
import { unlessGone } from "../../resources/deletion";
import { service } from "../../resources/service";
import { unmetExpectations } from "../expectation";
import { idFindings, idIn, isIdAttribute, nullFindings } from "../ids";
import { diagnosticError, diagnosticMessages } from "../messages";
import { type RpcAnswer, requireNamed, type Session, type StreamingAnswer } from "../provider";
import { textIn } from "../schema/attributes";
import { type AttributeSchema, optional, required, type Schema, schemaOf } from "../schema/block";
import { decodeObject } from "../values/codec";
import { holdsUnknown, type TerraformObject } from "../values/terraform-value";
import type { ActionWish, act as carryOut } from "./act";

/** What an `action` block asks for, at once and outside of a plan (plugin protocol 6.10, Terraform 1.14). */
interface ActionSchema extends Schema {
  readonly action: RuntimeAction;
  /** Attributes that are no setting of the wait, with the check of each. */
  readonly takes: readonly CheckedAttribute[];
}

interface CheckedAttribute {
  readonly attribute: AttributeSchema;
  readonly check?: ZodType;
}

const serviceAttribute = `${service.type}_id`;
const deploymentAttribute = "deployment_id";

const shared: readonly AttributeSchema[] = [
  required(serviceAttribute, "string", "Id of the service."),
  optional("wait", "bool", "Wait until it has ended. Default: true."),
  optional("timeout", "string", "How long to wait, such as `45m`. Default: `30m`."),
];

const confirm: CheckedAttribute = {
  attribute: required("confirm", "string", "Name of the service: what its users see now is taken away."),
};

function serviceAction(action: RuntimeAction, doc: string, extra: ActionSchema["takes"] = []): ActionSchema {
  const takes = service.actions?.[action]?.mustBeConfirmed ? [...extra, confirm] : extra;
  const name = `rnv_${action.replace("-", "_")}`;
  const attributes = [...shared, ...takes.map(({ attribute }) => attribute)];
  const twice = " After the provider is killed it may run twice: look at the service first.";
  return { ...schemaOf(name, { doc: doc + twice, attributes }), action, takes };
}

const commit: CheckedAttribute = {
  attribute: optional("commit", "string", "Commit to deploy; that of the configured branch unless given."),
  check: typeNamed(service.actions?.deploy?.makes?.type ?? "")?.schema.shape.commit,
};

/** Every action: the only list of them. */
export const actionSchemas: readonly ActionSchema[] = [
  serviceAction("deploy", "Deploys a service.", [commit]),
  serviceAction("clear-cache", "Deploys a service, built without its cache."),
  serviceAction("restart", "Restarts what runs of a service."),
  serviceAction("suspend", "Suspends what runs of a service; it answers nothing until it is resumed."),
  serviceAction("resume", "Resumes what was suspended."),
  serviceAction("rollback", "Takes a service back to an earlier deployment.", [
    {
      attribute: optional(
        deploymentAttribute,
        "string",
        "Deployment to go back to; the newest before the current one unless given.",
      ),
    },
  ]),
];

const actionNamed = (name: string): ActionSchema => requireNamed(actionSchemas, name, "action");

/** ValidateActionConfig: what is wrong with the values that are known. */
export const validateActionConfig: RpcAnswer<"ValidateActionConfig"> = async (_provider, request) => {
  const asked = actionNamed(request.typeName);
  const { takes } = asked;
  const config = decodeObject(asked.valueType, request.config) ?? {};
  const found = [
    ...nullFindings(asked, config),
    ...idFindings(config),
    ...emptyFindings(
      config,
      takes.map(({ attribute }) => attribute.name).filter((name) => !isIdAttribute(name)),
    ),
    ...takes.flatMap(({ attribute, check }) => checkFindings(config, attribute.name, check)),
  ];
  const timeout = textIn(config, "timeout");
  if (timeout !== undefined && !durationPattern.test(timeout))
    found.push(invalid("timeout", "expected a duration such as 30m, 90s or 1h30m"));
  return { diagnostics: diagnosticMessages(found) };
};

const invalid = (attribute: string, expected: string): Diagnostic =>
  error("manifest.invalid_value", `${attribute}: ${expected}`, { attribute });

/** A reference to what is not there is an empty text. */
const emptyFindings = (config: TerraformObject, names: readonly string[]): Diagnostic[] =>
  names
    .filter((name) => config[name] === "")
    .map((name) => invalid(name, "expected a text that is not empty"));

function checkFindings(config: TerraformObject, name: string, check: ZodType | undefined): Diagnostic[] {
  const value = textIn(config, name);
  if (check === undefined || value === undefined || value === "") return [];
  return unmetExpectations(check, value).map((expected) => invalid(name, expected));
}

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
    one.code === "guard.name_changed" ? { ...one, attribute: confirm.attribute.name } : one,
  );
  await events.send({ completed: { diagnostics: diagnosticMessages(found) } });
};

const wishOf = ({ action }: ActionSchema, config: TerraformObject): ActionWish => ({
  action,
  deploymentId: idIn(config, deploymentAttribute),
  commit: textIn(config, commit.attribute.name),
  confirmed: textIn(config, confirm.attribute.name),
  wait: config.wait !== false,
  timeout: textIn(config, "timeout"),
});
