import { diagnosticMessages, diagnosticsOf, errorSeverity } from "../messages";
import type { Message, ResponseOf } from "../protocol";
import type { RpcAnswer } from "../provider";
import { isNullMessage } from "../values/codec";

/** What a call about one resource is answered with while Terraform applies. */
export interface AnswersInApply {
  readonly ValidateResourceConfig: RpcAnswer<"ValidateResourceConfig">;
  readonly PlanResourceChange: RpcAnswer<"PlanResourceChange">;
  readonly ApplyResourceChange: RpcAnswer<"ApplyResourceChange">;
}

/** What this Terraform can do was asked before it planned. */
const asInPlan = { writeOnlyAttributesAllowed: true };

type Refusal = readonly Message<"Diagnostic">[];

const isRefusal = ({ severity }: Message<"Diagnostic">): boolean => severity === errorSeverity;

/**
 * Returns the answers for a walk that applies. Terraform validates and plans a create once more in it, and has put aside
 * by then what `create_before_destroy` is to replace. Where one of the two fails, that stays aside, and the next apply
 * deletes it; where the apply itself fails, Terraform puts it back. So the plan of a create hands on what is wrong in its
 * private data, and its apply refuses.
 */
export const refusingInApply = ({
  ValidateResourceConfig: validate,
  PlanResourceChange: plan,
  ApplyResourceChange: apply,
}: AnswersInApply): AnswersInApply => ({
  // The plan that follows has the same configuration, and knows what it is for.
  ValidateResourceConfig: async () => ({}),
  PlanResourceChange: async (provider, request) => {
    if (isNullMessage(request.proposedNewState)) return plan(provider, request);
    const isUpdate = !isNullMessage(request.priorState);
    const asked = { ...request, clientCapabilities: asInPlan, isWithholding: isUpdate };
    const { diagnostics: invalid = [] } = await validate(provider, asked);
    if (isUpdate) {
      if (invalid.some(isRefusal)) return { diagnostics: invalid };
      return withMore(await plan(provider, request), invalid);
    }
    const answer = await plan(provider, request).catch(async (failure: unknown) =>
      // What the service is asked for is no part of what is planned.
      withMore(await plan(provider.unconfigured(), request), diagnosticMessages(diagnosticsOf(failure))),
    );
    return handedOn(withMore(answer, invalid));
  },
  ApplyResourceChange: async (provider, request) => {
    const isThere = !isNullMessage(request.priorState);
    // Of an update, this call alone has the configuration as it is written.
    const isUpdate = isThere && !isNullMessage(request.config) && !isNullMessage(request.plannedState);
    const asked = { ...request, clientCapabilities: asInPlan };
    const { diagnostics: invalid = [] } = isUpdate ? await validate(provider, asked) : {};
    const { refused = invalid.filter(isRefusal), ...kept } = privateIn(request.plannedPrivate);
    if (refused.length === 0) return apply(provider, request);
    return {
      newState: request.priorState,
      private: isThere ? Buffer.from(JSON.stringify(kept)) : undefined,
      diagnostics: refused,
    };
  },
});

type Planned = ResponseOf<"PlanResourceChange">;

const withMore = (answer: Planned, more: Refusal): Planned =>
  more.length === 0 ? answer : { ...answer, diagnostics: [...more, ...(answer.diagnostics ?? [])] };

function handedOn(answer: Planned): Planned {
  const { plannedPrivate, diagnostics = [] } = answer;
  const refused = diagnostics.filter(isRefusal);
  if (refused.length === 0) return answer;
  return {
    ...answer,
    plannedPrivate: Buffer.from(JSON.stringify({ ...privateIn(plannedPrivate), refused })),
    diagnostics: diagnostics.filter((one) => !isRefusal(one)),
  };
}

/** Private data as it is, and what a plan refuses. */
function privateIn(bytes: Uint8Array | undefined): { readonly refused?: Refusal } {
  if (bytes === undefined || bytes.length === 0) return {};
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as { readonly refused?: Refusal };
}
