import type { GapSettings } from "./gap-settings";

/** An assumption about what the interface marks "not shown" and rnv needs, with its check and its fallback. */
export interface Gap {
  readonly assumption: string;
  readonly verifiedBy: string;
  readonly fallback: string;
  /** Settings that say otherwise. */
  readonly settings?: readonly (keyof GapSettings)[];
}

/**
 * Every assumption (DESIGN section 6). Nothing elsewhere may rest on an undocumented fact; `gap-rules.ts` makes requests and
 * reads answers by the settings.
 */
export const gaps = {
  "read one service": {
    assumption: "GET …/services/{serviceId} answers {service}, or the service itself",
    verifiedBy:
      "the answer has the ID of the request; before a 404 counts, an id that the canvas shows is read the same way",
    fallback: "404 or 405 for an id that the canvas shows: the canvas is the only read",
    settings: ["readService", "serviceAnswer"],
  },
  "change a service": {
    assumption:
      "PATCH …/services/{serviceId} with {name, configuration: {…}} answers {service}, or the service itself",
    verifiedBy:
      "the answer is compared with what was sent; an answer without the service is followed by a read",
    fallback:
      "the flat body {name, branch: …} is tried once when the nested one is refused with 400, or none of its fields takes; else an error",
    settings: ["patchService", "patchServicePath", "patchServiceMethod"],
  },
  "list variables": {
    assumption: "GET …/services/{serviceId}/variables answers {variables, page?} or {items, page?}",
    verifiedBy: "the schema; pages are followed to the end",
    fallback: "404 or 405 for a service that exists: recorded ids and fingerprints only",
    settings: ["listVariables", "variableItems"],
  },
  "change a variable": {
    assumption:
      "PATCH …/variables/{variableId} with key and/or value answers {variable}, or the variable itself",
    verifiedBy: "the answer has the ID and the key that were sent, and a later updatedAt",
    fallback: "{name, value} is tried once when {key, value} is refused with 400; else an error",
    settings: ["patchVariable", "variableAnswer"],
  },
  "roll back": {
    assumption:
      "POST …/deploys/{deploymentId}/rollback with {confirm} answers {deployment}, or the deployment itself",
    verifiedBy: "the schema, and a deployment that was not there before",
    fallback: "an error that points to the dashboard",
    settings: ["rollBack", "rollBackBody", "rollBackAnswer"],
  },
  "keys on undocumented routes": {
    assumption:
      "the PATCH of a service and a roll back take an Idempotency-Key, though nothing marks them so",
    verifiedBy: "the replay header of the answer",
    fallback:
      "a PATCH sets the same values twice; a roll back is never sent again before the deployments were looked at",
    settings: ["routeKeys"],
  },
  "operation body": {
    assumption: "reading an operation answers {operation}, or the operation itself",
    verifiedBy: "the schema",
    fallback: "both are accepted",
    settings: ["operationBody"],
  },
  "operations of a project": {
    assumption:
      "GET …/projects/{projectId}/operations/{operationId} shows the operation that deletes a project",
    verifiedBy: "the answer has the ID of the request; the project is gone only when that is proven",
    fallback: "any other answer: the project itself is looked at until it is gone, for 5 minutes at most",
    settings: ["projectOperation"],
  },
  "environment record": {
    assumption: "an environment has an id and a name",
    verifiedBy: "both are non-empty text",
    fallback: "an error that shows the keys it has",
    settings: ["environmentRecord"],
  },
  "environment named Production": {
    assumption: "the environment that a project has from its creation is named Production",
    verifiedBy: "the names of the project's environments",
    fallback: "the only environment there is; else an error that lists the names",
    settings: ["productionEnvironment"],
  },
  "project color": {
    assumption: 'a color may be written as "#2f6fed", and "#64748b" is one for projects that name none',
    verifiedBy: "the answer is compared with what was sent; upper and lower case are one",
    fallback: "an error that names the color",
    settings: ["projectColor"],
  },
  "rename a project": {
    assumption: "PATCH …/projects/{projectId} takes a name, as it takes a description",
    verifiedBy: "the answer is compared with what was sent",
    fallback: "an error that points to the dashboard; renamed there, the plan is empty",
    settings: ["renameProject"],
  },
  "defaults of kinds": {
    assumption: "the catalog's defaults are those of every kind",
    verifiedBy: "what a new service shows in settings that were not sent is recorded as its own defaults",
    fallback: "settings go back to the recorded defaults; one that does not take is an error that names it",
    settings: ["kindDefaults"],
  },
  "configuration fields": {
    assumption: "fields beyond the documented ones that the catalog's defaults name may be declared",
    verifiedBy: "their type is that of the default; the answer is compared with what was sent",
    fallback: "a field that neither knows is an error",
  },
  "values of settings": {
    assumption:
      "scaling and buildMethod take other texts than their defaults; any but manual scales by itself",
    verifiedBy: "the answer is compared with what was sent",
    fallback: "a plan warns of such a text and sends it as it is written",
  },
  "settings of kinds": {
    assumption: "a setting that a kind has no use for is kept: the schedule of a web service",
    verifiedBy: "the answer is compared with what was sent",
    fallback: "a plan warns of a schedule of a kind that serves and sends it as it is written",
  },
  "items of array fields": {
    assumption: "ignorePaths, includePaths, ipAllowList and environmentGroupIds hold texts",
    verifiedBy: "nothing: an item that is an object is compared, shown and sent as it stands",
    fallback: "objects pass through unharmed",
  },
  "archived services": {
    assumption: "no list shows them; they are read by id alone",
    verifiedBy: "a recorded service that no list shows is read by its id",
    fallback: "where no read by id is offered, the service stays as recorded and is said to be unchecked",
  },
  "failed deletions": {
    assumption: "a deletion whose operation failed leaves the service as it was, perhaps archived",
    verifiedBy: "the thing itself is read: it is gone only when that proves it",
    fallback: "it stays recorded, and its deletion is asked for again",
  },
  "variable keys": {
    assumption: "a service has one variable of a key",
    verifiedBy: "the list of variables",
    fallback: "two of a key are an error that lists their ids; a recorded id decides",
  },
  "addresses of a renamed service": {
    assumption: "url and internalHost may move with the name",
    verifiedBy: "the answer to the change",
    fallback: "what refers to them is planned as known after the apply, and applied only if it differs",
  },
  "keys of references": {
    assumption: "the keys of a reference edge name variables of the service that is referred to",
    verifiedBy: "nothing: only a warning about a deleted or renamed variable rests on it",
    fallback:
      "a consumer of which a plan changes every variable of these names does not block a deletion either",
  },
  "commit of a deployment": {
    assumption:
      "a deployment that follows a branch may be given its commitSha later; a service that serves well has the health ready",
    verifiedBy: "promote reads the live deployment and the health each time",
    fallback: "without both nothing is promoted",
  },
  deprecation: {
    assumption:
      "an answer of a route that will end has Deprecation or Sunset, and a Link, as RFC 9745 and RFC 8594 describe them",
    verifiedBy: "nothing rests on it: it is only said, once a run",
    fallback: "without these headers nothing is said",
  },
  "limits of plans": {
    assumption:
      "workspaceLimit of a plan counts its services in a workspace, backupRetentionDays bounds that setting, maxConnections bounds maxConcurrency; 0 is no limit",
    verifiedBy: "nothing: only warnings of a plan rest on it",
    fallback: "what is declared is sent as it is written",
  },
  "error body": {
    assumption: "an error has requestId, code and message, top-level or under error",
    verifiedBy: "only text is taken, capped in length",
    fallback: "the status text",
    settings: ["errorBody"],
  },
  "replay header": {
    assumption: "a response header that matches /idempotenc.*replayed/i tells a retained answer",
    verifiedBy: "its value is true or false",
    fallback: "unknown: the thing is read again",
    settings: ["replayHeader"],
  },
  "refused confirmations": {
    assumption: "a confirmation mismatch or the cancel of a terminal deployment is answered with a 4xx",
    verifiedBy: "the status class",
    fallback: "any 4xx is a refusal",
  },
  "monthly price": {
    assumption: "the price of a service is the price of its plan times its instances",
    verifiedBy: "the catalog says that prices are estimates, and so does every plan",
    fallback: "no price is shown for a plan that the catalog does not list",
  },
  "hosting capability": {
    assumption:
      "a capability of the catalog that speaks of hosting and is false means that nothing is deployed now",
    verifiedBy:
      "a write is given up for it only once it was refused with engine_unavailable; else it is only said",
    fallback: "the deployments list of a service says so, with a reason; else limited retries",
  },
  "awaiting checkout": {
    assumption: "a blockedReason that speaks of checkout, billing or payment waits for the dashboard",
    verifiedBy: "only a deployment that is still queued is looked at, and its reason is shown as it stands",
    fallback: "the wait goes on, with the reason streamed, until the timeout",
  },
  suspended: {
    assumption:
      "a service whose status, displayStatus, lifecycleStatus or runtimeDetail speaks of suspension does not run",
    verifiedBy: "nothing rests on it: it is only said",
    fallback: "a suspended service looks like a running one",
  },
} as const satisfies Readonly<Record<string, Gap>>;

export type GapName = keyof typeof gaps;
