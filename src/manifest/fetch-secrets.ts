import { hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { UnreadSecret } from "../model/value";
import type { BuiltResource } from "./build-resource";
import { fetchSecret } from "./fetch-secret";
import type { Findings } from "./findings";
import type { Reading } from "./reading";
import type { SecretReach } from "./secret-reach";

const notConcerned = "it is not targeted, so its command was not run";

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
  {
    findings,
    reach,
    concerns,
  }: {
    readonly findings: Findings;
    readonly reach: SecretReach;
    /** Whether the values of an address are needed; all are unless said. */
    readonly concerns?: (address: Address) => boolean;
  },
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
  if (hasErrors(findings.all())) return;
  const isNeeded = ({ source }: (typeof jobs)[number]): boolean => concerns?.(source.block.address) ?? true;
  const commands = jobs.filter(({ source }) => source.kind === "command");
  for (const { attributes, source } of commands.filter((job) => !isNeeded(job)))
    attributes.set(source.shape.path, { value: new UnreadSecret(notConcerned), range: source.range });
  await run(commands.filter(isNeeded));
}
