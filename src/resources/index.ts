import type { Resource } from "../api/reads";
import { deployment } from "./deployment";
import { layout } from "./layout";
import { project } from "./project";
import { service } from "./service";
import { variable } from "./variable";

/** Every resource type: the only list of them. A new type is one file and one entry here. */
export const resourceTypes: readonly Resource[] = [project, service, variable, deployment, layout];

/** The resource type of that name. */
export const typeNamed = (name: string): Resource | undefined =>
  resourceTypes.find(({ type }) => type === name);
