import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { paths } from "./programs";

/** yaml-language-server, as an editor starts it, with a schema for every file. */
export interface LanguageServer {
  /** Opens a text as a file and returns its mistakes. */
  open(name: string, text: string): Promise<readonly string[]>;
  /** Words that are offered where the text of an open file has `after` for the first time. */
  words(name: string, text: string, after: string): Promise<readonly string[]>;
  hover(name: string, line: number, character: number): Promise<string>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly uri: string;
    readonly diagnostics: readonly { readonly message: string }[];
    readonly items: readonly { readonly section: string }[];
  };
  readonly result?: unknown;
}

export async function startLanguageServer(schema: string): Promise<LanguageServer> {
  const args = [String(paths["yaml-language-server"]), "--stdio"];
  const server = spawn(String(paths["node-24"]), args, { stdio: ["pipe", "pipe", "inherit"] });
  const settings = { schemas: { [pathToFileURL(schema).href]: "*.yaml" }, schemaStore: { enable: false } };
  const yaml = { ...settings, validate: true, hover: true, completion: true };
  const answers = new Map<number | string, (value: never) => void>();
  let asked = 0;
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const ask = <Answer>(method: string, params: object): Promise<Answer> =>
    new Promise((resolve) => {
      asked += 1;
      answers.set(asked, resolve);
      send({ id: asked, method, params });
    });
  const take = ({ id, method, params, result }: Message): void => {
    if (method === "textDocument/publishDiagnostics")
      answers.get(String(params?.uri))?.(params?.diagnostics.map(({ message }) => message) as never);
    else if (method === "workspace/configuration")
      send({ id, result: params?.items.map(({ section }) => (section === "yaml" ? yaml : {})) });
    else if (method !== undefined && id !== undefined) send({ id, result: null });
    else if (id !== undefined) answers.get(id)?.(result as never);
  };
  let rest = Buffer.alloc(0);
  server.stdout.on("data", (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const start = rest.indexOf("\r\n\r\n") + 4;
      const length = Number(/Content-Length: (\d+)/.exec(rest.toString("latin1", 0, start))?.[1]);
      if (start === 3 || rest.length < start + length) return;
      take(JSON.parse(rest.toString("utf8", start, start + length)));
      rest = rest.subarray(start + length);
    }
  });
  const capabilities = { workspace: { configuration: true } };
  await ask("initialize", { processId: process.pid, rootUri: null, capabilities });
  send({ method: "initialized", params: {} });
  send({ method: "workspace/didChangeConfiguration", params: { settings: { yaml } } });
  const at = (name: string) => ({ uri: `file:///manifests/${name}.yaml` });
  return {
    open: (name, text) =>
      new Promise((resolve) => {
        answers.set(at(name).uri, resolve);
        const textDocument = { ...at(name), languageId: "yaml", version: 1, text };
        send({ method: "textDocument/didOpen", params: { textDocument } });
      }),
    words: async (name, text, after) => {
      const before = text.slice(0, text.indexOf(after) + after.length).split("\n");
      const position = { line: before.length - 1, character: before.at(-1)?.length };
      const request = { textDocument: at(name), position };
      const { items } = await ask<{ items: { label: string }[] }>("textDocument/completion", request);
      return items.map(({ label }) => label);
    },
    hover: async (name, line, character) => {
      const request = { textDocument: at(name), position: { line, character } };
      return (await ask<{ contents: { value: string } }>("textDocument/hover", request)).contents.value;
    },
    close: () => server.kill(),
  };
}
