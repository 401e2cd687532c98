import { hasErrors } from "../diagnostics/diagnostic";
import type { BuiltResource } from "./build-resource";
import { fetchSecret } from "./fetch-secret";
import type { Findings } from "./findings";
import type { Reading } from "./reading";
import type { SecretReach } from "./secret-reach";

/** Fetches at a time; a command may ask a vault. */
const parallelFetches = 4;

/**
 * Environment and files always, so that all that is missing is named; commands only for a manifest without errors.
 * Where only what is `present` is asked for, a source that is not here leaves its secret unread.
 */
export async function fetchSecrets(
  built: readonly BuiltResource[],
  cwd: string,
  reading: Reading,
  { findings, reach }: { readonly findings: Findings; readonly reach: SecretReach },
): Promise<void> {
  const jobs = built
    .filter(({ sources }) => sources.length > 0)
    .flatMap(({ attributes, sources }) => sources.map((source) => ({ attributes, source })));
  if (jobs.length === 0) return;
  const run = async (kept: typeof jobs): Promise<void> => {
    const queue = kept.values();
    const worker = async (): Promise<void> => {
      for (const { attributes, source } of queue) {
        const secret = await fetchSecret(source, cwd, reading, reach === "present");
        if (secret !== undefined) attributes.set(source.shape.path, { value: secret, range: source.range });
      }
    };
    await Promise.all(Array.from({ length: parallelFetches }, worker));
  };
  await run(jobs.filter(({ source }) => source.kind !== "command"));
  if (!hasErrors(findings.all())) await run(jobs.filter(({ source }) => source.kind === "command"));
}
