import { sha256 } from "../model/text";

/** A point that `service-interface.md` leaves open, with what a platform may do there. */
interface OpenPoint {
  /** Variants under which rnv works; the first is the plain reading. */
  readonly serves: readonly [plain: string, ...others: readonly string[]];
  /** Variants under which rnv ends in one clear stop. No seed draws them. */
  readonly stops?: readonly string[];
}

/** Every open point (DESIGN section 6, "Readings"), in the order of its list. */
export const openPoints = {
  deploymentUpdatedAt: { serves: ["status", "created", "service", "health", "null", "absent"] },
  /** Events that move the `updatedAt` of a service, besides its own writes. */
  serviceUpdatedAt: { serves: ["none", "queuing", "status", "variable", "payment", "health"] },
  /** Time of a variable that is written with the value it has. */
  repeatedValue: { serves: ["moves"], stops: ["stays"] },
  timeForm: { serves: ["milliseconds", "seconds", "microseconds", "offset"] },
  /** `deploymentId` and `liveDeploymentId` before a service has one. */
  noDeployment: { serves: ["null", "absent"] },
  /** `liveDeploymentId` of a suspended or archived service. */
  idleRelease: { serves: ["stays", "null"] },
  statusWords: { serves: ["seen", "others", "empty", "null"] },
  listOrder: { serves: ["creation", "reversed", "shuffled"] },
  unknownFields: { serves: ["none", "texts", "objects"] },
  configurationFields: { serves: ["all", "set"] },
  catalogDefaults: { serves: ["listed", "further"] },
  /** Of a new project: with a second one before Production, or after it where tests seed services of the same names. */
  environments: { serves: ["alone", "second", "namesakes"] },
  environmentRecord: { serves: ["plain", "further"] },
  color: { serves: ["sent", "lower"], stops: ["form"] },
  name: { serves: ["sent", "trimmed", "nfc"], stops: ["cut", "slug"] },
  configurationValue: { serves: ["sent", "trimmed", "sorted"], stops: ["clamped"] },
  /** `url` and `internalHost` before the first deployment. */
  firstUrl: { serves: ["set"], stops: ["empty", "null"] },
  /** `url` and `internalHost` after a rename. */
  renamedUrl: { serves: ["changes", "stays"] },
  /** A service that is being deleted, read by its ID. */
  deletingService: { serves: ["shown", "missing"] },
  /** Variables and deployments of a service that is being deleted. */
  deletingParts: { serves: ["shown", "missing"] },
  /** `deletionRequestedAt` after a deletion that failed. */
  failedDeletionTime: { serves: ["cleared", "kept"] },
  /** A service whose deletion failed. */
  failedDeletionFlag: { serves: ["active", "archived"] },
  /** A project whose deletion is queued. */
  deletingProject: { serves: ["listed", "gone"] },
  /** Reads of the variables and deployments of an archived service, its PATCH and DELETE. */
  archivedService: { serves: ["open"], stops: ["refused"] },
  endedOperation: { serves: ["kept", "forgotten"] },
  /** Times of two deployments of one second. */
  deploymentTimes: { serves: ["differ", "equal"] },
  /** Deployments that no request of rnv queued. */
  otherDeployments: { serves: ["none", "one", "several"] },
  cancelled: { serves: ["cancelled", "superseded", "live"] },
  /** A deployment that waited for its checkout, once it is paid. */
  paid: { serves: ["starts", "superseded"], stops: ["queued"] },
  createdStatus: { serves: ["200", "201"] },
  errorBody: { serves: ["top", "nested", "bare", "html"] },
  retryAfter: { serves: ["absent", "seconds", "date"] },
  /** Ahead: by two minutes of the times in its own answers. */
  dateHeader: { serves: ["right", "ahead"], stops: ["absent"] },
  variablePages: { serves: ["complete", "first"] },
  layoutRevision: { serves: ["next", "larger"] },
  unplacedNodes: { serves: ["absent", "present"] },
  referenceEdges: { serves: ["keys", "bare", "none"] },
  prices: { serves: ["priced", "unpriced"] },
  catalogLists: { serves: ["plain", "further"], stops: ["fewer"] },
  /** `updatedAt` in the answer to a rename, and in the next read. */
  renameTime: { serves: ["equal", "later"] },
  ids: { serves: ["lower", "upper"] },
  /** Status of a path parameter that is no UUID. */
  malformedId: { serves: ["400", "404"] },
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
    const { serves, stops = [] }: OpenPoint = openPoints[name] ?? { serves: [""] };
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
