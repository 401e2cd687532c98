import type { CanvasScope } from "../../api/endpoints";
import { textIn } from "../values/attributes";
import type { TerraformObject } from "../values/terraform-value";

/** The scope that a configuration names. */
export function canvasScope(config: TerraformObject): CanvasScope {
  const projectId = textIn(config, "project_id");
  const environmentId = textIn(config, "environment_id");
  return {
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
  };
}
