import { createUndiciTransport } from "../../../src/api/undici-transport";

const isLoaded = () => Object.keys(require.cache).some((file) => file.includes("/node_modules/undici/"));

describe("createUndiciTransport", () => {
  it("loads undici only with the first request", async () => {
    const transport = createUndiciTransport();
    expect(isLoaded()).toBe(false);
    await transport.send({ method: "GET", url: "http://127.0.0.1:9/", headers: {} }).catch(() => {});
    expect(isLoaded()).toBe(true);
    await transport.close();
  });
});
