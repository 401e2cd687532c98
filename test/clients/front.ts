import { request as ask, createServer } from "node:http";
import { listen } from "../support/listen";

interface FrontRequest {
  readonly method: string;
  readonly path: string;
}

/** Something else than to hand a request on: an answer of its own, or the loss of the server's. */
interface Intervention {
  readonly status?: number;
  readonly body?: string;
  readonly isLost?: boolean;
}

/** Hands requests on to the server whose address `target` returns for a path, unless told otherwise. */
export async function serveFront(target: (path: string) => string) {
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const { method = "", url: path = "", headers } = incoming;
    const { status, body = "", isLost } = front.intervene?.({ method, path }) ?? {};
    if (status !== undefined) return void outgoing.writeHead(status).end(body);
    const handed = ask(new URL(path, target(path)), { method, headers }, (answer) => {
      if (isLost) return void outgoing.destroy();
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    handed.on("error", () => outgoing.destroy()).end(Buffer.concat(parts));
  });
  const front = {
    ...(await listen(server)),
    intervene: undefined as ((request: FrontRequest) => Intervention | undefined) | undefined,
  };
  return front;
}
