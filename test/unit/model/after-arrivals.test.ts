import { once } from "node:events";
import { connect, createServer } from "node:net";
import { afterArrivals } from "../../../src/model/after-arrivals";

describe("work that waits for what has arrived", () => {
  it("comes one by one in the order of asking, also what asks in between", async () => {
    const order: string[] = [];
    const first = afterArrivals().then(() => {
      order.push("first");
      return afterArrivals().then(() => order.push("last"));
    });
    const second = afterArrivals().then(() => order.push("second"));
    await Promise.resolve();
    expect(order).toEqual([]);
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second", "last"]);
  });

  it("lets sockets go ahead of each", async () => {
    const server = createServer((socket) => socket.on("data", () => order.push("arrival")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const order: string[] = [];
    const client = connect(port, "127.0.0.1");
    await Promise.all([once(client, "connect"), once(server, "connection")]);
    const waiting = Array.from({ length: 200 }, () => afterArrivals().then(() => order.push("work")));
    client.write("x");
    await Promise.all(waiting);
    client.destroy();
    server.close();
    expect(order).toContain("arrival");
    expect(order.indexOf("arrival")).toBeLessThan(200);
  });
});
