import { checkBaseUrl } from "../../../src/api/http-transport";

describe("checkBaseUrl", () => {
  it.each([
    "https://api.example.com/api/v1",
    "https://api.example.com:8443/hosting/api/v1",
    "http://localhost:3000/api/v1",
    "http://127.0.0.1/api/v1",
    "http://127.8.9.1:8080/api/v1",
    "http://[::1]:8080/api/v1",
    "https://xn--bcher-kva.example/api/v1",
  ])("accepts %s", (text) => expect(checkBaseUrl(text)).toBeUndefined());

  it.each([
    ["", "config.invalid"],
    ["api.example.com/api/v1", "config.invalid"],
    ["ftp://api.example.com/api/v1", "config.invalid"],
    ["https://api.example.com", "config.invalid"],
    ["https://api.example.com/api/v1/", "config.invalid"],
    ["https://api.example.com/api/v2", "config.invalid"],
    ["https://api.example.com/api/v1?key=x", "config.invalid"],
    ["https://api.example.com/api/v1#x", "config.invalid"],
    ["https://api.example.com/?x=/api/v1", "config.invalid"],
    ["http://api.example.com/api/v1", "config.insecure"],
    ["http://localhost.example.com/api/v1", "config.insecure"],
    ["http://127.0.0.1.example.com/api/v1", "config.insecure"],
    ["https://user@api.example.com/api/v1", "config.insecure"],
    ["https://@api.example.com/api/v1", "config.insecure"],
  ])("refuses %s with %s", (text, code) =>
    expect(checkBaseUrl(text)).toMatchObject({ severity: "error", code }),
  );

  it.each([
    ["one slash", "https:/evil.example/api/v1"],
    ["no slash", "https:evil.example/api/v1"],
    ["a backslash", "https:/\\evil.example/api/v1"],
    ["two backslashes", "https:\\\\evil.example/api/v1"],
    ["three slashes", "https:///evil.example/api/v1"],
    ["a backslash after the host", "https://evil.example\\.example.com/api/v1"],
    ["a backslash in the path", "https://evil.example/x\\api/v1"],
    ["a tab", "https://ev\til.example/api/v1"],
    ["a line break", "https://evil.example/api\n/v1"],
    ["a space before", " https://evil.example/api/v1"],
    ["a full stop of another script", "https://evil\u3002example/api/v1"],
    ["letters of another width", "https://ｅvil.example/api/v1"],
    ["letters that are not ASCII", "https://bücher.example/api/v1"],
    ["an escaped letter in the host", "https://%65vil.example/api/v1"],
    ["a way up", "https://evil.example/x/../api/v1"],
    ["a number for an address", "http://2130706433/api/v1"],
    ["an address in hexadecimal", "http://0x7f.0.0.1/api/v1"],
    ["a port with zeros", "https://evil.example:0443/api/v1"],
    ["a host in capitals", "https://API.example.com/api/v1"],
    ["the port that goes without saying", "https://api.example.com:443/api/v1"],
    ["an empty port", "https://evil.example:/api/v1"],
  ])("refuses %s, and says where the key would go", (_what, text) =>
    expect(checkBaseUrl(text)).toMatchObject({
      severity: "error",
      code: "config.insecure",
      summary: `the base URL is read as ${new URL(text).href}, which is not how it is written`,
    }),
  );

  it.each([
    "https://user:hunter2@api.example.com/api/v1",
    "https:/\\user:hunter2@api.example.com/api/v1",
    "https:user:hunter2@api.example.com/api/v1",
    "https://api.example.com\\user:hunter2@evil.example/api/v1",
  ])("refuses credentials however they are written, and does not repeat them: %#", (text) => {
    const found = checkBaseUrl(text);
    expect(found).toMatchObject({ code: "config.insecure" });
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  it("does not repeat a password", () => {
    expect(JSON.stringify(checkBaseUrl("https://user:hunter2@api.example.com/api/v1"))).not.toContain(
      "hunter2",
    );
  });
});
