import type { Catalog } from "../model/catalog";
import { canvasEndpoints } from "./canvas-endpoints";
import { deploymentEndpoints } from "./deployment-endpoints";
import type { EndpointCall, LearnedForms } from "./endpoint-call";
import type { Endpoints } from "./endpoints";
import { jsonObject } from "./gap-forms";
import { defaultGaps, type GapSettings } from "./gaps";
import { ask } from "./parse-answer";
import { projectEndpoints } from "./project-endpoints";
import { pathSegment, type Send } from "./send";
import { actionEndpoints, serviceEndpoints } from "./service-endpoints";
import { variableEndpoints } from "./variable-endpoints";
import { catalog } from "./wire/catalog";

/**
 * One function per endpoint of the interface, over any `Send`. Cheap: apply makes one set for each change.
 * `learned` carries what was found out about the gaps from one set to the next.
 */
export function createEndpoints(
  send: Send,
  workspaceId: string,
  gaps: GapSettings = defaultGaps,
  learned: LearnedForms = {},
): Endpoints {
  const call: EndpointCall = {
    send,
    gaps,
    learned,
    path: (...segments) => ["", "workspaces", workspaceId, ...segments].map(pathSegment).join("/"),
    read: (schema, operation, path, query, how = {}) =>
      ask(send, schema, { operation, method: "GET", path, query, keyed: false }, how),
    write: (schema, request, how) => ask(send, schema, { ...request, keyed: true }, how),
  };
  return {
    catalog: async () => ({ ...(await call.read(catalog, "catalog", "/catalog")), assumed: assumedOf(gaps) }),
    ...projectEndpoints(call),
    ...serviceEndpoints(call),
    ...actionEndpoints(call),
    ...deploymentEndpoints(call),
    ...variableEndpoints(call),
    ...canvasEndpoints(call),
  };
}

/** What planning needs to know of the gaps. */
const assumedOf = ({ projectColor, productionEnvironment, kindDefaults }: GapSettings): Assumed => ({
  projectColor,
  productionEnvironment,
  kindDefaults: (jsonObject(kindDefaults) ?? {}) as Assumed["kindDefaults"],
});

type Assumed = NonNullable<Catalog["assumed"]>;
