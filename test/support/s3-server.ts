import { createHash } from "node:crypto";
import { type StateServer, type StateService, serveState } from "./http-state-server";

export const s3Environment = {
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  AWS_REGION: "eu-test-1",
} as const;

/** A bucket with conditional writes; as in MinIO, a deletion pays no heed to conditions. It knows one access key. */
export function serveS3(options: S3Options = {}): Promise<StateServer> {
  const stored = new Map<string, string>();
  return serveState(s3Service(options, stored), stored);
}

export interface S3Options {
  /** Conditions that it heeds; both unless said. */
  readonly obeys?: readonly ("If-None-Match" | "If-Match")[];
  /** The ETags that `If-Match` takes; in quotes unless said. */
  readonly etags?: "quoted" | "bare" | "none";
}

/** The same without a network. */
export function s3Service(
  { obeys = ["If-None-Match", "If-Match"], etags = "quoted" }: S3Options,
  stored: Map<string, string>,
): StateService {
  const etagOf = (text: string): string => `"${createHash("md5").update(text).digest("hex")}"`;
  return ({ method, path: url, body, headers }) => {
    if (!headers.authorization?.includes(`Credential=${s3Environment.AWS_ACCESS_KEY_ID}/`))
      return refusal(403, "InvalidAccessKeyId");
    if (method === "GET" && /[?&]list-type=2/.test(url)) return listing(url, stored);
    const path = url.replace(/\?.*/, "");
    const held = stored.get(path);
    const etag = held === undefined ? undefined : etagOf(held);
    const { "if-match": match, "if-none-match": noneMatch } = headers;
    if (method === "PUT" && obeys.includes("If-None-Match") && noneMatch === "*" && held !== undefined)
      return refusal(412, "PreconditionFailed");
    if (method === "PUT" && obeys.includes("If-Match") && match !== undefined) {
      if (held === undefined) return refusal(404, "NoSuchKey");
      const taken = { quoted: etag, bare: etag?.slice(1, -1), none: undefined }[etags];
      if (match !== taken) return refusal(412, "PreconditionFailed");
    }
    if (method === "PUT") {
      stored.set(path, body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (method === "DELETE") {
      stored.delete(path);
      return { status: 204 };
    }
    if (held === undefined) return refusal(404, "NoSuchKey");
    return { status: 200, body: held, headers: { etag: etag as string } };
  };
}

export const refusal = (status: number, code: string) => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`,
});

const xml = (text: string): string => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Keys of one page, so that a list has several. */
const pageSize = 2;

function listing(path: string, stored: ReadonlyMap<string, string>): ReturnType<StateService> {
  const url = new URL(path, "http://localhost");
  const after = url.searchParams.get("continuation-token") ?? "";
  const prefix = url.searchParams.get("prefix") ?? "";
  const bucket = url.pathname.replace(/\/?$/, "/");
  const keys = [...stored.keys()]
    .filter((key) => key.startsWith(bucket))
    .map((key) => decodeURIComponent(key.slice(bucket.length)))
    .filter((key) => key.startsWith(prefix) && key > after)
    .sort();
  const page = keys.slice(0, pageSize);
  const isTruncated = keys.length > page.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const contents = page.map((key) => `<Contents><Key>${xml(key)}</Key></Contents>`).join("");
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${contents}<IsTruncated>${isTruncated}</IsTruncated>${next}</ListBucketResult>`;
  return { status: 200, body };
}
