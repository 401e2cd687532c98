import { parseJson, type WireResponse } from "../api/transport";
import { sha256 } from "../model/sha256";
import { proxyPage } from "./faults";
import { type Readings, readingsText } from "./readings";
import type { World } from "./world";

type Fields = Readonly<Record<string, unknown>>;

export function inReading(
  { readings, clock, switches: { conditions } }: World,
  { method, path }: { readonly method: string; readonly path: string },
  { status, headers, body }: WireResponse,
): WireResponse {
  const moment = (ms: number): string => new Date(clock.now() + ms).toUTCString();
  const date = { right: moment(0), ahead: moment(120_000), absent: undefined }[readings.dateHeader];
  const wait = { absent: undefined, seconds: "1", date: moment(1000) }[readings.retryAfter];
  const isCreated = status === 200 && method === "POST" && /\/(projects|services|variables)$/.test(path);
  const answer = {
    status: isCreated ? Number(readings.createdStatus) : status,
    headers: {
      ...(date !== undefined && { date }),
      ...(status === 503 && wait !== undefined && { "retry-after": wait }),
      ...(conditions.has("deprecated") && deprecationHeaders),
      ...headers,
    },
  };
  const parsed = readingsText(readings) === "0" ? null : parseJson(body);
  if (parsed === null || typeof parsed !== "object") return { ...answer, body };
  if (status < 300) {
    const show = viewOf(readings, headers["x-request-id"] ?? "");
    const text = JSON.stringify(show(parsed, ""));
    const isUpper = readings.ids === "upper" && path.endsWith("/canvas");
    return { ...answer, body: isUpper ? text.replace(uuidInJson, (id) => id.toUpperCase()) : text };
  }
  // The service's own errors are JSON; HTML comes from a proxy.
  if (readings.errorBody === "html" && status >= 500)
    return { ...answer, headers: { ...answer.headers, ...proxyPage.headers }, body: proxyPage.body };
  const { requestId, ...error } = parsed as Fields;
  const bodies = { top: parsed, html: parsed, bare: { requestId }, nested: { requestId, error } };
  return { ...answer, body: JSON.stringify(bodies[readings.errorBody]) };
}

const deprecationHeaders = {
  deprecation: "@1798761600",
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '<https://docs.example.com/api/v2>; rel="deprecation"; type="text/html"',
};

const uuidInJson = /"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g;
const statusFields = ["status", "displayStatus", "lifecycleStatus", "healthStatus", "runtimeDetail"];
const lists = ["nodes", "variables", "projects"];
/** Objects whose fields are names of something else. */
const maps = ["capabilities", "defaults", "positions"];
const unknown = {
  none: {},
  texts: { etag: "W/1" },
  objects: { links: { self: "/" }, tags: ["a", { of: [] }] },
} as const;

/** Returns how a part of an answer is shown, by the field that holds it; `salt` differs in each answer. */
function viewOf(readings: Readings, salt: string): (value: unknown, key: string) => unknown {
  const word = (shown: unknown): unknown =>
    ({ seen: shown, others: `phase ${`${shown}`.length}`, empty: "", null: null })[readings.statusWords];
  const show = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return key.endsWith("At") ? timeIn(readings.timeForm, value) : value;
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => show(item, ""));
      return lists.includes(key) ? inOrder(readings.listOrder, items as Fields[], salt) : items;
    }
    // Values of others, whatever is in them.
    if (key === "configuration") return { ...unknown[readings.unknownFields], ...value };
    const fields = Object.entries(value).map(([name, one]) => {
      const isWord = name === "trigger" || ("lifecycleStatus" in value && statusFields.includes(name));
      return [name, isWord ? word(one) : show(one, name)] as const;
    });
    const further = maps.includes(key) ? {} : unknown[readings.unknownFields];
    return { ...further, ...Object.fromEntries(fields) };
  };
  return show;
}

const timeIn = (form: Readings["timeForm"], time: string): string => {
  const [, second, part] = /^(.*:\d\d)\.(\d{3})Z$/.exec(time) ?? [];
  if (second === undefined) return time;
  const microseconds = `${second}.${part}000Z`;
  return { milliseconds: time, seconds: `${second}Z`, microseconds, offset: `${second}.${part}+00:00` }[form];
};

function inOrder(order: Readings["listOrder"], items: readonly Fields[], salt: string): readonly Fields[] {
  if (order === "creation") return items;
  if (order === "reversed") return items.toReversed();
  return items.toSorted((a, b) => (sha256(`${salt} ${a.id}`) < sha256(`${salt} ${b.id}`) ? -1 : 1));
}
