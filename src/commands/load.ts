import type { Diagnostic } from "../diagnostics/diagnostic";
import { hasErrors } from "../diagnostics/diagnostic";
import { loadDesired } from "../manifest/load-desired";
import type { ManifestRequest } from "../manifest/load-manifest";
import type { SecretReach } from "../manifest/secret-reach";
import type { Desired } from "../model/desired";
import { resourceTypes } from "../resources";
import type { Context } from "./context";

export interface Loaded {
  /** Undefined when the manifest has errors. */
  readonly desired?: Desired;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
  /** The manifests as one text; undefined for stacks. */
  readonly merged?: () => string;
}

/** What reading a manifest needs. */
export type LoadContext = Pick<Context, "cwd" | "environment" | "standardInput" | "untrusted">;

/** Reads and checks the manifest or the stacks; `validate` skips the sources of secrets. */
export async function load(
  context: LoadContext,
  files: readonly string[],
  secrets: SecretReach,
  concerns?: ManifestRequest["concerns"],
): Promise<Loaded> {
  const { desired, diagnostics, sources, merged } = await loadDesired({
    files,
    cwd: context.cwd,
    types: resourceTypes,
    environment: context.environment,
    secrets,
    untrusted: context.untrusted === true,
    ...(concerns && { concerns }),
    ...(files.includes("-") ? { standardInput: await context.standardInput?.() } : {}),
  });
  return hasErrors(diagnostics)
    ? { diagnostics, sources }
    : { desired, diagnostics, sources, ...(merged === undefined ? {} : { merged }) };
}
