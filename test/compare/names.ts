import type { EmulatorStore } from "../../src/emulator/testing";

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const time = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|\+00:00)?/g;

/** Keys of texts for people, whose wording is not compared, of encrypted bytes, and of checksums of what is compared. */
const masked: ReadonlyMap<string, string> = new Map([
  ["summary", "<wording>"],
  ["detail", "<wording>"],
  ["hint", "<wording>"],
  ["nonce", "<bytes>"],
  ["data", "<bytes>"],
  ["sum", "<checksum>"],
]);

/**
 * Names for whatever differs between two runs of one story: ids, times, digests, folders, ports. An id of the
 * service is called by what has it, so that the names do not depend on the order of concurrent requests; other ids
 * and digests are called by the key that they have first, and numbered by their order below keys of that name: one
 * digest more or less does not rename those of other keys.
 */
export class Names {
  readonly #names = new Map<string, string>();
  /** The first eight characters of an id stand in host names and short messages. */
  readonly #short = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #places: (readonly [text: string, name: string])[] = [];
  #current = new Set<string>();

  /** Calls a folder or an address by a name from here on. */
  place(text: string, name: string): void {
    this.#places.push([text, name]);
    // A folder inside a named one has to be replaced first.
    this.#places.sort(([a], [b]) => b.length - a.length);
  }

  /** Names what the service holds now. */
  learn(store: EmulatorStore): void {
    this.#current = new Set();
    for (const project of store.projects()) {
      this.#record(project, `project ${project.name}`);
      for (const { id, name } of project.environments)
        this.#name(id, `environment ${name} of ${project.name}`);
    }
    for (const service of store.services()) {
      this.#record(service, `service ${service.name}`);
      for (const variable of store.variables(service.id))
        this.#record(variable, `variable ${variable.key} of ${service.name}`);
      for (const { id } of store.deployments(service.id)) this.#name(id, `deployment of ${service.name}`);
    }
    for (const { id, kind } of store.operations()) this.#name(id, `operation ${kind}`);
  }

  #record({ id, updatedAt }: { readonly id: string; readonly updatedAt: string }, name: string): void {
    this.#current.add(updatedAt);
    this.#name(id, name);
  }

  #name(id: string, name: string): void {
    if (this.#names.has(id)) return;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#names.set(id, count === 1 ? `<${name}>` : `<${name} ${count}>`);
    this.#short.set(id.slice(0, 8), `<short ${name}>`);
  }

  #numbered(kind: string, text: string): string {
    this.#name(text, `${kind}`);
    return this.#names.get(text) as string;
  }

  /** Returns the text, which is below `key` in a JSON value, with names in place of what differs between runs. */
  text(text: string, key = "hex"): string {
    let named = text;
    for (const [place, name] of this.#places) named = named.replaceAll(place, name);
    return named
      .replace(uuid, (id) => this.#names.get(id) ?? this.#numbered("id", id))
      .replace(time, "<time>")
      .replace(/\brnv-[a-z0-9]{20}\b/g, (run) => this.#numbered("run", run))
      .replace(/(rnv record )\S+/g, "$1<record>")
      .replace(/(_seconds(\{[^}]*\})?) [\d.]+/g, "$1 <number>")
      .replace(/\b[0-9a-f]{12,}\b/g, (hex) => (/^\d+$/.test(hex) ? hex : this.#numbered(key, hex)))
      .replace(/\b[0-9a-f]{8}\b/g, (short) => this.#short.get(short) ?? short)
      .replace(/\b\d+(\.\d+)?(ms|s)\b(?! *=)/g, "<duration>");
  }

  /** Returns a JSON value with names in place of what differs between runs. */
  value(value: unknown, key = ""): unknown {
    if (typeof value === "number" && /^(elapsed|pid$|seconds$|duration)/.test(key)) return "<number>";
    if (typeof value === "string") {
      // What is recorded of the live resource is either its newest write or an older one.
      if (/^updated_?at$/i.test(key) && value !== "") return this.#current.has(value) ? "<newest>" : "<time>";
      return masked.get(key) ?? this.text(value, key || "hex");
    }
    if (Array.isArray(value)) return value.map((element) => this.value(element, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, inner]) => !isContentDigest(name, inner))
        .map(([name, inner]) => [this.text(name), this.value(inner, name)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
}

/** Only newer builds record the digest of what the last write sets: with it, every record would differ. */
const isContentDigest = (name: string, value: unknown): boolean =>
  name === "content" && typeof value === "string" && /^[0-9a-f]{16}$/.test(value);
