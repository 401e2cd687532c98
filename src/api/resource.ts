import type { ResourceOperations } from "../model/resource-operations";
import type { ResourceType } from "../model/resource-type";
import type { Endpoints } from "./endpoints";
import type { Reads } from "./reads";

/** A resource type with the half that talks to the service. */
export type Resource = ResourceType & ResourceOperations<Reads, Endpoints>;
