import { loadDesired } from "../manifest/load-desired";
import { resourceTypes } from "../resources";
import type { StateBackend } from "../state/backend";
import type { Context } from "./context";

export interface KnownNames {
  /** Declared and recorded addresses, sorted. */
  readonly addresses: readonly string[];
  /** Names of recorded and declared outputs, sorted. */
  readonly outputs: readonly string[];
}

/**
 * What can be named on a command line: everything that is declared or recorded. No request is made, no program run and
 * no secret read; what cannot be read has no names.
 */
export async function listKnownNames(
  context: Pick<Context, "cwd" | "environment">,
  request: { readonly files: readonly string[]; readonly backend?: Pick<StateBackend, "read"> },
): Promise<KnownNames> {
  const loading = loadDesired({
    files: request.files,
    cwd: context.cwd,
    types: resourceTypes,
    environment: whateverIsAsked(context.environment),
    secrets: "skip",
  });
  const [desired, state] = await Promise.all([
    loading.then((loaded) => loaded.desired).catch(() => undefined),
    request.backend?.read().catch(() => undefined),
  ]);
  const sorted = (...names: readonly (Iterable<string> | undefined)[]): readonly string[] =>
    [...new Set(names.flatMap((some) => [...(some ?? [])]))].sort();
  return {
    addresses: sorted(desired?.resources.keys(), Object.keys(state?.resources ?? {})),
    outputs: sorted(desired?.outputs.keys(), Object.keys(state?.outputs ?? {})),
  };
}

/** Addresses do not depend on values, so a variable that is not set here must not hide them. */
const whateverIsAsked = (environment: Context["environment"]): Context["environment"] =>
  new Proxy(environment, { get: (known, name: string) => known[name] || "x", has: () => true });
