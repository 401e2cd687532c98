import type { Endpoints } from "../api/endpoints";
import type { Send } from "../api/send";
import type { Deployment } from "../api/wire/deployment";
import type { Service } from "../api/wire/service";
import { waitUntilSettled } from "../apply/wait-until-settled";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/pending";
import type { Connection, Context, Outcome } from "./context";
import { findRecorded } from "./find-recorded";
import { pollRuntimeAction, type RuntimeAction } from "./poll-runtime-action";

/** What is to be done to one recorded service, outside of a plan (interface, "Endpoints / Services"). */
export interface RuntimeRequest {
  readonly address: string;
  readonly action: RuntimeAction;
  /** For `rollback` and `cancel`; without it the newest one that fits. */
  readonly deploymentId?: string;
  /** For `deploy`: pins the commit. */
  readonly commit?: string;
  /** False returns once the service has accepted it. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  /** For `rollback`: the name that the user typed, or undefined to cancel. */
  readonly confirm: (subject: RollbackSubject) => Promise<string | undefined>;
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
}

export interface RollbackSubject {
  readonly address: Address;
  /** Live name of the service, which the answer must equal. */
  readonly name: string;
  readonly deployment: Deployment;
}

export type RuntimeOutcome = Outcome & {
  /** What the service accepted; undefined when nothing was sent. */
  readonly accepted?: Pending;
  readonly result: "done" | "accepted" | "cancelled" | "failed";
};

interface Subject {
  readonly address: Address;
  readonly service: Service;
  /** Keys every write of this invocation with one fresh random key. */
  readonly writes: Endpoints;
  readonly connection: Connection;
}

/** Finds the service, sends the action once, and waits until it has settled. */
export async function runtimeAction(context: Context, request: RuntimeRequest): Promise<RuntimeOutcome> {
  const state = await context.backend.read();
  const found = findRecorded(state, request.address);
  if (found.diagnostic) return refused(found.diagnostic);
  if (found.recorded.type !== "service") {
    return refused(
      error("command.usage", `${found.address} is not a service`, { hint: "name a service.… address" }),
    );
  }
  const connection = await context.connect();
  const subject = await readSubject(context, connection, found.address, found.recorded.id);
  const accepted = await send(subject, request);
  if (accepted === undefined) return { ...plain, exitCode: 1, result: "cancelled" };
  if (!request.wait) return { ...plain, accepted, result: "accepted" };
  return { accepted, ...(await settle(context, connection, request, accepted)) };
}

const plain = { diagnostics: [], exitCode: 0, sources: new Map<string, string>() } as const;

const refused = (diagnostic: ReturnType<typeof error>, exitCode = 1): RuntimeOutcome => ({
  ...plain,
  diagnostics: [diagnostic],
  exitCode,
  result: "failed",
});

async function readSubject(
  context: Context,
  connection: Connection,
  address: Address,
  id: string,
): Promise<Subject> {
  const read = await connection.reads.service(id);
  if (read.kind !== "found") {
    const why = read.kind === "gone" ? "no longer exists" : `cannot be read: ${read.reason}`;
    throw new DiagnosticsError([
      error("live.failed", `${address} ${why}`, { address, hint: "run `rnv drift`" }),
    ]);
  }
  const idempotencyKey = `rnv-${Buffer.from(context.randomBytes(16)).toString("hex")}`;
  const keyed: Send = (request, options) =>
    connection.send({ ...request, address, ...(request.keyed ? { idempotencyKey } : {}) }, options);
  return { address, service: read.value, writes: connection.endpoints(keyed), connection };
}

/** Sends the one write; undefined when the user did not confirm it. */
async function send(subject: Subject, request: RuntimeRequest): Promise<Pending | undefined> {
  const { service, writes } = subject;
  const serviceId = service.id;
  switch (request.action) {
    case "restart":
    case "suspend":
    case "resume":
      return { kind: "operation", serviceId, id: (await writes.runAction(serviceId, request.action)).id };
    case "clear-cache":
      return deploymentOf(serviceId, await writes.runDeployAction(serviceId, "clear-cache"));
    case "deploy": {
      const commitSha = request.commit;
      const body = commitSha === undefined ? {} : { commitSha };
      const deployment = await writes.queueDeployment(serviceId, body);
      return {
        ...deploymentOf(serviceId, deployment),
        ...(commitSha === undefined ? {} : { commit: commitSha }),
      };
    }
    case "rollback":
      return rollBack(subject, request);
    case "cancel": {
      const deployment = await pickDeployment(subject, request, (item) => item.finishedAt == null);
      await writes.cancelDeployment(serviceId, deployment.id);
      return deploymentOf(serviceId, deployment);
    }
  }
}

const deploymentOf = (serviceId: string, deployment: Deployment): Pending => ({
  kind: "deployment",
  serviceId,
  id: deployment.id,
});

async function rollBack(subject: Subject, request: RuntimeRequest): Promise<Pending | undefined> {
  const { address, service, writes } = subject;
  const deployment = await pickDeployment(
    subject,
    request,
    (item) => item.canRollback === true && item.id !== service.liveDeploymentId,
  );
  const typed = await request.confirm({ address, name: service.name, deployment });
  if (typed === undefined) return undefined;
  if (typed !== service.name) {
    const summary = `${JSON.stringify(typed)} is not the name of ${address}`;
    const hint = `its name is ${JSON.stringify(service.name)}`;
    throw new DiagnosticsError([error("guard.name_changed", summary, { address, hint })], 4);
  }
  return deploymentOf(service.id, await writes.rollBack(service.id, deployment.id, service.name));
}

/** The deployment that was named, or the newest that fits. */
async function pickDeployment(
  { address, service, connection }: Subject,
  request: RuntimeRequest,
  fits: (deployment: Deployment) => boolean,
): Promise<Deployment> {
  const { live } = connection.reads;
  if (request.deploymentId !== undefined) return live.getDeployment(service.id, request.deploymentId);
  const page = await live.listDeployments(service.id, { limit: 200 });
  const newest = page.items.find(fits);
  if (newest) return newest;
  const nothing =
    request.action === "rollback" ? "no earlier release to go back to" : "no deployment in progress";
  throw new DiagnosticsError([error("command.usage", `${address} has ${nothing}`, { address })]);
}

async function settle(
  context: Context,
  { reads }: Connection,
  request: RuntimeRequest,
  accepted: Pending,
): Promise<RuntimeOutcome> {
  const result = await waitUntilSettled(accepted, {
    type: { poll: pollRuntimeAction(request.action) },
    reads,
    clock: context.clock,
    signal: context.signal,
    timeoutMs: request.timeoutMs,
    onWaiting: request.onWaiting,
    onNext: async () => {},
  });
  const what = `${request.action} of ${request.address}`;
  switch (result.kind) {
    case "done":
      return { ...plain, result: "done" };
    case "failed":
      return refused(
        error("apply.deploy_failed", `${what}: ${result.summary}`, { detail: result.detail }),
        7,
      );
    case "checkout":
      return refused(error("apply.awaiting_checkout", `${what}: ${result.summary}`), 8);
    case "timeout":
      return refused(
        error("apply.deploy_timeout", `${what} has not settled: it is ${result.status}`, {
          hint: "the service goes on with it; --timeout waits longer",
        }),
        7,
      );
    case "interrupted":
      return refused(
        error("apply.interrupted", `stopped waiting for ${what}; the service goes on with it`),
        130,
      );
  }
}
