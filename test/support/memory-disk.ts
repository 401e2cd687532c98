import type { Disk, DiskFile } from "../../src/state/disk";

const page = 4096;

interface Inode {
  readonly id: number;
  content: Buffer;
  durable: Buffer;
  pending: { readonly position: number; readonly bytes: Buffer }[];
  version: number;
}

type Names = Map<string, Inode>;

/** What a test does with one call: let it pass, fail it, or cut a write short. Throwing is failing. */
export type Fault = (call: {
  readonly name: string;
  readonly path: string;
  readonly index: number;
}) => undefined | { readonly writeOnly: number; readonly failing?: Error };

export const diskError = (code: string): Error => Object.assign(new Error(code), { code });

/** A file system in memory that knows what would survive a power cut, and that fails where a test wants it to. */
export class MemoryDisk implements Disk {
  /** What links lead to, by path. */
  readonly links = new Map<string, string>();
  readonly names: Names = new Map();
  #durableNames: Names = new Map();
  #pendingNames: ((names: Names) => void)[] = [];
  readonly calls: string[] = [];
  fault: Fault = () => undefined;
  /** Awaited before every call. */
  turn: () => Promise<void> = () => Promise.resolve();
  /** No file can grow; what is in one can be overwritten. */
  full = false;
  #inodes = 0;

  /** The same files through another process: calls of one do not fail those of another. */
  view(turn: () => Promise<void>, fault: Fault): Disk {
    const view: MemoryDisk = Object.create(this);
    Object.defineProperties(view, { turn: { value: turn }, fault: { value: fault } });
    for (const name of ["create", "read", "mode", "rename", "link", "remove", "makeFolder", "syncFolder"])
      Object.defineProperty(view, name, {
        // biome-ignore lint/suspicious/noExplicitAny: forwards any call
        value: async (...args: any[]) => {
          await turn();
          fault({ name, path: String(args[0]), index: -1 });
          // biome-ignore lint/suspicious/noExplicitAny: forwards any call
          const result = await (MemoryDisk.prototype as any)[name].apply(this, args);
          if (name !== "create") return result;
          return {
            write: async (bytes: Uint8Array, position: number) => {
              await turn();
              fault({ name: "write", path: String(args[0]), index: -1 });
              return result.write(bytes, position);
            },
            sync: () => result.sync(),
            close: () => result.close(),
          };
        },
      });
    return view;
  }

  count(prefix: string): number {
    return this.calls.filter((call) => call.startsWith(prefix)).length;
  }

  text(path: string): string {
    return this.names.get(path)?.content.toString("utf8") ?? "";
  }

  /** Puts a durable file there. */
  put(path: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content as string);
    const inode = {
      id: ++this.#inodes,
      content: bytes,
      durable: Buffer.from(bytes),
      pending: [],
      version: 0,
    };
    this.names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  /** What a restarted machine finds: synced content, and of the rest what `keeps` says, name changes in order. */
  afterPowerCut(keeps: () => boolean): MemoryDisk {
    const next = new MemoryDisk();
    const names: Names = new Map(this.#durableNames);
    for (const change of this.#pendingNames) {
      if (!keeps()) break;
      change(names);
    }
    const copies = new Map<Inode, Inode>();
    for (const [path, inode] of names) {
      const copy = copies.get(inode) ?? survivorOf(inode, keeps);
      copies.set(inode, copy);
      next.names.set(path, copy);
      next.#durableNames.set(path, copy);
    }
    next.#inodes = this.#inodes;
    return next;
  }

  async create(path: string): Promise<DiskFile> {
    await this.#call("create", path);
    if (this.names.has(path)) throw diskError("EEXIST");
    const inode: Inode = {
      id: ++this.#inodes,
      content: Buffer.alloc(0),
      durable: Buffer.alloc(0),
      pending: [],
      version: 0,
    };
    this.#rename((names) => names.set(path, inode));
    return {
      write: async (bytes, position) => {
        const short = await this.#call("write", path);
        if (this.full && position + bytes.length > inode.content.length) throw diskError("ENOSPC");
        const taken = Buffer.from(bytes.subarray(0, short?.writeOnly ?? bytes.length));
        inode.content = writeInto(inode.content, taken, position);
        inode.pending.push({ position, bytes: taken });
        inode.version += 1;
        if (short?.failing) throw short.failing;
        return taken.length;
      },
      sync: async () => {
        await this.#call("sync", path);
        inode.durable = Buffer.from(inode.content);
        inode.pending = [];
      },
      close: async () => undefined,
    };
  }

  async read(path: string, limit: number): Promise<Uint8Array | undefined> {
    await this.turn();
    const content = this.names.get(path)?.content;
    if (content !== undefined && content.length > limit) throw diskError("EFBIG");
    return content && Buffer.from(content);
  }

  async mode(path: string): Promise<number | undefined> {
    await this.turn();
    const inode = this.names.get(path);
    return inode && 0o600;
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call("rename", to);
    const inode = this.names.get(from);
    if (inode === undefined) throw diskError("ENOENT");
    this.#rename((names) => {
      names.delete(from);
      names.set(to, inode);
    });
  }

  async link(from: string, to: string): Promise<void> {
    await this.#call("link", to);
    const inode = this.names.get(from);
    if (inode === undefined) throw diskError("ENOENT");
    if (this.names.has(to)) throw diskError("EEXIST");
    this.#rename((names) => names.set(to, inode));
  }

  async remove(path: string): Promise<boolean> {
    await this.#call("remove", path);
    if (!this.names.has(path)) return false;
    this.#rename((names) => names.delete(path));
    return true;
  }

  async makeFolder(): Promise<void> {
    await this.turn();
  }

  async syncFolder(path: string): Promise<void> {
    await this.#call("syncFolder", path);
    for (const change of this.#pendingNames.splice(0)) change(this.#durableNames);
  }

  async readLink(path?: string): Promise<string | undefined> {
    return path === undefined ? undefined : this.links.get(path);
  }

  async #call(name: string, path: string): Promise<ReturnType<Fault>> {
    await this.turn();
    const index = this.calls.push(`${name} ${path}`) - 1;
    return this.fault({ name, path, index });
  }

  #rename(change: (names: Names) => void): void {
    change(this.names);
    this.#pendingNames.push(change);
  }
}

/** In place where the file does not grow. */
function writeInto(content: Buffer, bytes: Buffer, position: number): Buffer {
  const size = position + bytes.length;
  const next = size <= content.length ? content : Buffer.concat([content], size);
  bytes.copy(next, position);
  return next;
}

/** Each page of each write since the last sync survives or does not. */
function survivorOf(inode: Inode, keeps: () => boolean): Inode {
  const size = Math.max(
    inode.durable.length,
    ...inode.pending.map((write) => write.position + write.bytes.length),
  );
  const content = Buffer.concat([inode.durable], size);
  let end = inode.durable.length;
  for (const { position, bytes } of inode.pending)
    for (let start = 0; start < bytes.length; ) {
      const length = Math.min(page - ((position + start) % page), bytes.length - start);
      if (keeps()) {
        bytes.copy(content, position + start, start, start + length);
        end = Math.max(end, position + start + length);
      }
      start += length;
    }
  const kept = content.subarray(0, end);
  return { id: inode.id, content: kept, durable: Buffer.from(kept), pending: [], version: 0 };
}
