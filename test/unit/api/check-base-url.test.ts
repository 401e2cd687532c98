import { checkBaseUrl } from "../../../src/api/check-base-url";

describe("checkBaseUrl", () => {
  it.each([
    "https://api.example.com/api/v1",
    "https://api.example.com:8443/hosting/api/v1",
    "http://localhost:3000/api/v1",
    "http://127.0.0.1/api/v1",
    "http://127.8.9.1:80/api/v1",
    "http://[::1]:8080/api/v1",
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

  it("does not repeat a password", () => {
    expect(JSON.stringify(checkBaseUrl("https://user:hunter2@api.example.com/api/v1"))).not.toContain(
      "hunter2",
    );
  });
});
