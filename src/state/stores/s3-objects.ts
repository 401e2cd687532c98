import { DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import { checkEndpoint } from "../state-address";
import {
  changing,
  meaningOf,
  type Purpose,
  reading,
  type StateServer,
  type StoredState,
  silent,
  UnansweredError,
  writing,
} from "./remote-store";
import type * as s3Client from "./s3-client";
import type { BucketFailure, BucketOptions, Conditions } from "./s3-client";

/** The location of an S3 state, and the settings that its address and the environment give. */
export interface S3StateSettings extends Omit<BucketOptions, "send"> {
  /** `s3://bucket/key`, for messages. */
  readonly location: string;
  /** Key of the state; the lock and the backups are beside it. */
  readonly key: string;
}

/** Ways to write an ETag in a condition. Ceph's gateway takes none in quotes; others take those alone. */
export const etagForms = ["quoted", "bare"] as const;

/** Objects of a bucket, by the suffix after the key of the state: `""`, `.lock`, `.backup.3`. */
export interface Objects {
  /** Form of the ETags in conditions of `put`. */
  form: (typeof etagForms)[number];
  get(suffix: string): Promise<StoredState | undefined>;
  /** Returns the new ETag; undefined when a condition was not met. */
  put(suffix: string, bytes: Uint8Array, conditions?: Conditions): Promise<string | undefined>;
  delete(suffix: string, expected?: string): Promise<boolean>;
}

/** Sends requests to a bucket, each for a purpose. The AWS SDK is loaded with the first of them. */
function callsOf(settings: S3StateSettings, server: StateServer) {
  const open = () => {
    const sdk = require("./s3-client") as typeof s3Client;
    const send: BucketOptions["send"] = async (request) => {
      const wrong = checkEndpoint(request.url, "the endpoint of the state");
      if (wrong !== undefined) throw new DiagnosticsError([wrong]);
      const answer = await server.send(request);
      const isObject = /[?&]x-id=(Get|Put)Object/.test(request.url);
      if (isObject && answer.status === 200 && answer.headers.etag === undefined)
        throw new UnansweredError("the answer has no ETag");
      return answer;
    };
    return sdk.openBucket({ ...settings, send });
  };
  let opened: s3Client.Bucket | undefined;
  /** Returns the answer to a request; undefined for a failure that `isExpected`. */
  return <T>(
    purpose: Purpose,
    request: (bucket: s3Client.Bucket) => Promise<T>,
    isExpected: (failure: BucketFailure) => boolean = () => false,
  ): Promise<T | undefined> =>
    server.ask(purpose, async () => {
      opened ??= open();
      try {
        return await request(opened);
      } catch (cause) {
        if (cause instanceof DiagnosticsError || cause instanceof UnansweredError) throw cause;
        const failed = opened.failureOf(cause);
        if (isExpected(failed)) return undefined;
        if (!failed.isPassing) throw s3Refused(purpose, failed, settings.profile);
        throw new UnansweredError(`the server answered ${failed.status} (${failed.code})`, 503);
      }
    });
}

const isAbsent = ({ code }: BucketFailure): boolean => code === "NoSuchKey";
const isUnmet = (failed: BucketFailure): boolean => failed.status === 412 || isAbsent(failed);

export function s3Objects(settings: S3StateSettings, server: StateServer): Objects {
  const { location, key } = settings;
  const call = callsOf(settings, server);
  const objects: Objects = {
    form: "quoted",
    get: (suffix) => call(reading(`${location}${suffix}`), (bucket) => bucket.get(key + suffix), isAbsent),
    put(suffix, bytes, { IfMatch, ...conditions } = {}) {
      const etag = objects.form === "bare" ? IfMatch?.replace(/^"(.*)"$/, "$1") : IfMatch;
      const put = (bucket: s3Client.Bucket) =>
        bucket.put(key + suffix, bytes, { ...conditions, IfMatch: etag });
      return call(suffix === "" ? writing(location) : changing("write", location + suffix), put, isUnmet);
    },
    async delete(suffix, expected) {
      const purpose = changing("delete", location + suffix);
      return (await call(purpose, (bucket) => bucket.delete(key + suffix, expected), isUnmet)) === true;
    },
  };
  return objects;
}

/** Returns the keys that begin with `prefix`, of the bucket of a state; all pages of them. Throws where one is not whole. */
export async function listS3Keys(
  settings: S3StateSettings,
  { prefix, name }: { readonly prefix: string; readonly name: string },
  server: StateServer,
): Promise<readonly string[]> {
  const purpose = { ...reading(name), summary: `cannot list ${name}` };
  const keys = await callsOf(settings, server)(purpose, (bucket) => bucket.list(prefix));
  if (keys === undefined) throw silent(purpose, new UnansweredError("the list of the bucket is not whole"));
  return keys;
}

/** Meaning and remedy of the codes of stores; of a longer code its beginning. */
const refusals: Readonly<Record<string, readonly [meaning: string, hint: string]>> = {
  AccessDenied: [
    "the credentials are not allowed to do this",
    "allow s3:GetObject, s3:PutObject and s3:DeleteObject on the key and what begins with it, and s3:ListBucket on the bucket",
  ],
  ExpiredToken: [
    "the credentials have expired",
    "get new ones (aws sso login), then run the same command again",
  ],
  InvalidAccessKeyId: [
    "the store does not know the access key",
    "check AWS_ACCESS_KEY_ID or the profile, and the endpoint",
  ],
  KMS: [
    "the key that encrypts the bucket was refused",
    "allow kms:GenerateDataKey and kms:Decrypt on the key, and check that it is enabled",
  ],
  NoSuchBucket: ["the bucket does not exist", "create it, or correct RNV_STATE or the endpoint"],
  PermanentRedirect: ["the bucket is in another region", "add its region to RNV_STATE: ?region=…"],
  RequestTimeTooSkewed: ["the clock of this machine is wrong", "set it, then run the same command again"],
  SignatureDoesNotMatch: ["the secret key is wrong", "check AWS_SECRET_ACCESS_KEY or the profile"],
};
const sameRefusals: Readonly<Record<string, string>> = {
  AuthorizationHeaderMalformed: "PermanentRedirect",
  IllegalLocationConstraintException: "PermanentRedirect",
  InvalidToken: "ExpiredToken",
};

/** Returns the error for a final refusal of a store, or for credentials that cannot be had. Holds no text of the store. */
function s3Refused({ code, summary }: Purpose, failed: BucketFailure, profile?: string) {
  const { code: cause = "", status, text, region } = failed;
  if (failed.isOfCredentials)
    return failure("config.missing", `${summary}: there are no credentials (${cause})`, {
      detail: text || undefined,
      hint: profile
        ? `check that the profile ${profile} is in ~/.aws/config or ~/.aws/credentials, and has credentials`
        : "export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has them: ?profile=NAME in RNV_STATE",
    });
  if (status === undefined)
    return failure(code, `${summary}: ${text}`, {
      hint: "check the region (?region=… in RNV_STATE, or AWS_REGION) and the endpoint",
    });
  const [known] = /^KMS(?=\.)/.exec(cause) ?? [sameRefusals[cause] ?? cause];
  const [meaning, hint] = refusals[known] ?? [
    meaningOf(status),
    "check the address (RNV_STATE) and the credentials of the state",
  ];
  const where = region !== undefined && known === "PermanentRedirect" ? ` (${region})` : "";
  const about = cause === "" ? `HTTP ${status}` : `${cause}, HTTP ${status}`;
  return failure(code, `${summary}: ${meaning}${where} (${about})`, { hint });
}
