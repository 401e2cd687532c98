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
  "failed-deletions-archive": "a service whose deletion failed stays archived",
  "failed-deletions-linger":
    "a service whose deletion failed stays archived and looks as if it were being deleted",
  "unique-names": "a service takes its name in its project, also while it is archived",
  "plain-names": "names of projects and services are kept trimmed and in lower case",
  "ignored-values": "a PATCH is answered as if it were done, and changes nothing",
  "coarse-times": "times of variables are whole seconds: two writes in one second bear the same",
  deprecated: "answers say that their routes end, with a page that says more",
  "no-date": "answers have no Date header",
  "untimed-answers": "the answer to a write of a variable bears no times; its list does",
} as const;

export type Condition = keyof typeof conditions;

export const conditionNames = Object.keys(conditions) as readonly Condition[];

/** How the embedded service does what the interface marks "not shown"; by itself as `api/gaps.ts` assumes. */
export interface GapSwitches {
  /** The path of the GET: true for `/services/{serviceId}`, false for none. All paths stand below the workspace. */
  readonly readService: boolean | string;
  /** The path of the GET: true for `/services/{serviceId}/variables`, false for none. */
  readonly listVariables: boolean | string;
  /** Where the list stands in the answer: a field, two with a dot between, or `.` for an answer that is the list. */
  readonly variableItems: string;
  /** `wrapped`: below `service`; `ignored`: whatever is not `wrapped` is answered as if it were done. */
  readonly servicePatch: "nested" | "flat" | "both" | "wrapped" | "ignored";
  readonly servicePatchPath: string;
  readonly servicePatchMethod: "PATCH" | "PUT" | "POST";
  /** The names of the two fields of a PATCH. */
  readonly variablePatch: readonly [key: string, value: string];
  /** The path of the POST: true for `…/deploys/{deploymentId}/rollback`, false for none. */
  readonly rollback: boolean | string;
  /**
   * How reading, changing and rolling back show the thing: `{service}`, the service itself, `{data: {item}}`, or not at
   * all.
   */
  readonly gapAnswers: "wrapped" | "bare" | "deep" | "silent";
  /** Effect of a key on the PATCH of a service and on a roll back. */
  readonly routeKeys: "accepted" | "ignored" | "rejected";
  /** Undefined sends none. */
  readonly replayHeader: string | undefined;
  readonly errorBody: "top" | "nested";
  readonly operationBody: "bare" | "wrapped";
  /** The path of the GET: true for `/projects/{projectId}/operations/{operationId}`, false for none. */
  readonly projectOperation: boolean | string;
  /** The names of the id and of the name in a record. */
  readonly environmentRecord: readonly [id: string, name: string];
  readonly productionName: string;
  /** Undefined takes any text. */
  readonly projectColors: readonly string[] | undefined;
  /** False takes a description alone in the PATCH of a project. */
  readonly renamesProjects: boolean;
  /** Values with which a new service of a kind starts, in place of the catalog's defaults. */
  readonly kindDefaults: Readonly<Record<string, Readonly<Record<string, Plain>>>>;
  readonly variableKeys: "unique" | "repeatable";
}

export const assumedGaps: GapSwitches = {
  readService: true,
  listVariables: true,
  variableItems: "variables",
  servicePatch: "nested",
  servicePatchPath: "/services/{serviceId}",
  servicePatchMethod: "PATCH",
  variablePatch: ["key", "value"],
  rollback: true,
  gapAnswers: "wrapped",
  routeKeys: "accepted",
  replayHeader: "idempotency-replayed",
  errorBody: "top",
  operationBody: "bare",
  projectOperation: true,
  environmentRecord: ["id", "name"],
  productionName: "Production",
  projectColors: undefined,
  renamesProjects: true,
  kindDefaults: {},
  variableKeys: "unique",
};

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
