import { generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

export interface Certificate {
  readonly der: Buffer;
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Makes a certificate for `host` with a P-256 key, good for client and server, as the mutual TLS of a plugin asks for.
 * Written out here: loading a library for it would double the time to the handshake.
 */
export function selfSigned(now: number, host = "localhost"): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(objectId(ecdsaWithSha256));
  const name = sequence(tagged(0x31, sequence(objectId("2.5.4.3"), tagged(0x0c, Buffer.from(host)))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(now - dayMs), time(now + 365 * dayMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions(host))),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm, bits(0, signature));
  return {
    der,
    certificate: new X509Certificate(der).toString(),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function extensions(host: string): readonly Buffer[] {
  const yes = tagged(0x01, Buffer.from([0xff]));
  const extension = (id: string, value: Buffer): Buffer => sequence(objectId(id), tagged(0x04, value));
  const critical = (id: string, value: Buffer): Buffer => sequence(objectId(id), yes, tagged(0x04, value));
  return [
    // Basic constraints: it is its own authority.
    critical("2.5.29.19", sequence(yes)),
    // Key usage: digitalSignature, keyEncipherment, keyAgreement, keyCertSign.
    critical("2.5.29.15", bits(2, Buffer.from([0b1010_1100]))),
    // Extended key usage: serverAuth, clientAuth.
    extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.1"), objectId("1.3.6.1.5.5.7.3.2"))),
    // Subject alternative name: Go checks nothing else.
    extension("2.5.29.17", sequence(tagged(0x82, Buffer.from(host)))),
  ];
}

/** Encodes in DER: a tag, the length, the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const bits = (unused: number, bytes: Buffer): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** UTCTime: `YYMMDDhhmmssZ`. */
const time = (milliseconds: number): Buffer => {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
};
