import { type ApiError, diagnosticOf, isUncertain } from "../api/api-error";
import type { Reads } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";

/** A request that makes something which can be looked for. */
export interface Creation<Made, Found> {
  readonly send: () => Promise<Made>;
  /** Returns what the request may have made; undefined where that cannot be found out. */
  readonly look: (reads: Reads) => Promise<readonly Found[] | undefined>;
  /** Records what was found as the outcome of the request. */
  readonly take: (found: Found) => Promise<Made>;
  readonly refuse: () => Promise<void>;
  /** Returns the error where more than one could be what it made. */
  readonly several: (found: readonly Found[]) => Error | Promise<Error>;
  /** The command that asks for it again. */
  readonly command: string;
  /** Called where looking takes longer than two seconds. */
  readonly onWait?: () => void;
}

/**
 * Sends a request that makes something. After an answer that says nothing certain, what it may have made is looked for
 * before it is sent again, under the same key, whether the service has a receipt or not (DESIGN section 7, Retries).
 */
export async function createOrFind<Made extends object, Found>(
  reads: Reads,
  creation: Creation<Made, Found>,
): Promise<Made> {
  const first = await sendOrFind(reads, creation, { onWait: creation.onWait });
  return first ?? ((await sendOrFind(reads, creation, { forMs: 0 })) as Made);
}

/** Returns undefined where nothing was made: it was looked for, and is not shown. */
async function sendOrFind<Made, Found>(
  reads: Reads,
  { send, look, take, several, refuse, command }: Creation<Made, Found>,
  wait: { readonly forMs?: 0; readonly onWait?: (() => void) | undefined },
): Promise<Made | undefined> {
  try {
    return await send();
  } catch (failure) {
    // The service knows the key from a request with another body (interface, "Idempotency rules").
    const isKeyUsed = (failure as Partial<ApiError>).code === "idempotency_conflict";
    if (!isUncertain(failure) && !isKeyUsed) throw failure;
    // A look that fails tells nothing: that the request is uncertain is what people have to know.
    const found = await reads.pollUntilVisible(look, wait).catch(() => undefined);
    if (found && found.length > 1) throw await several(found);
    const [made] = found ?? [];
    if (made !== undefined) return take(made);
    if (isKeyUsed && found) {
      await refuse();
      const hint = `Nothing was made. Run \`${command}\`: it sends the request under a new key.`;
      throw new DiagnosticsError([{ ...diagnosticOf(failure), hint }]);
    }
    if (found === undefined || wait.forMs === 0) throw failure;
    return undefined;
  }
}

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
