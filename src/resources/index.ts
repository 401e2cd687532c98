import type { Resource } from "../api/reads";
import { deployment } from "./deployment";
import { layout } from "./layout";
import { project } from "./project";
import { service } from "./service";
import { variable } from "./variable";

/** Every resource type: the only list of them. A new type is one file and one entry here. */
export const resourceTypes: readonly Resource[] = [project, service, variable, deployment, layout];

/** Every resource type by its name. */
export const typesByName: ReadonlyMap<string, Resource> = new Map(
  resourceTypes.map((type) => [type.type, type]),
);

/** Types whose resources live on their own: they are exported and imported. */
export const importableTypes = resourceTypes.filter(({ removal }) => removal === "delete");

/** The resource type of that name. */
export const typeNamed = (name: string): Resource | undefined => typesByName.get(name);
