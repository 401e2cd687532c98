import type { Transport, WireRequest, WireResponse } from "../../src/api/transport";
import type { Clock } from "../../src/model/time";
import type { StateBackend } from "../../src/state/backend";
import { s3Environment } from "../support/s3-server";
import type { Rnv } from "./build-rnv";
import { baseUrl, type Machine, workspaceId } from "./machine";
import { type Delivery, remoteLabel, type StateMishap, type StateRequest, type Told } from "./remote-faults";
import { isS3, type RemoteImage, RemoteServer, stateUser } from "./remote-server";

/** One process as the state's server meets it. */
export interface RemoteProcess {
  readonly pid: number;
  readonly clock: Clock;
  readonly step: <T>(label: string, effect: () => Promise<T>) => Promise<T>;
  readonly mishap: (request: StateRequest) => StateMishap | undefined;
}
interface SeenByServer {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const inMemory = "http://127.0.0.1:2";
const deadlineMs = 60_000;
const passOn = 3;
const stateKey = "c0ffee11".repeat(8);

/** The state's server and the way to it, in memory. */
export class RemoteWorld {
  readonly server: RemoteServer;
  /** Requests that went anywhere else. */
  readonly strays: string[] = [];
  #delayed: { left: number; readonly deliver: () => void }[] = [];

  constructor(
    private readonly machine: Machine,
    image: RemoteImage,
  ) {
    this.server = new RemoteServer(image);
  }

  /** The backend that one process has; from outside, without a process, nothing goes wrong. */
  backend(rnv: Rnv, process: RemoteProcess = this.#outside()): StateBackend {
    const { machine, server } = this;
    const { kind } = server;
    const transport = this.#transport(process);
    const environment = {
      ...(kind === "s3-sealed" ? { RNV_STATE_ENCRYPTION: "1", RNV_STATE_KEY: stateKey } : {}),
    };
    const stateServer = new rnv.StateServer(transport, {
      ...{ clock: process.clock, retries: 4, totalMs: 180_000 },
    });
    const store = isS3(kind)
      ? rnv.createS3Store(s3Settings(inMemory), stateServer)
      : rnv.createHttpStore(httpSettings(inMemory), stateServer);
    return rnv.createRemoteBackend(store, {
      cipher: new rnv.StateCipher(environment, machine.random.bytes),
      disk: machine.disk,
      host: "machine",
      pid: process.pid,
      isAlive: (pid) => machine.running.has(pid),
      clock: process.clock,
      workspaceId,
      baseUrl,
    });
  }

  image(): RemoteImage {
    return this.server.image();
  }

  /** What was still on its way arrives. */
  settle(): void {
    for (const { deliver } of this.#delayed.splice(0)) deliver();
  }

  #outside(): RemoteProcess {
    const { clock } = this.machine;
    return { pid: 1, clock, step: (_label, effect) => effect(), mishap: () => undefined };
  }

  #transport(process: RemoteProcess): Transport {
    return { send: (request) => this.#carry(process, request), close: async () => {} };
  }

  #carry(process: RemoteProcess, sent: WireRequest): Promise<WireResponse> {
    const { origin: asked, pathname } = new URL(sent.url);
    if (asked !== inMemory) this.strays.push(`${sent.method} ${sent.url}`);
    const request = { method: sent.method, path: pathname };
    const label = remoteLabel(request, this.server.kind);
    return process.step(`remote ${label}`, async () => {
      const mishap = process.mishap(request);
      const about = `${process.pid} remote ${label}${mishap ? ` [${mishap.name}]` : ""}`;
      const answering = async (seen: SeenByServer): Promise<Told> => {
        this.#letPass();
        const delivery = this.#delivery(seen);
        return mishap?.tell(delivery) ?? delivery.carry();
      };
      try {
        const answer = await this.#send(sent, answering);
        this.machine.note(`${about} ${answer.status}`);
        return answer;
      } catch (cause) {
        this.machine.note(`${about} ${String((cause as Error).message)}`);
        throw cause;
      }
    });
  }

  async #send(request: WireRequest, answering: (seen: SeenByServer) => Promise<Told>): Promise<WireResponse> {
    const { method, url, body = "" } = request;
    const { pathname, search, host } = new URL(url);
    const headers = { host, ...request.headers };
    return this.#answer(await answering({ method, path: `${pathname}${search}`, body, headers }));
  }

  #delivery(seen: SeenByServer): Delivery {
    return {
      carry: async () => this.server.handle(seen),
      stale: (answer) => this.server.stale(seen.path.split("?")[0] ?? "", answer),
      broken: (code) => {
        throw Object.assign(new Error("no answer"), { code });
      },
      late: () => this.#late(),
      again: () => this.#delayed.push({ left: passOn, deliver: () => void this.server.handle(seen) }),
    };
  }

  #letPass(): void {
    for (const one of this.#delayed) one.left -= 1;
    const due = this.#delayed.filter(({ left }) => left < 0);
    this.#delayed = this.#delayed.filter(({ left }) => left >= 0);
    for (const { deliver } of due) deliver();
  }

  /** As the deadline of a request ends it. */
  #late(): never {
    this.machine.clock.advance(deadlineMs);
    throw Object.assign(new Error("no whole answer within 60 s"), { code: "ANSWER_LATE" });
  }

  #answer({ status, headers = {}, body = "", breaks, trickles }: Told): WireResponse {
    if (trickles !== undefined) this.machine.clock.advance(trickles * Buffer.byteLength(body));
    if (breaks === "closed") throw Object.assign(new Error("terminated"), { code: "ECONNRESET" });
    if (breaks === "late") this.#late();
    const named = Object.entries({ ...headers }).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { status, headers: Object.fromEntries(named), body };
  }
}

const httpSettings = (origin: string) => ({
  url: `${origin}/state/shop`,
  updateMethod: "POST",
  lockUrl: `${origin}/state/shop`,
  lockMethod: "LOCK",
  unlockUrl: `${origin}/state/shop`,
  unlockMethod: "UNLOCK",
  tls: {},
  authorization: `Basic ${Buffer.from(`${stateUser.username}:${stateUser.password}`).toString("base64")}`,
  timeoutMs: deadlineMs,
  retries: 4,
});

const s3Settings = (endpoint: string) => ({
  location: "s3://bucket/team/shop.json",
  bucket: "bucket",
  key: "team/shop.json",
  region: s3Environment.AWS_REGION,
  ...{ endpoint, pathStyle: true, timeoutMs: deadlineMs },
  credentials: {
    accessKeyId: s3Environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: s3Environment.AWS_SECRET_ACCESS_KEY,
  },
});
