import { X509Certificate } from "node:crypto";
import { selfSigned } from "../../../src/terraform/certificate";

describe("the certificate of the plugin", () => {
  it("is its own authority for localhost, and good for now", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    const made = selfSigned(now);
    const read = new X509Certificate(made.certificate);
    expect(read.raw).toEqual(made.der);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.ca).toBe(true);
    expect(read.subjectAltName).toBe("DNS:localhost");
    expect(read.subject).toBe("CN=localhost");
    expect(read.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect(Date.parse(read.validFrom)).toBeLessThan(now);
    expect(Date.parse(read.validTo)).toBeGreaterThan(now);
  });

  it("is another one every time", () => {
    expect(selfSigned(0).der.equals(selfSigned(0).der)).toBe(false);
  });
});
