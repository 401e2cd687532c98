import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { WireRequest, WireResponse } from "../../api/transport";

/** A bucket and its credentials. Absent settings come from the environment of the process, then the shared config. */
export interface BucketOptions {
  readonly bucket: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
  readonly profile?: string;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Carries every request: to the bucket, to STS and to SSO. */
  readonly send: (request: WireRequest) => Promise<WireResponse>;
}

export type Bucket = ReturnType<typeof openBucket>;

export interface Conditions {
  readonly IfMatch?: string;
  readonly IfNoneMatch?: "*";
}

export interface BucketFailure {
  readonly code?: string;
  readonly status?: number;
  readonly isOfCredentials?: true;
  readonly text: string;
  readonly region?: string;
  readonly isPassing: boolean;
}

/**
 * Opens a bucket, without a request. Its methods reject with errors for `failureOf`.
 * @public loaded late
 */
export function openBucket({ bucket: Bucket, send, timeoutMs, ...options }: BucketOptions) {
  const { region, endpoint, profile, pathStyle: forcePathStyle } = options;
  // The caller repeats requests.
  const shared = { logger: silent, requestHandler: handlerOver(send), maxAttempts: 1 };
  const client = new S3Client({
    ...shared,
    region,
    endpoint,
    profile,
    forcePathStyle,
    credentials:
      options.credentials ??
      marking(defaultProvider({ profile, logger: silent, clientConfig: shared }), 2 * timeoutMs),
    // Other servers know neither these checksums nor `Expect`.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
  });
  return {
    failureOf,
    async get(Key: string) {
      const { Body, ETag } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return { bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(), version: ETag ?? "" };
    },
    async put(Key: string, Body: Uint8Array, conditions: Conditions) {
      const request = { Bucket, Key, Body, ContentType: "application/json", ...conditions };
      return (await client.send(new PutObjectCommand(request))).ETag;
    },
    async delete(Key: string, IfMatch?: string) {
      await client.send(new DeleteObjectCommand({ Bucket, Key, IfMatch }));
      return true;
    },
    /** Returns all keys that begin with `Prefix`; undefined where a page of them is not whole. */
    async list(Prefix: string) {
      const keys: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        if (page.IsTruncated === undefined) return undefined;
        keys.push(...(page.Contents ?? []).map(({ Key = "" }) => Key));
      }
      return keys;
    },
  };
}

/** Texts of the SDK itself: others may quote a server or a program. */
const ownText = /^(CredentialsProvider|TokenProvider|Endpoint|)Error: (?!Command failed)/;

function failureOf(cause: unknown): BucketFailure {
  const { name, message, isOfCredentials, $metadata, $response } = cause as Failure;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const isCode = (isOfCredentials || cause instanceof S3ServiceException) && /^[\w.-]{1,100}$/.test(name);
  return {
    code: isCode ? name : undefined,
    status,
    isOfCredentials,
    text: ownText.test(String(cause)) ? message.replace(/\s+/g, " ").slice(0, 300) : "",
    region: $response?.headers["x-amz-bucket-region"],
    // 409: two conditional writes at once.
    isPassing: $metadata?.clockSkewCorrected === true || status === 409 || name === "RequestTimeout",
  };
}

type Failure = S3ServiceException &
  Pick<BucketFailure, "isOfCredentials"> & { $metadata: { readonly clockSkewCorrected?: boolean } };

/** Marks the errors of a provider: those of STS look like those of the store. */
const marking =
  (provide: ReturnType<typeof defaultProvider>, limitMs: number): typeof provide =>
  (properties) =>
    Promise.race([provide(properties), lateAfter(limitMs)]).catch((cause: unknown) => {
      throw Object.assign(cause as Error, { isOfCredentials: true });
    });

/** The SDK waits without end for the credentials of a container. */
const lateAfter = (ms: number): Promise<never> =>
  new Promise((_, reject) => {
    const late = Object.assign(new Error(`no answer came in ${ms / 1000} seconds`), {
      name: "CredentialsProviderError",
    });
    AbortSignal.timeout(ms).onabort = () => reject(late);
  });

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

interface SdkRequest extends Pick<WireRequest, "method" | "headers"> {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string | Uint8Array;
}

const handlerOver = (send: BucketOptions["send"]) => ({
  async handle({ method, headers, body, ...request }: SdkRequest) {
    const text = body === undefined || typeof body === "string" ? body : Buffer.from(body).toString("utf8");
    const answer = await send({ method, headers, url: urlOf(request), body: text });
    const stream = Readable.from([Buffer.from(answer.body)]);
    return { response: { statusCode: answer.status, headers: answer.headers, body: stream } };
  },
  updateHttpClientConfig: nothing,
  httpHandlerConfigs: () => ({}),
});

function urlOf({ protocol, hostname, port, path, query = {} }: Omit<SdkRequest, "method" | "headers">) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ""].flat().map((text) => `${encode(name)}=${encode(text)}`),
  );
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  return `${protocol}//${host}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
