import { canonicalJson, type Plain } from "../model/value";
import type { Call } from "./call";
import { conflict, invalid } from "./refusal";

const retentionMs = 24 * 60 * 60 * 1000;
const keyPattern = /^[!-~]{1,160}$/;

/** A keyed write about to be handled: the retained answer, or where its answer will be retained. */
export interface KeyedWrite {
  readonly receiptId: string;
  readonly payload: string;
  readonly replay?: { readonly status: number; readonly body: unknown };
}

/** Looks a key up (interface, "Idempotency rules" 1 to 4). Throws 400 for a malformed key, 409 for a changed payload. */
export function openReceipt(call: Call, key: string): KeyedWrite {
  if (!keyPattern.test(key)) throw invalid("Idempotency-Key must be 1 to 160 visible ASCII characters");
  const { store, seal, clock } = call.world;
  if (call.body.requestId !== undefined && call.body.requestId !== key) {
    throw invalid("requestId must match the Idempotency-Key", "idempotency_request_mismatch");
  }
  const { workspaceId, actor, id } = call.credential;
  const receiptId = [workspaceId, actor, id, call.method, call.path, key].join(" ");
  const payload = seal.digest(canonicalJson(call.body as Plain));
  const receipt = store.get("receipts", receiptId);
  if (receipt === undefined || receipt.expiresAt <= clock.now()) return { receiptId, payload };
  if (receipt.payload !== payload) {
    throw conflict("idempotency_conflict", "This Idempotency-Key was used with another payload");
  }
  return { receiptId, payload, replay: { status: receipt.status, body: receipt.body } };
}

/** Retains a successful answer for 24 hours. */
export function keepReceipt(call: Call, write: KeyedWrite, status: number, body: unknown): void {
  call.world.store.put("receipts", {
    id: write.receiptId,
    payload: write.payload,
    status,
    body,
    expiresAt: call.world.clock.now() + retentionMs,
  });
}

/** Forgets what the 24 hours have passed for. */
export function dropExpiredReceipts(store: Call["world"]["store"]): void {
  for (const receipt of [...store.all("receipts")]) {
    if (receipt.expiresAt <= store.clock.now()) store.remove("receipts", receipt.id);
  }
}
