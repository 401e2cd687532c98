import type { StateBackend } from "../../src/state/backend";
import type { Fetch, FetchAnswer, FetchInit } from "../../src/state/fetch-port";
import { s3Environment } from "../support/s3-server";
import type { Rnv } from "./build-rnv";
import { baseUrl, type Machine, workspaceId } from "./machine";
import { type Delivery, remoteLabel, type StateMishap, type StateRequest, type Told } from "./remote-faults";
import { isS3, type RemoteImage, RemoteServer, stateUser } from "./remote-server";
import type { SeenOnWire, Wire } from "./wire";

/** One process as the state's server meets it. */
export interface RemoteProcess {
  readonly pid: number;
  readonly clock: StateBackendClock;
  readonly step: <T>(label: string, effect: () => Promise<T>) => Promise<T>;
  readonly mishap: (request: StateRequest) => StateMishap | undefined;
}
type StateBackendClock = Parameters<Rnv["createRemoteBackend"]>[0]["patience"]["clock"];

const inMemory = "http://127.0.0.1:2";
const deadlineMs = 60_000;
const passOn = 3;
const stateKey = "c0ffee11".repeat(8);

/** The state's server and the way to it, in memory. */
export class RemoteWorld {
  readonly server: RemoteServer;
  /** Requests that went anywhere else. */
  readonly strays: string[] = [];
  readonly #wire: Wire | undefined;
  readonly #origin: string;
  #delayed: { left: number; readonly deliver: () => void }[] = [];

  constructor(
    private readonly machine: Machine,
    image: RemoteImage,
  ) {
    this.server = new RemoteServer(image);
    this.#wire = image.wire;
    this.#origin = image.wire?.origin ?? inMemory;
  }

  /** The backend that one process has; from outside, without a process, nothing goes wrong. */
  backend(rnv: Rnv, process: RemoteProcess = this.#outside()): StateBackend {
    const { machine, server } = this;
    const { kind } = server;
    const fetch = this.#fetch(rnv, process);
    const environment = {
      ...(kind === "s3-sealed" ? { RNV_STATE_ENCRYPTION: "1", RNV_STATE_KEY: stateKey } : {}),
    };
    return rnv.createRemoteBackend({
      store: isS3(kind)
        ? rnv.createS3Store(s3Settings(this.#origin), fetch)
        : rnv.createHttpStore(
            httpSettings(this.#origin),
            fetch,
            rnv.backupFolder(machine.disk, "/state/backups", "the state"),
          ),
      patience: { clock: process.clock, retries: 4, waitMinMs: 500, waitMaxMs: 30_000, totalMs: 180_000 },
      cipher: new rnv.StateCipher(environment, machine.random.bytes),
      disk: machine.disk,
      host: "machine",
      pid: process.pid,
      isAlive: (pid) => machine.running.has(pid),
      workspaceId,
      baseUrl,
    });
  }

  image(): RemoteImage {
    return { ...this.server.image(), ...(this.#wire && { wire: this.#wire }) };
  }

  /** What was still on its way arrives. */
  settle(): void {
    for (const { deliver } of this.#delayed.splice(0)) deliver();
  }

  #outside(): RemoteProcess {
    const { clock } = this.machine;
    return { pid: 1, clock, step: (_label, effect) => effect(), mishap: () => undefined };
  }

  #fetch(rnv: Rnv, process: RemoteProcess): Fetch {
    return (url, init) => {
      const { origin: asked, pathname } = new URL(url);
      if (asked !== this.#origin || init.redirect !== "manual") this.strays.push(`${init.method} ${url}`);
      const request = { method: init.method, path: pathname };
      const label = remoteLabel(request, this.server.kind);
      return process.step(`remote ${label}`, async () => {
        const mishap = process.mishap(request);
        const about = `${process.pid} remote ${label}${mishap ? ` [${mishap.name}]` : ""}`;
        const answering = async (seen: SeenOnWire): Promise<Told> => {
          this.#letPass();
          const delivery = this.#delivery(rnv, seen);
          return mishap?.tell(delivery) ?? delivery.carry();
        };
        try {
          const answer = await this.#send(rnv, url, init, answering);
          this.machine.note(`${about} ${answer.status}`);
          return answer;
        } catch (cause) {
          this.machine.note(`${about} ${String((cause as Error).message)}`);
          throw cause;
        }
      });
    };
  }

  async #send(
    rnv: Rnv,
    url: string,
    init: FetchInit,
    answering: (seen: SeenOnWire) => Promise<Told>,
  ): Promise<FetchAnswer> {
    if (this.#wire !== undefined) return (await this.#wire.fetch(url, init, answering)) as FetchAnswer;
    const { pathname, search, host } = new URL(url);
    const body = Buffer.from(init.body ?? []).toString("utf8");
    const headers = { host, ...init.headers };
    return this.#answer(
      rnv,
      await answering({ method: init.method, path: `${pathname}${search}`, body, headers }),
    );
  }

  #delivery(rnv: Rnv, seen: SeenOnWire): Delivery {
    return {
      carry: async () => this.server.handle(seen),
      stale: (answer) => this.server.stale(seen.path.split("?")[0] ?? "", answer),
      broken: (code) => {
        throw new TypeError("fetch failed", { cause: { code } });
      },
      late: () => this.#late(rnv),
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
  #late(rnv: Rnv): never {
    this.machine.clock.advance(deadlineMs);
    throw new rnv.NoAnswer("no whole answer within 60 s", 0, true);
  }

  #answer(rnv: Rnv, { status, headers = {}, body = "", breaks, trickles }: Told): FetchAnswer {
    const { machine } = this;
    const late = (): never => this.#late(rnv);
    const bytes = Buffer.from(body);
    async function* parts(): AsyncGenerator<Uint8Array> {
      if (trickles !== undefined) {
        machine.clock.advance(trickles * bytes.length);
        for (let at = 0; at < bytes.length; at += 97) yield bytes.subarray(at, at + 97);
        return;
      }
      yield breaks === undefined ? bytes : bytes.subarray(0, bytes.length / 2);
      if (breaks === "closed") throw new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } });
      if (breaks === "late") late();
    }
    return { status, headers: new Headers({ ...headers }), body: parts() };
  }
}

const httpSettings = (origin: string) => ({
  url: `${origin}/state/shop`,
  updateMethod: "POST",
  lockUrl: `${origin}/state/shop`,
  lockMethod: "LOCK",
  unlockUrl: `${origin}/state/shop`,
  unlockMethod: "UNLOCK",
  authorization: `Basic ${Buffer.from(`${stateUser.username}:${stateUser.password}`).toString("base64")}`,
  timeoutMs: deadlineMs,
  retries: 4,
  waitMinMs: 500,
  waitMaxMs: 30_000,
});

const s3Settings = (origin: string) => ({
  location: "s3://bucket/team/shop.json",
  url: `${origin}/bucket/team/shop.json`,
  region: s3Environment.AWS_REGION,
  timeoutMs: deadlineMs,
  credentials: {
    accessKeyId: s3Environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: s3Environment.AWS_SECRET_ACCESS_KEY,
  },
});
