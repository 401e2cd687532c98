import type { WireRequest } from "../../src/api/transport";
import { apiKeys, baseUrl, type Image, Machine, workspaceId } from "./machine";
import type { RequestMishap } from "./process";
import { requestFaults } from "./request-faults";

/** What a client does that repeats what failed and writes its state when all is done. */
interface Known {
  projectId?: string;
  readonly services: Map<string, string>;
}

const mostAttempts = 3;

/** Creates a project, two services, a variable and a deployment: POST until something answers 200, no keys. */
class NaiveClient {
  requests = 0;

  constructor(
    private readonly machine: Machine,
    private readonly mishap: (index: number, request: WireRequest) => RequestMishap | undefined,
  ) {}

  /** Returns what it knows in the end, or undefined when it gave up: then it knows nothing. */
  async apply(): Promise<Known | undefined> {
    const known: Known = { services: new Map() };
    const { project } = await this.#post<{ project: { id: string; environments: { id: string }[] } }>(
      "projects",
      {
        name: "Shop",
        color: "#2f6fed",
      },
    );
    known.projectId = project.id;
    for (const name of ["api", "worker"]) {
      const { service } = await this.#post<{ service: { id: string } }>("services", {
        name,
        kind: "web",
        configuration: { repository: `https://git.example.com/shop/${name}` },
        deploy: false,
        projectId: project.id,
        environmentId: project.environments[0]?.id,
      });
      known.services.set(name, service.id);
    }
    const api = known.services.get("api");
    await this.#post(`services/${api}/variables`, { key: "LOG_LEVEL", value: "info" });
    await this.#post(`services/${api}/deploys`, {});
    return known;
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    let last: unknown;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const request: WireRequest = {
        method: "POST",
        url: `${baseUrl}/workspaces/${workspaceId}/${path}`,
        headers: { authorization: `Bearer ${apiKeys[0]}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      const index = this.requests;
      this.requests += 1;
      try {
        const mishap = this.mishap(index, request);
        const answer = await this.machine.handle(request, mishap?.fault);
        const told = mishap?.rewrite?.(answer) ?? answer;
        if (told.status === 200) return JSON.parse(told.body) as T;
        last = new Error(`status ${told.status}`);
      } catch (cause) {
        last = cause;
      }
    }
    throw last;
  }
}

export interface NaiveTally {
  cases: number;
  /** Cases that leave two things of one name, or one deployment too many. */
  duplicates: number;
  /** Cases that leave things that no state knows. */
  orphans: number;
}

/** The naive client under every fault at every request, each with two re-runs, as rnv has them. */
export async function playNaive(image: Image): Promise<NaiveTally> {
  const tally: NaiveTally = { cases: 0, duplicates: 0, orphans: 0 };
  const usual = 5;
  for (const fault of requestFaults) {
    if (fault.foreign || fault.lies || fault.onward) continue;
    for (let at = 0; at < usual; at += 1) {
      for (const held of [false, true]) {
        const machine = new Machine(tally.cases, image);
        const known = await runs(machine, (index, request) => {
          const path = new URL(request.url).pathname.replace(/^\/api\/v1/, "");
          const hits = held ? index >= at && index < at + mostAttempts : index === at;
          if (!hits || (fault.applies && !fault.applies({ method: request.method, path }))) return undefined;
          const seen = { method: request.method, path, query: "", body: request.body };
          return { name: fault.name, fault: fault.fault?.(seen), rewrite: fault.rewrite };
        });
        count(tally, machine, known);
      }
    }
  }
  return tally;
}

async function runs(machine: Machine, mishap: ConstructorParameters<typeof NaiveClient>[1]) {
  for (let run = 0; run < 3; run += 1) {
    const client = new NaiveClient(machine, run === 0 ? mishap : () => undefined);
    const known = await client.apply().catch(() => undefined);
    if (known !== undefined) return known;
  }
  return undefined;
}

function count(tally: NaiveTally, machine: Machine, known: Known | undefined): void {
  const { store } = machine.emulator;
  const names = [
    ...store.projects().map(({ name }) => name),
    ...store.services().map(({ name, projectId }) => `${projectId}/${name}`),
  ];
  const deployments = store.services().map(({ id }) => store.deployments(id).length);
  const ids = new Set([known?.projectId, ...(known?.services.values() ?? [])]);
  const live = [...store.projects(), ...store.services()].map(({ id }) => id);
  tally.cases += 1;
  if (new Set(names).size < names.length || deployments.some((many) => many > 1)) tally.duplicates += 1;
  if (live.some((id) => !ids.has(id))) tally.orphans += 1;
}
