import * as z from "zod";
import { isObject } from "../model/value";
import { parseJson } from "./transport";

/** A setting that says otherwise than a gap assumes. */
export interface GapSetting {
  readonly default: string;
  readonly expected: string;
  readonly example: string;
  readonly schema: z.ZodType<string>;
}

/** An assumption about a detail that the interface marks "not shown", with its check and its fallback. */
export interface Gap {
  readonly assumption: string;
  readonly verifiedBy: string;
  readonly fallback: string;
  readonly settings?: Readonly<Record<string, GapSetting>>;
}

type Form = Omit<GapSetting, "default">;

/** Returns a setting that is `initial` unless the environment says otherwise; it takes a few words, and texts of the forms. */
function setting(initial: string, words: readonly string[], ...forms: readonly Form[]): GapSetting {
  const choice = words.map((word) => `"${word}"`).join(" or ");
  return {
    default: initial,
    expected: [choice, ...forms.map(({ expected }) => expected)].filter(Boolean).join(", or "),
    example: forms.at(-1)?.example ?? words.at(-1) ?? "",
    schema: z.union([z.enum([...words]), ...forms.map(({ schema }) => schema)]),
  };
}

const auto = (...forms: readonly Form[]): GapSetting => setting("auto", ["auto"], ...forms);

const matching = (expected: string, example: string, pattern: RegExp): Form => ({
  expected,
  example,
  schema: z.string().regex(pattern),
});

const fieldOf = (example: string): Form =>
  matching(`a field of the answer such as "${example}", or "."`, example, /^(\.|\w+(\.\w+)*)$/);

const fieldNames = (example: string): Form =>
  matching(`two field names such as "${example}"`, example, /^\w+,\w+$/);

/** Takes a path with each of the `ids` at most once. */
const path = (example: string, where: string, ids: readonly string[], needed = ""): Form =>
  matching(
    `a path ${where}`,
    example,
    new RegExp(
      `^(?!.*(\\{\\w+\\}).*\\1)(?=.*${needed})(/(?!\\.{1,2}(/|$))([\\w.~-]+|\\{(${ids.join("|")})\\}))+$`,
    ),
  );

/** Takes a path that is below the workspace where it has `{serviceId}`, else below the service. */
const below = (example: string, ...ids: readonly string[]): Form =>
  path(example, `such as "${example}" (with {serviceId} in it below the workspace, else below the service)`, [
    "serviceId",
    ...ids,
  ]);

/** Takes a JSON object with each of `needed` as `"{name}"` in it. */
const json = (example: string, ...needed: readonly string[]): Form => ({
  expected: `a JSON body such as '${example}'`,
  example,
  schema: z
    .string()
    .refine((text) => jsonObject(text) && needed.every((name) => text.includes(`"{${name}}"`))),
});

const objects = (example: string): Form => ({
  expected: `a JSON object such as '${example}'`,
  example,
  schema: z.string().refine((text) => Object.values(jsonObject(text) ?? { no: 0 }).every(isObject)),
});

export const jsonObject = (text: string) => asRecord(parseJson(text));

export const asRecord = (value: unknown) => (isObject(value) ? value : undefined);

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
    settings: {
      readService: setting("/services/{serviceId}", ["route", "off"], below("/apps/{serviceId}")),
      serviceAnswer: auto(fieldOf("data.service")),
    },
  },
  "change a service": {
    assumption:
      "PATCH …/services/{serviceId} with {name, configuration: {…}} answers {service}, or the service itself",
    verifiedBy: "the answer is compared with what was sent; one without the service is followed by a read",
    fallback:
      "the flat body {name, branch: …} is tried once when the nested one is refused with 400, or none of its fields takes; else an error",
    settings: {
      patchService: setting(
        "auto",
        ["auto", "nested", "flat"],
        json('{"service": {"name": "{name}", "configuration": "{configuration}"}}', "name", "configuration"),
      ),
      patchServicePath: setting("/services/{serviceId}", [], below("/services/{serviceId}/configuration")),
      patchServiceMethod: setting("PATCH", ["PATCH", "POST", "PUT"]),
    },
  },
  "list variables": {
    assumption: "GET …/services/{serviceId}/variables answers {variables, page?} or {items, page?}",
    verifiedBy: "the schema; pages are followed to the end",
    fallback: "404 or 405 for a service that exists: recorded ids and fingerprints only",
    settings: {
      listVariables: setting(
        "/services/{serviceId}/variables",
        ["route", "off"],
        below("/services/{serviceId}/env"),
      ),
      variableItems: auto(fieldOf("data.items")),
    },
  },
  "change a variable": {
    assumption:
      "PATCH …/variables/{variableId} with key and/or value answers {variable}, or the variable itself",
    verifiedBy: "the answer has the ID and the key that were sent, and a later updatedAt",
    fallback: "{name, value} is tried once when {key, value} is refused with 400; else an error",
    settings: {
      patchVariable: setting(
        "auto",
        ["auto", "route", "off"],
        json('{"variable": {"key": "{key}", "value": "{value}"}}', "key", "value"),
        fieldNames("name,value"),
      ),
      variableAnswer: auto(fieldOf("data")),
    },
  },
  "roll back": {
    assumption:
      "POST …/deploys/{deploymentId}/rollback with {confirm} answers {deployment}, or the deployment itself",
    verifiedBy: "the schema, and a deployment that was not there before",
    fallback: "an error that points to the dashboard",
    settings: {
      rollBack: setting("/deploys/{deploymentId}/rollback", ["off"], below("/rollback", "deploymentId")),
      rollBackBody: auto(json('{"confirm": "{confirm}", "deployment": "{deploymentId}"}', "confirm")),
      rollBackAnswer: auto(fieldOf("release")),
    },
  },
  "keys on undocumented routes": {
    assumption: "the PATCH of a service and a roll back take an Idempotency-Key, though nothing marks them",
    verifiedBy: "nothing: an answer is read the same way whether it was retained or not",
    fallback:
      "a PATCH sets the same values twice; a roll back is never sent again before the deployments were looked at",
    settings: { routeKeys: setting("auto", ["auto", "on", "off"]) },
  },
  "operation body": {
    assumption: "reading an operation answers {operation}, or the operation itself",
    verifiedBy: "the schema",
    fallback: "both are accepted",
    settings: { operationBody: setting("auto", ["auto", "bare", "wrapped"]) },
  },
  "operations of a project": {
    assumption: "GET …/projects/{projectId}/operations/{operationId} shows the deletion of a project",
    verifiedBy: "the answer has the ID of the request; the project is gone only when that is proven",
    fallback: "any other answer: the project itself is looked at until it is gone, for 5 minutes at most",
    settings: {
      projectOperation: setting(
        "/projects/{projectId}/operations/{operationId}",
        ["route", "off"],
        path(
          "/jobs/{operationId}",
          'below the workspace such as "/jobs/{operationId}"',
          ["operationId", "projectId"],
          "\\{operationId",
        ),
      ),
    },
  },
  "environment record": {
    assumption: "an environment has an id and a name",
    verifiedBy: "both are non-empty text",
    fallback: "an error that shows the keys it has",
    settings: { environmentRecord: setting("id,name", [], fieldNames("environmentId,title")) },
  },
  "environment named Production": {
    assumption: "the environment that a project has from its creation is named Production",
    verifiedBy: "the names of the project's environments",
    fallback: "the only environment there is; else an error that lists the names",
    settings: { productionEnvironment: setting("Production", [], matching("a name", "production", /\S/)) },
  },
  "project color": {
    assumption: 'a color may be written as "#2f6fed", and "#64748b" is one for projects that name none',
    verifiedBy: "the answer is compared with what was sent; upper and lower case are one",
    fallback: "an error that names the color",
    settings: { projectColor: setting("#64748b", [], matching("a color", "slate", /^\S(.*\S)?$/)) },
  },
  "rename a project": {
    assumption: "PATCH …/projects/{projectId} takes a name, as it takes a description",
    verifiedBy: "the answer is compared with what was sent",
    fallback: "an error that points to the dashboard; renamed there, the plan is empty",
    settings: { renameProject: setting("on", ["on", "off"]) },
  },
  "defaults of kinds": {
    assumption: "the catalog's defaults are those of every kind",
    verifiedBy: "what a new service shows in settings that were not sent is recorded as its own defaults",
    fallback: "settings go back to the recorded defaults; one that does not take is an error that names it",
    settings: { kindDefaults: setting("{}", [], objects('{"static": {"port": 80}}')) },
  },
  "configuration fields": {
    assumption: "fields beyond the documented ones that the catalog's defaults name may be declared",
    verifiedBy: "their type is that of the default; the answer is compared with what was sent",
    fallback: "a field that neither knows is an error",
  },
  "values of settings": {
    assumption: "scaling and buildMethod take texts besides the defaults; any but manual scales by itself",
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
  "names of fields": {
    assumption: "a field that the documents name and do not explain is what its name says",
    verifiedBy: "nothing rests on it: it is only shown",
    fallback: "it is shown as it stands",
  },
  versions: {
    assumption:
      "createdAt is when a thing was made; changes by rnv raise updatedAt, or a layout's revision; a deployment or a reveal raises no updatedAt of a variable; one clock gives the times of a service, its variables and its deployments",
    verifiedBy: "times are compared with those of other answers and with the header Date",
    fallback:
      "an older version is read again for 30 seconds, then an error; without times it counts; a lost deployment older than the changes that it has to bring is queued again; a variable whose time moved is written again",
  },
  pages: {
    assumption: "hasMore is true while another page follows",
    verifiedBy: "each such page has a nextCursor that none before it had",
    fallback: "an error: a part of a list never counts as all of it",
  },
  "choices of the catalog": {
    assumption: "ids of the catalog name kinds, plans, regions; kinds of a plan are those that may have it",
    verifiedBy: "an empty list and a default say nothing; of what a service has already it is a warning",
    fallback: "an error that lists the choices, before anything is sent",
  },
  "earlier releases": {
    assumption: "a deployment with canRollback is a retained release",
    verifiedBy: "nothing: a rollback that names none goes back to the newest of them",
    fallback: "a deployment that is named is asked for all the same",
  },
  "archived services": {
    assumption: "no list shows them; they are read by id alone",
    verifiedBy: "a recorded service that no list shows is read by its id",
    fallback: "where no read by id is offered, the service stays as recorded and is said to be unchecked",
  },
  "failed deletions": {
    assumption:
      "deletedAt is set at its end; a failed deletion leaves the service, perhaps archived or with its deletionRequestedAt",
    verifiedBy: "the resource itself is read: it is gone only when that proves it",
    fallback: "it stays recorded, and its deletion is requested again",
  },
  "repeated deletions": {
    assumption:
      "a DELETE may be repeated: it starts a failed deletion again and leaves a running deletion alone",
    verifiedBy: "it is sent only where no operation is shown to run; after a 404 or 409 the resource is read",
    fallback: "a resource that is being deleted is waited for; any other refusal is an error",
  },
  "variable keys": {
    assumption: "a service has one variable of a key",
    verifiedBy: "the list of variables",
    fallback: "two of a key are an error that lists their ids; a recorded id decides",
  },
  "addresses of a renamed service": {
    assumption: "internalHost is a host of the private network; it and url may move with the name",
    verifiedBy: "the answer to the change",
    fallback: "what refers to them is planned as known after the apply, and applied only if it differs",
  },
  "keys of references": {
    assumption: "the keys of a reference edge name variables of the service that is referred to",
    verifiedBy: "nothing: only a warning about a deleted or renamed variable rests on it",
    fallback: "a consumer of which a plan changes each variable of these names does not block a deletion",
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
    settings: { errorBody: setting("auto", ["auto", "top-level", "nested"]) },
  },
  "replay header": {
    assumption: "a response header that matches /idempotenc.*replayed/i tells a retained answer",
    verifiedBy: "nothing rests on it: an answer is read the same way whether it was retained or not",
    fallback: "without the header nothing changes",
  },
  "refused confirmations": {
    assumption: "a confirmation mismatch or the cancel of a terminal deployment is answered with a 4xx",
    verifiedBy: "the status class",
    fallback: "any 4xx is a refusal",
  },
  "monthly price": {
    assumption: "a service costs its plan's price times its instances; estimatedMonthly counts where priced",
    verifiedBy: "the catalog says that prices are estimates, and so does every plan",
    fallback: "no price is shown for a plan that the catalog does not list",
  },
  "hosting capability": {
    assumption: "a capability that speaks of hosting and is false means that nothing is deployed now",
    verifiedBy: "nothing rests on it: it is only said before the first write",
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

type SettingsOf<Entry> = Entry extends { readonly settings: infer Settings } ? keyof Settings : never;

export type GapSettings = Readonly<
  Record<{ [Name in GapName]: SettingsOf<(typeof gaps)[Name]> }[GapName], string>
>;

export const gapSettingList = Object.values<Gap>(gaps).flatMap(({ settings = {} }) =>
  Object.entries(settings).map(([key, setting]) => ({ ...setting, key: key as keyof GapSettings })),
);

export const defaultGaps = Object.fromEntries(
  gapSettingList.map((setting) => [setting.key, setting.default]),
) as GapSettings;

/** Returns the variable of a setting: `RNV_GAP_READ_SERVICE` for `readService`. */
export const gapVariable = (setting: string): string =>
  `RNV_GAP_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
