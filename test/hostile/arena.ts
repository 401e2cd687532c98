import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { createEmulator } from "../../src/emulator/emulator";
import { builtCli } from "../support/built-cli";
import { finished } from "../support/finished";
import { type Listening, listen } from "../support/listen";
import { settingsOf } from "../support/settings";
import { newFolder } from "../support/temp-folder";

/** What an attacker controls: files, environment, arguments, answers of the service. */
export interface Attack {
  readonly title: string;
  /** By path below the project; `../` reaches what lies outside it. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly prepare?: (project: string) => void;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly answer?: (request: { readonly method: string; readonly path: string }) => Answer | undefined;
  /** What the user is told. */
  readonly says: RegExp;
  /** Exit codes that are right; 1 unless said. */
  readonly codes?: readonly number[];
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `FOREIGN` in a header or a body stands for the other origin. */
  readonly body?: string;
}

export interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly cpuMs: number;
  readonly rssKb: number;
  /** Requests that reached the other origin. */
  readonly foreign: number;
}

export const canary = "CANARY-OUTSIDE-THE-PROJECT";

/** One service, one other origin that must never be asked, and a folder for each attack. */
export class Arena {
  readonly #cli = builtCli();
  #foreignRequests = 0;
  readonly #foreign = createServer((_request, response) => {
    this.#foreignRequests += 1;
    response.end("{}");
  });
  #origin: Listening | undefined;

  async open(): Promise<void> {
    this.#origin = await listen(this.#foreign);
  }

  async close(): Promise<void> {
    await this.#origin?.close();
  }

  async run(attack: Attack): Promise<Outcome> {
    const base = newFolder("hostile");
    const project = join(base, "project");
    mkdirSync(project);
    writeFileSync(join(base, "canary.txt"), canary);
    for (const [name, content] of Object.entries(attack.files ?? {})) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), content);
    }
    attack.prepare?.(project);
    const emulator = createEmulator({ deploySeconds: 0, operationSeconds: 0 });
    const transport = emulator.transport();
    const service = createServer((request, response) => {
      const from = (text: string): string => text.replaceAll("FOREIGN", this.#origin?.url ?? "");
      const handle = async (): Promise<void> => {
        const { method = "", url: path = "" } = request;
        const hostile = attack.answer?.({ method, path });
        if (hostile !== undefined) {
          const headers = Object.entries(hostile.headers ?? {}).map(([name, value]) => [name, from(value)]);
          response.writeHead(hostile.status ?? 200, Object.fromEntries(headers));
          response.end(from(hostile.body ?? "{}"));
          return;
        }
        const answer = await transport.send({
          method,
          url: `http://127.0.0.1${path}`,
          headers: flat(request),
          body: await bodyOf(request),
        });
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body);
      };
      handle().catch(() => response.destroy());
    });
    const { url, close } = await listen(service);
    const before = this.#foreignRequests;
    try {
      const env = Object.entries(attack.env ?? {}).map(([name, value]) => [
        name,
        value.replaceAll("FOREIGN", this.#origin?.url ?? ""),
      ]);
      const ended = await this.#start(base, project, attack.args, {
        ...settingsOf(`${url}/api/v1`),
        ...Object.fromEntries(env),
      });
      return { ...ended, foreign: this.#foreignRequests - before };
    } finally {
      await close();
      rmSync(base, { recursive: true, force: true });
    }
  }

  async #start(base: string, cwd: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const meter = join(base, "meter.json");
    const node = [
      "--liftoff-only",
      "--max-old-space-size=256",
      "-r",
      join(__dirname, "meter.cjs"),
      this.#cli,
    ];
    const child = spawn(process.execPath, [...node, ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: base, HOSTILE_METER: meter, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // Far above what is allowed: a hang is told from a busy machine by the processor time.
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const { code, output } = await finished(child);
    const measured = code === null ? "{}" : readFileSync(meter, "utf8");
    const { cpuMs = Number.POSITIVE_INFINITY, rssKb = 0 } = JSON.parse(measured);
    return { code: code ?? -1, text: output, cpuMs, rssKb };
  }
}

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return parts.length === 0 ? undefined : Buffer.concat(parts).toString("utf8");
}
