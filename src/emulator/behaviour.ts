import type { Plain } from "../model/value";

export const embeddedWorkspaceId = "00000000-0000-4000-8000-0000000000e1";
/** Owner's key of the embedded service; it opens nothing else. */
export const embeddedApiKey = "rnv_embedded";

/**
 * Behaviour of the embedded service where the interface leaves it open, or in a special condition. Chosen at its start
 * (`rnv emulator --with NAME`) and switched while it runs (`EmulatorStore.setCondition`).
 */
const conditions = {
  "hosting-off": "hosting is disabled: nothing is deployed, restarted, suspended or resumed",
  "worker-offline": "no worker is online: deployments stay queued",
  "queued-deletions": "every deletion is queued, also of projects, of variables and of what never ran",
  "failed-deletions": "every deletion is queued, and its operation fails",
  "ignored-values": "a PATCH is answered as if it were done, and changes nothing",
  deprecated: "answers say that their routes end, with a page that says more",
  paid: "every checkout is complete as soon as a plan asks for it",
  "untimed-answers": "the answer to a write of a variable bears no times; its list does",
} as const;

export type Condition = keyof typeof conditions;

export const conditionNames = Object.keys(conditions) as readonly Condition[];

/** Behaviour that the interface marks "not shown": by default as `api/gaps.ts` assumes. */
export const assumedGaps = {
  /** The path of the GET: true for `/services/{serviceId}`, false for none. All paths stand below the workspace. */
  readService: true as boolean | string,
  /** The path of the GET: true for `/services/{serviceId}/variables`, false for none. */
  listVariables: true as boolean | string,
  /** `wrapped`: below `service`; `ignored`: whatever is not `wrapped` is answered as if it were done. */
  servicePatch: "nested" as "nested" | "flat" | "both" | "wrapped" | "ignored",
  servicePatchPath: "/services/{serviceId}",
  servicePatchMethod: "PATCH" as "PATCH" | "PUT" | "POST",
  /** The names of the two fields of a PATCH. */
  variablePatch: ["key", "value"] as readonly [key: string, value: string],
  /** The path of the POST: true for `…/deploys/{deploymentId}/rollback`, false for none. */
  rollback: true as boolean | string,
  /** Effect of a key on the PATCH of a service and on a roll back. */
  routeKeys: "accepted" as "accepted" | "ignored" | "rejected",
  /** Undefined sends none. */
  replayHeader: "idempotency-replayed" as string | undefined,
  /** The path of the GET: true for `/projects/{projectId}/operations/{operationId}`, false for none. */
  projectOperation: true as boolean | string,
  productionName: "Production",
  /** Values with which a new service of a kind starts, in place of the catalog's defaults. */
  kindDefaults: {} as Readonly<Record<string, Readonly<Record<string, Plain>>>>,
};

export type GapSwitches = Readonly<typeof assumedGaps>;
