import type { StateAnswer } from "../support/http-state-server";
import type { Mode } from "./cases";
import type { RemoteKind } from "./remote-server";
import { isS3 } from "./remote-server";

/** One request on its way to the state's server. */
export interface StateRequest {
  readonly method: string;
  /** Without a query. */
  readonly path: string;
}

/** What comes back, and in which way. */
export interface Told extends StateAnswer {
  /** The body breaks off there, or never ends. */
  readonly breaks?: "closed" | "late";
  /** Milliseconds between two bytes. */
  readonly trickles?: number;
}

/** What a fault may do with a request. */
export interface Delivery {
  /** Has the server carry it out. */
  readonly carry: () => Promise<StateAnswer>;
  /** What a server says that has not heard of the last write yet. */
  readonly stale: (answer: StateAnswer) => StateAnswer;
  /** The connection breaks, with this code. */
  readonly broken: (code: string) => never;
  /** Nothing comes until the deadline. */
  readonly late: () => never;
  /** Delivers it again, when three other requests have gone by. */
  readonly again: () => void;
}

export type StateMishap = {
  readonly name: string;
  readonly tell: (delivery: Delivery) => Promise<Told>;
};

export interface RemoteFault extends StateMishap {
  readonly applies: (request: StateRequest, kind: RemoteKind) => boolean;
  readonly modes: readonly Mode[];
}

const always = (): boolean => true;
const isRead = ({ method }: StateRequest): boolean => method === "GET";
const isWrite = (request: StateRequest): boolean => !isRead(request);
const everyMode: readonly Mode[] = ["once", "held", "onward"];

const fault = (
  name: string,
  tell: RemoteFault["tell"],
  applies: RemoteFault["applies"] = always,
  modes = everyMode,
): RemoteFault => ({ name, tell, applies, modes });

const status = (name: string, answer: StateAnswer, after?: "after"): RemoteFault =>
  fault(
    name,
    async ({ carry }) => {
      if (after) await carry();
      return answer;
    },
    after ? isWrite : always,
  );

const page = "<!doctype html>\n<title>Sign in</title>";
const html = { status: 200, body: page, headers: { "content-type": "text/html", etag: '"page"' } };
const stranger = JSON.stringify({ ID: "stranger", Operation: "apply", Who: "pid 7@elsewhere" });
const half = (text = ""): string => text.slice(0, Math.ceil(text.length / 2));

/** A write that a server without rules takes whenever it comes: it cannot be refused there. */
const isRefusable = (request: StateRequest, kind: RemoteKind): boolean =>
  isWrite(request) && !(kind === "http-lax" && request.method === "POST");

/** Every fault of the matrix that sits on a request to the state's server. */
export const remoteFaults: readonly RemoteFault[] = [
  fault("refuse", async ({ broken }) => broken("ECONNREFUSED")),
  fault("reset-before", async ({ broken }) => broken("ECONNRESET")),
  fault("reset-after", async ({ carry, broken }) => broken(String((await carry()) && "ECONNRESET")), isWrite),
  fault("timeout-before", async ({ late }) => late()),
  fault(
    "timeout-after",
    async ({ carry, late }) => {
      await carry();
      return late();
    },
    isWrite,
  ),
  status("429", { status: 429 }),
  status("429-retry-after", { status: 429, headers: { "retry-after": "7" } }),
  status("500-before", { status: 500 }),
  status("500-after", { status: 500 }, "after"),
  status("502-before", { status: 502, body: page }),
  status("502-after", { status: 502, body: page }, "after"),
  status("503-after", { status: 503 }, "after"),
  status("504-after", { status: 504 }, "after"),
  status("401", { status: 401 }),
  status("403", { status: 403 }),
  status("404", { status: 404 }),
  status("409", { status: 409 }),
  status("409-stranger", { status: 409, body: stranger }),
  status("412", { status: 412 }),
  status("423", { status: 423 }),
  status("423-stranger", { status: 423, body: stranger }),
  status("redirect", { status: 307, headers: { location: "https://elsewhere.example/state" } }),
  fault("malformed", async ({ carry }) => ({ ...(await carry()), body: '{"format": rnv' })),
  fault("malformed-bare", async ({ carry }) => ({ status: (await carry()).status, body: '{"format": rnv' })),
  fault("truncate", async ({ carry }) => ({ ...(await carry()), breaks: "closed" as const })),
  fault(
    "cut",
    async ({ carry }) => {
      const { body, headers, ...answer } = await carry();
      return { ...answer, headers: { ...headers, "content-md5": "" }, body: half(body) };
    },
    isRead,
  ),
  fault("empty", async ({ carry }) => {
    await carry();
    return { status: 200, body: "" };
  }),
  fault("html-before", async () => html),
  fault("html-after", async ({ carry }) => (await carry()) && html, isWrite),
  fault("stale", async ({ carry, stale }) => stale(await carry()), isRead, ["once", "held"]),
  fault("twice", async ({ carry }) => (await carry()) && carry(), isWrite, ["once", "onward"]),
  fault(
    "twice-first-answer",
    async ({ carry }) => {
      const answer = await carry();
      await carry();
      return answer;
    },
    isWrite,
    ["once", "onward"],
  ),
  fault(
    "late-double",
    async ({ carry, again }) => {
      again();
      return carry();
    },
    isRefusable,
    ["once", "onward"],
  ),
  fault("trickle", async ({ carry }) => ({ ...(await carry()), trickles: 20 }), always, ["once", "onward"]),
  fault("trickle-late", async ({ carry }) => ({ ...(await carry()), breaks: "late" as const })),
];

/** What a label calls a request: the lock and the backups of S3 are objects beside the state. */
export function remoteLabel({ method, path }: StateRequest, kind: RemoteKind): string {
  if (!isS3(kind)) return `${method} state`;
  const beside = /\.(lock|backup)(?:\.\d)?$/.exec(path)?.[1];
  return `${method} ${beside ?? "state"}`;
}
