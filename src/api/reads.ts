import type { Endpoints } from "./endpoints";
import type { Canvas, CanvasGroup } from "./wire/canvas";
import type { Project } from "./wire/project";
import type { Service } from "./wire/service";
import type { Variable } from "./wire/variable";

/** What became of a thing looked up by its id. */
export type ById<T> =
  | { readonly kind: "found"; readonly value: T }
  /** 404 by id and absent from a schema-valid list; or its deletion was requested, and has ended unless `deleting` shows it. */
  | { readonly kind: "gone"; readonly deleting?: T }
  /** The route is missing and no list shows it: it may be archived, deleting, or gone. */
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Live state, each part read at most once until it is invalidated, shared by every resource of a run: three
 * requests (catalog, projects, canvas) show every active service with its configuration (DESIGN section 5).
 */
export interface Reads {
  catalog(): ReturnType<Endpoints["catalog"]>;
  projects(): Promise<readonly Project[]>;
  /** From the list, else by id; also by id where the list shows it as of before `notOlderThan`. */
  project(id: string, notOlderThan?: string): Promise<ById<Project>>;
  /** Every active service of the workspace. Above the canvas limit: one canvas per project. */
  services(): Promise<readonly Service[]>;
  /** Every group that the canvases of the workspace show. */
  groups(): Promise<readonly CanvasGroup[]>;
  /** False when a canvas above its limit left ungrouped services out of `services()`. */
  servicesAreComplete(): Promise<boolean>;
  /** From the canvas, else by id, as `project`: archived and deleting services are not on the canvas. */
  service(id: string, notOlderThan?: string): Promise<ById<Service>>;
  /** The same, uncached: by id, and from a list that is asked for anew before a 404 is believed. */
  serviceNow(id: string): Promise<ById<Service>>;
  /** Undefined when the service has no route to list variables (404/405 for a service that exists). */
  variables(serviceId: string): Promise<readonly Variable[] | undefined>;
  /** The canvas of one project, for its layout. */
  layout(projectId: string): Promise<Canvas>;
  /** Uncached, for polling. */
  readonly live: Pick<
    Endpoints,
    | "canvas"
    | "getDeployment"
    | "getOperation"
    | "getProject"
    | "getProjectOperation"
    | "getService"
    | "listDeployments"
    | "listProjects"
    | "listVariables"
    | "revealVariable"
    | "revealVariableText"
  >;
  /** Drops what was cached, after a write. */
  invalidate(): void;
}
