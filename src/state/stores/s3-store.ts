import { DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/target-location";
import { keptBackups } from "../backend";
import { checkEndpoint, type StateAddress, stateTimeout } from "../state-address";
import type { RemoteStore, StateServer, WriteAnswer } from "./remote-store";
import { s3Locks, unconditional } from "./s3-lock";
import { type S3StateSettings, s3Objects } from "./s3-objects";

const keyNames = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

/**
 * Reads the settings of an S3 state: those of its address, else of `AWS_*`. The AWS SDK finds the others. Throws
 * `DiagnosticsError`.
 */
export function s3StateSettings(
  { kind: _kind, ...address }: StateAddress & { readonly kind: "s3" },
  environment: ProcessEnvironment,
): S3StateSettings {
  const setting = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const endpoint = address.endpoint ?? setting("AWS_ENDPOINT_URL_S3") ?? setting("AWS_ENDPOINT_URL");
  const wrong = endpoint === undefined ? undefined : checkEndpoint(endpoint, "the endpoint of the state");
  if (wrong !== undefined) throw new DiagnosticsError([wrong]);
  const [accessKeyId, secretAccessKey, sessionToken] = keyNames.map(setting);
  for (const name of keyNames)
    if (/[^!-~]/.test(setting(name) ?? ""))
      throw failure("config.invalid", `${name} holds a space or a line break`, {
        hint: "set it again, in a line",
      });
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined) && address.profile === undefined)
    throw failure(
      "config.missing",
      `${accessKeyId ? keyNames[1] : keyNames[0]} is not set, and the other is`,
      {
        hint: "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither of them and a profile",
      },
    );
  return {
    ...address,
    location: `s3://${address.bucket}/${address.key}`,
    region: address.region ?? setting("AWS_REGION") ?? setting("AWS_DEFAULT_REGION"),
    endpoint,
    pathStyle: address.pathStyle ?? endpoint !== undefined,
    profile: address.profile ?? setting("AWS_PROFILE"),
    timeoutMs: stateTimeout(environment),
    credentials:
      accessKeyId && secretAccessKey && address.profile === undefined
        ? { accessKeyId, secretAccessKey, sessionToken }
        : undefined,
  };
}

/** Keeps a state in S3 or a server that speaks its protocol, with conditional writes: `If-None-Match: *` and `If-Match`. */
export function createS3Store(settings: S3StateSettings, server: StateServer): RemoteStore {
  const { location } = settings;
  const objects = s3Objects(settings, server);
  const backup = (slot: number): string => `.backup.${slot}`;
  return {
    location,
    read: () => objects.get(""),
    server,
    crossed: unconditional(location, "If-Match"),
    async write(bytes, expected): Promise<WriteAnswer> {
      const condition = expected === undefined ? ({ IfNoneMatch: "*" } as const) : { IfMatch: expected };
      const version = await objects.put("", bytes, condition);
      return version === undefined ? { kind: "changed" } : { kind: "written", version };
    },
    async remove(expected) {
      for (let slot = 0; slot < keptBackups; slot += 1) await objects.delete(backup(slot));
      return objects.delete("", expected);
    },
    locks: s3Locks(objects, location),
    backups: {
      name: (slot) => `${location}${backup(slot)}`,
      read: async (slot) => (await objects.get(backup(slot)))?.bytes,
      write: (slot, bytes) => objects.put(backup(slot), bytes),
    },
  };
}
