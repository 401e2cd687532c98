import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { shortList } from "../../model/text";
import { liveVariable, variable } from "../../resources/variable";
import { isMadeBy } from "../apply/twins";
import { addressOfId } from "../confirm-deleted";
import type { Provider } from "../provider";
import { textIn } from "../schema/attributes";
import type { TerraformObject } from "../values/terraform-value";
import { declaredKeys } from "./plan-variables";
import { textsIn } from "./variables";

/** Keys that a map declares anew and that the service has already. */
interface TakenKeys {
  /** Those that the map takes over: `adopt = true`. */
  readonly adopted: readonly Variable[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns which of the keys that a plan adds are there already: taken over where `adopt` says so, else an error before
 * anything is sent. What an apply of this directory that was cut short made is ours.
 */
export async function takenKeys(
  { session, inState }: Provider,
  prior: TerraformObject | undefined,
  config: TerraformObject,
): Promise<TakenKeys> {
  const serviceId = textIn(config, "service_id");
  const owned = prior?.service_id === serviceId ? textsIn(prior?.ids) : {};
  const added = new Set(declaredKeys(config)?.filter((key) => !(key in owned)));
  if (session === undefined || serviceId === undefined || added.size === 0)
    return { adopted: [], diagnostics: [] };
  const listed = ((await session.reads.variables(serviceId)) ?? []).filter(({ key }) => added.has(key));
  if (config.adopt === true)
    return { adopted: listed, diagnostics: listed.length === 0 ? [] : [takenOver(listed)] };
  // The apply looks itself.
  if (session.hasWritten()) return { adopted: [], diagnostics: [] };
  const taken: Variable[] = [];
  for (const one of listed) {
    if (inState.has(addressOfId(variable, one.id))) continue;
    const subject = { verb: "make", type: variable.type, parentId: serviceId, name: one.key } as const;
    const left = await session.intents.find(subject);
    if (left === undefined || !isMadeBy(left, liveVariable(one, serviceId))) taken.push(one);
  }
  return { adopted: [], diagnostics: taken.length === 0 ? [] : [notOurs(taken, serviceId, prior)] };
}

const keysOf = (taken: readonly Variable[]): string => shortList(taken.map(({ key }) => key).sort(), 20);

const takenOver = (taken: readonly Variable[]): Diagnostic =>
  warning("plan.adopted", `${keysOf(taken)}: there already, and taken over: adopt = true`, {
    detail: "Their values become those that are declared here. None is made a second time.",
    attribute: "adopt",
  });

const notOurs = (
  taken: readonly Variable[],
  serviceId: string,
  prior: TerraformObject | undefined,
): Diagnostic =>
  error("live.unmanaged_exists", `${keysOf(taken)}: there already, and not managed by this resource`, {
    attribute: "values",
    detail:
      prior === undefined
        ? `To manage what is declared of the service here, add this, with the address of this resource:\n\n  import {\n    to = rnv_variables.all\n    id = "${serviceId}"\n  }`
        : "Somebody set them elsewhere, in the dashboard or from another state.",
    hint: "set adopt = true to take them over with this apply, or leave them out",
  });
