import { proxyFor, readProxySettings } from "../../../src/api/proxies";

describe("the proxy for a host", () => {
  const host = "api.shop.example";

  it.each([
    ["", "proxy:3128"],
    [host, undefined],
    ["shop.example", undefined],
    [".shop.example", undefined],
    ["*.shop.example", undefined],
    ["SHOP.example", undefined],
    ["other.example shop.example", undefined],
    ["shop.example:443", undefined],
    ["shop.example:8443", "proxy:3128"],
    ["op.example", "proxy:3128"],
    ["*", undefined],
    ["*,other.example", "proxy:3128"],
  ])("with NO_PROXY=%s is %s", (noProxy, expected) => {
    const settings = readProxySettings({ HTTPS_PROXY: "proxy:3128", NO_PROXY: noProxy });
    expect(proxyFor(settings, "https:", { host, port: 443 })?.host).toBe(expected);
  });

  it.each(["localhost", "127.0.0.1", "::1"])("is none for this machine: %s", (own) => {
    const settings = readProxySettings({ HTTP_PROXY: "proxy:3128", NO_PROXY: "" });
    expect(proxyFor(settings, "http:", { host: own, port: 80 })).toBeUndefined();
    expect(proxyFor(settings, "http:", { host, port: 80 })?.host).toBe("proxy:3128");
  });

  it("is that of HTTP_PROXY where there is no other for https; lower case counts first", () => {
    const at = (environment: Record<string, string>) =>
      proxyFor(readProxySettings(environment), "https:", { host, port: 443 })?.host;
    expect(at({ HTTP_PROXY: "one:1" })).toBe("one:1");
    expect(at({ HTTP_PROXY: "one:1", HTTPS_PROXY: "two:2" })).toBe("two:2");
    expect(at({ HTTPS_PROXY: "two:2", https_proxy: "three:3" })).toBe("three:3");
    expect(at({})).toBeUndefined();
  });
});
