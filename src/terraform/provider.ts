import type { Resource } from "../api/reads";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import { resourceTypes } from "../resources";
import { type ManagedType, managedType } from "./schema/managed-type";
import type { Session } from "./session";

/** What the calls of one plugin process work with. */
export class Provider {
  #session: Session | undefined;
  readonly #types = new Map<string, ManagedType>();
  /** Sensitive values of configurations and states that calls brought along. */
  readonly #sensitive = new Set<string>();
  readonly #stop = new AbortController();

  constructor(
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly cwd: string,
    resources: readonly Resource[] = resourceTypes,
  ) {
    for (const resource of resources) {
      const type = managedType(resource);
      this.#types.set(type.name, type);
    }
  }

  get managedTypes(): readonly ManagedType[] {
    return [...this.#types.values()];
  }

  /** Undefined before ConfigureProvider, and where its configuration is not known yet. */
  get session(): Session | undefined {
    return this.#session;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  configure(session: Session | undefined): void {
    this.#session = session;
    session?.redact([...this.#sensitive].map((text) => new Secret(text)));
  }

  /** Masks texts in all that the service says, also to a session that is opened later. */
  redact(texts: readonly string[]): void {
    const added = texts.filter((text) => !this.#sensitive.has(text));
    for (const text of added) this.#sensitive.add(text);
    this.#session?.redact(added.map((text) => new Secret(text)));
  }

  /** Ends every wait: calls in flight return what they have. */
  stop(): void {
    this.#stop.abort(new Error("interrupted"));
  }

  /** Throws for a call that cannot be answered without the service. */
  requireSession(): Session {
    if (this.#session !== undefined) return this.#session;
    throw new DiagnosticsError([
      error("config.missing", "the provider is not configured", {
        detail: "Its configuration depends on something that is not known before apply.",
        hint: "apply what it depends on first, with -target",
      }),
    ]);
  }

  typeNamed(name: string): ManagedType {
    const type = this.#types.get(name);
    if (type !== undefined) return type;
    throw new DiagnosticsError([
      error("manifest.unsupported", `this provider has no resource type "${name}"`),
    ]);
  }
}
