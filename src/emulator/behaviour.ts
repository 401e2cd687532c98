import type { Plain } from "../model/value";

/** Workspace of the embedded service. */
export const embeddedWorkspaceId = "00000000-0000-4000-8000-0000000000e1";
/** Owner's key of the embedded service; it opens nothing else. */
export const embeddedApiKey = "rnv_embedded";

/**
 * How the embedded service behaves where the interface leaves it open, or while something is wrong with it. Chosen at
 * its start (`rnv emulator --with NAME`) and switched while it runs (`EmulatorStore.setCondition`).
 */
export const conditions = {
  "hosting-off": "hosting is disabled: nothing is deployed, restarted, suspended or resumed",
  "worker-offline": "no worker is online: deployments stay queued",
  "queued-deletions": "every deletion is queued, also of projects, of variables and of what never ran",
  "failed-deletions": "every deletion is queued, and its operation fails",
  "ignored-values": "a PATCH is answered as if it were done, and changes nothing",
  deprecated: "answers say that their routes end, with a page that says more",
  "untimed-answers": "the answer to a write of a variable bears no times; its list does",
} as const;

export type Condition = keyof typeof conditions;

export const conditionNames = Object.keys(conditions) as readonly Condition[];

/** How the embedded service does what the interface marks "not shown": by itself as `api/gaps.ts` assumes. */
export const assumedGaps = {
  /** The path of the GET: true for `/services/{serviceId}`, false for none. All paths stand below the workspace. */
  readService: true as boolean | string,
  /** The path of the GET: true for `/services/{serviceId}/variables`, false for none. */
  listVariables: true as boolean | string,
  /** Where the list stands in the answer: a field, two with a dot between, or `.` for an answer that is the list. */
  variableItems: "variables",
  /** `wrapped`: below `service`; `ignored`: whatever is not `wrapped` is answered as if it were done. */
  servicePatch: "nested" as "nested" | "flat" | "both" | "wrapped" | "ignored",
  servicePatchPath: "/services/{serviceId}",
  servicePatchMethod: "PATCH" as "PATCH" | "PUT" | "POST",
  /** The names of the two fields of a PATCH. */
  variablePatch: ["key", "value"] as readonly [key: string, value: string],
  /** The path of the POST: true for `…/deploys/{deploymentId}/rollback`, false for none. */
  rollback: true as boolean | string,
  /**
   * How reading, changing and rolling back show the thing: `{service}`, the service itself, `{data: {item}}`, or not at
   * all.
   */
  gapAnswers: "wrapped" as "wrapped" | "bare" | "deep" | "silent",
  /** Effect of a key on the PATCH of a service and on a roll back. */
  routeKeys: "accepted" as "accepted" | "ignored" | "rejected",
  /** Undefined sends none. */
  replayHeader: "idempotency-replayed" as string | undefined,
  errorBody: "top" as "top" | "nested",
  operationBody: "bare" as "bare" | "wrapped",
  /** The path of the GET: true for `/projects/{projectId}/operations/{operationId}`, false for none. */
  projectOperation: true as boolean | string,
  /** The names of the id and of the name in a record. */
  environmentRecord: ["id", "name"] as readonly [id: string, name: string],
  productionName: "Production",
  /** Undefined takes any text. */
  projectColors: undefined as readonly string[] | undefined,
  /** False takes a description alone in the PATCH of a project. */
  renamesProjects: true as boolean,
  /** Values with which a new service of a kind starts, in place of the catalog's defaults. */
  kindDefaults: {} as Readonly<Record<string, Readonly<Record<string, Plain>>>>,
};

export type GapSwitches = Readonly<typeof assumedGaps>;

/** The thing as an answer of a gap shows it; the body of a write that is answered silently. */
export function shownAs(
  { gapAnswers }: Pick<GapSwitches, "gapAnswers">,
  member: "service" | "variable" | "deployment",
  view: object,
): Readonly<Record<string, unknown>> {
  if (gapAnswers === "silent") return { updated: true };
  if (gapAnswers === "bare") return { ...view };
  return gapAnswers === "deep" ? { data: { item: { ...view } } } : { [member]: { ...view } };
}
