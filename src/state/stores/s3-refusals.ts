import { failure } from "../../diagnostics/diagnostic";
import { meaningOf, type Purpose } from "./remote-store";
import type { BucketFailure } from "./s3-client";

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
export function s3Refused({ code, summary }: Purpose, failed: BucketFailure, profile?: string) {
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
