import { plainEqual } from "../../model/value";
import {
  holdsUnknown,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  unknown,
} from "../values/terraform-value";
import { declaredNames, textsIn } from "./variables-type";

export interface VariablesPlan {
  readonly planned: TerraformObject;
  readonly replaces: boolean;
}

/** What Terraform shall plan for a map of variables. Pure, and the same every time it is asked. */
export function planVariables(prior: TerraformObject | undefined, config: TerraformObject): VariablesPlan {
  const base = { ...config, values_wo: null };
  if (prior === undefined)
    return { planned: { ...base, id: unknown, ids: unknown, updated_at: unknown }, replaces: false };
  const replaces = isUnknown(config.service_id) || config.service_id !== prior.service_id;
  const acts = replaces || isChanged(prior, config);
  return {
    planned: {
      ...base,
      id: prior.id ?? null,
      ids: acts ? unknown : (prior.ids ?? null),
      updated_at: acts ? unknown : (prior.updated_at ?? null),
    },
    replaces,
  };
}

function isChanged(prior: TerraformObject, config: TerraformObject): boolean {
  if (!isSame(prior.values ?? null, config.values ?? null)) return true;
  if (!isSame(prior.values_wo_version ?? null, config.values_wo_version ?? null)) return true;
  const names = declaredNames(config);
  const recorded = Object.keys(textsIn(prior.ids) ?? {});
  return (
    names === undefined || names.length !== recorded.length || names.some((name) => !recorded.includes(name))
  );
}

const isSame = (a: TerraformValue, b: TerraformValue): boolean =>
  !holdsUnknown(a) && !holdsUnknown(b) && plainEqual(toPlain(a), toPlain(b));
