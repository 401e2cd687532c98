import type { Server } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** The number of clients that have connected so far. */
  readonly connections: () => number;
  /** Ends the connections too. */
  readonly close: () => Promise<void>;
}

/** Starts a server on a free port of loopback. */
export async function listen(server: Server | NetServer): Promise<Listening> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, connections: () => sockets.length },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
