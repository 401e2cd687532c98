import { sha256 } from "../model/sha256";

/** A point that `service-interface.md` leaves open, with the variants that a platform may choose. */
interface OpenPoint {
  /** The file of this folder where the variants act, without `.ts`. */
  readonly in: string;
  /** Variants under which rnv works; the first is the plain reading. */
  readonly serves: readonly [plain: string, ...others: readonly string[]];
  /** Variants under which rnv ends in one clear stop. No seed draws them. */
  readonly stops?: readonly string[];
}

/** Every open point (DESIGN section 6, "Readings"), in the order of its list. */
export const openPoints = {
  deploymentUpdatedAt: { in: "times", serves: ["status", "created", "service", "health", "null", "absent"] },
  /** Events that move the `updatedAt` of a service, besides its own writes. */
  serviceUpdatedAt: { in: "times", serves: ["none", "queuing", "status", "variable", "payment", "health"] },
  /** Time of a variable that is written with the value it has. */
  repeatedValue: { in: "routes/variable-routes", serves: ["moves"], stops: ["stays"] },
  timeForm: { in: "answers-in-reading", serves: ["milliseconds", "seconds", "microseconds", "offset"] },
  /** `deploymentId` and `liveDeploymentId` before a service has one. */
  noDeployment: { in: "response-views", serves: ["null", "absent"] },
  /** `liveDeploymentId` of a suspended or archived service. */
  idleRelease: { in: "response-views", serves: ["stays", "null"] },
  statusWords: { in: "answers-in-reading", serves: ["seen", "others", "empty", "null"] },
  listOrder: { in: "answers-in-reading", serves: ["creation", "reversed", "shuffled"] },
  unknownFields: { in: "answers-in-reading", serves: ["none", "texts", "objects"] },
  configurationFields: { in: "response-views", serves: ["all", "set"] },
  catalogDefaults: { in: "response-views", serves: ["listed", "further"] },
  /** A new project may have a second environment before Production, or after it where tests seed services of the same names. */
  environments: { in: "routes/project-routes", serves: ["alone", "second", "namesakes"] },
  environmentRecord: { in: "response-views", serves: ["plain", "further"] },
  color: { in: "kept-values", serves: ["sent", "lower"], stops: ["form"] },
  name: { in: "kept-values", serves: ["sent", "trimmed", "nfc"], stops: ["cut", "slug"] },
  configurationValue: { in: "kept-values", serves: ["sent", "trimmed", "sorted"], stops: ["clamped"] },
  /** `url` and `internalHost` before the first deployment. */
  firstUrl: { in: "response-views", serves: ["set"], stops: ["empty", "null"] },
  /** `url` and `internalHost` after a rename. */
  renamedUrl: { in: "routes/service-routes", serves: ["changes", "stays"] },
  /** A service that is being deleted, read by its ID. */
  deletingService: { in: "call", serves: ["shown", "missing"] },
  /** Variables and deployments of a service that is being deleted. */
  deletingParts: { in: "call", serves: ["shown", "missing"] },
  /** `deletionRequestedAt` after a deletion that failed. */
  failedDeletionTime: { in: "queued-work", serves: ["cleared", "kept"] },
  /** A service whose deletion failed. */
  failedDeletionFlag: { in: "queued-work", serves: ["active", "archived"] },
  /** A project whose deletion is queued. */
  deletingProject: { in: "call", serves: ["listed", "gone"] },
  /** Reads of the variables and deployments of an archived service, its PATCH and DELETE. */
  archivedService: { in: "call", serves: ["open"], stops: ["refused"] },
  endedOperation: { in: "call", serves: ["kept", "forgotten"] },
  /** Times of two deployments of one second. */
  deploymentTimes: { in: "queued-work", serves: ["differ", "equal"] },
  /** Deployments that no request of rnv queued. */
  otherDeployments: { in: "queued-work", serves: ["none", "one", "several"] },
  cancelled: { in: "queued-work", serves: ["cancelled", "superseded", "live"] },
  /** A deployment that waited for its checkout, once it is paid. */
  paid: { in: "queued-work", serves: ["starts", "superseded"], stops: ["queued"] },
  createdStatus: { in: "answers-in-reading", serves: ["200", "201"] },
  errorBody: { in: "answers-in-reading", serves: ["top", "nested", "bare", "html"] },
  retryAfter: { in: "answers-in-reading", serves: ["absent", "seconds", "date"] },
  /** Ahead: by two minutes of the times in its own answers. */
  dateHeader: { in: "answers-in-reading", serves: ["right", "ahead"], stops: ["absent"] },
  variablePages: { in: "routes/variable-routes", serves: ["complete", "first"] },
  layoutRevision: { in: "routes/canvas-routes", serves: ["next", "larger"] },
  unplacedNodes: { in: "routes/canvas-routes", serves: ["absent", "present"] },
  referenceEdges: { in: "routes/canvas-routes", serves: ["keys", "bare", "none"] },
  prices: { in: "response-views", serves: ["priced", "unpriced"] },
  catalogLists: { in: "response-views", serves: ["plain", "further"], stops: ["fewer"] },
  /** `updatedAt` in the answer to a rename, and in the next read. */
  renameTime: { in: "times", serves: ["equal", "later"] },
  ids: { in: "answers-in-reading", serves: ["lower", "upper"] },
  /** Status of a path parameter that is no UUID. */
  malformedId: { in: "router", serves: ["400", "404"] },
} as const satisfies Readonly<Record<string, OpenPoint>>;

type Points = typeof openPoints;
export type ReadingName = keyof Points;
type VariantOf<Point> = Point extends { readonly stops: readonly (infer Stops)[] } ? Stops : never;

/** The variant of each open point that a platform shows. */
export type Readings = {
  readonly [Name in ReadingName]: Points[Name]["serves"][number] | VariantOf<Points[Name]>;
};

/** Returns the variants of a seed, none of which stops rnv; 0: the plain reading. `pinned` variants are not drawn. */
export function drawReadings(seed: number, pinned: Partial<Readings> = {}): Readings {
  const drawn = Object.entries<OpenPoint>(openPoints).map(([name, { serves }]) => {
    const lot = seed === 0 ? 0 : Number.parseInt(sha256(`${seed} ${name}`).slice(0, 8), 16);
    return [name, serves[lot % serves.length]];
  });
  return { ...Object.fromEntries(drawn), ...pinned };
}

/** Reads `7`, `timeForm=seconds,ids=upper`, or a seed with rows after it. */
export function parseReadings(text: string): Readings {
  const parts = text.split(",").map((part) => part.trim());
  const seed = /^\d{1,9}$/.test(parts[0] ?? "") ? Number(parts.shift()) : 0;
  const rows = parts.map((part) => part.split("=") as [ReadingName, string]);
  const wrong = rows.find(([name, variant]) => {
    const { serves, stops = [] }: OpenPoint = openPoints[name] ?? { in: "", serves: [""] };
    return ![...serves, ...stops].includes(variant);
  });
  if (wrong !== undefined) throw new Error(`${wrong.join("=")} is neither a seed nor a row of the readings`);
  return drawReadings(seed, Object.fromEntries(rows));
}

/** The rows that are not plain, as `parseReadings` takes them; `0` where all are. */
export const readingsText = (readings: Readings): string =>
  Object.entries<string>(readings)
    .filter(([name, variant]) => variant !== openPoints[name as ReadingName].serves[0])
    .map((row) => row.join("="))
    .join(",") || "0";
