import { type ApiError, diagnosticOf, isUncertain } from "../api/api-error";
import type { Reads } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { RecordedResource } from "../model/state";
import { sendAgain } from "./journaled-send";

/** A request whose result can be looked for. */
export interface Creation<Made, Found> {
  readonly send: () => Promise<Made>;
  /** Returns the possible results of the request; undefined where they cannot be read. */
  readonly look: (reads: Reads) => Promise<readonly Found[] | undefined>;
  /** Records a found result as the outcome of the request. */
  readonly take: (found: Found) => Promise<Made>;
  readonly refuse?: () => Promise<void>;
  /** Returns the error for several possible results. */
  readonly several: (found: readonly Found[]) => Error | Promise<Error>;
  /** The command that asks for it again. */
  readonly command: string;
  /** Called where looking takes longer than two seconds. */
  readonly onWait?: () => void;
}

/**
 * Sends a request that creates something. After an uncertain answer its result is looked for, and only then is it sent
 * again, under the same key (DESIGN section 7, Retries). The service may have no receipt.
 */
export async function createOrFind<Made, Found>(
  reads: Reads,
  { send, look, take, several, refuse, command, ...wait }: Creation<Made, Found>,
): Promise<Made> {
  for (let attempt = send; ; attempt = () => sendAgain(send)) {
    try {
      return await attempt();
    } catch (failure) {
      // The service knows the key from a request with another body (interface, "Idempotency rules").
      const isKeyUsed = (failure as Partial<ApiError>).code === "idempotency_conflict";
      if (!isUncertain(failure) && !isKeyUsed) throw failure;
      // The user needs the uncertainty of the request, not the failure of the search.
      const found = await reads.pollUntilVisible(look, wait).catch(() => undefined);
      if (found && found.length > 1) throw await several(found);
      const [made] = found ?? [];
      if (made !== undefined) return take(made);
      if (isKeyUsed && found) {
        await refuse?.();
        const hint = `Nothing was made. Run \`${command}\`: it sends the request under a new key.`;
        throw new DiagnosticsError([{ ...diagnosticOf(failure), hint }]);
      }
      if (found === undefined || attempt !== send) throw failure;
    }
  }
}

/** Returns false for a resource that is recorded at another address: no lost request for this address made it. */
export const isFree =
  (address: string, records: Iterable<readonly [address: string, RecordedResource]>) =>
  ({ type, id }: LiveResource): boolean =>
    [...records].every(([other, one]) => other === address || one.id !== id || one.type !== type);

export const severalFound = (
  code: "apply.uncertain" | "state.open_intent",
  address: Address,
  found: readonly LiveResource[],
): Diagnostic =>
  error(code, `unknown whether ${address} was created: ${found.length} resources have its name`, {
    address,
    detail: `The API did not answer. Found: ${found.map(({ id }) => id).join(", ")}. Any of them may be it.`,
    hint: `Keep one, delete the others, then run: rnv import ${address} ID`,
  });
