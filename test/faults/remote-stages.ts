import { createHash, createHmac } from "node:crypto";
import { buildRnv } from "./build-rnv";
import type { RemoteKind } from "./remote-server";
import { scenarios } from "./scenarios";
import { type Stage, stageOf } from "./stage";

/** What is played with a state on a server, on which kind of server, and every how many cases. */
const played: readonly (readonly [RemoteKind, string, number])[] = [
  ["http", "update", 1],
  ["http", "no-op", 1],
  ["http", "create-all", 5],
  ["http-lax", "delete", 1],
  ["http-lax", "replace", 5],
  ["http-lax", "create-all", 5],
  ["s3", "update", 1],
  ["s3", "no-op", 1],
  ["s3", "create-all", 5],
  ["s3-sealed", "delete", 1],
  ["s3-sealed", "mixed", 5],
];

export async function remoteStages(): Promise<Stage[]> {
  signInStep();
  const rnv = await buildRnv();
  const stages: Stage[] = [];
  for (const [kind, name, thinned] of played)
    for (const scenario of scenarios.filter((one) => one.name === name))
      stages.push({ ...(await stageOf(rnv, scenario, kind)), thinned });
  return stages;
}

/**
 * Signatures are worked out by threads of the platform, which end when they like: a case would not have the same trace
 * twice. Here they are worked out in turn.
 */
export function signInStep(): void {
  const secretOf = (key: unknown): Uint8Array => key as Uint8Array;
  Object.defineProperty(globalThis.crypto.subtle, "importKey", {
    configurable: true,
    value: async (_format: string, secret: Uint8Array) => secret,
  });
  Object.defineProperty(globalThis.crypto.subtle, "sign", {
    configurable: true,
    value: async (_name: string, key: unknown, text: Uint8Array) =>
      Uint8Array.from(createHmac("sha256", secretOf(key)).update(text).digest()).buffer,
  });
  Object.defineProperty(globalThis.crypto.subtle, "digest", {
    configurable: true,
    value: async (_name: string, bytes: Uint8Array) =>
      Uint8Array.from(createHash("sha256").update(bytes).digest()).buffer,
  });
}
