import type { Disk, DiskFile } from "../../src/state/disk";
import { diskError } from "../support/memory-disk";
import type { Machine } from "./machine";
import type { DiskMishap } from "./process";

type Step = <T>(label: string, effect: () => Promise<T>) => Promise<T>;

/** The machine's disk as one process sees it: every call that changes it may fail, or be the last one. */
export class ProcessDisk implements Disk {
  constructor(
    private readonly machine: Machine,
    private readonly step: Step,
    private readonly mishap: (name: string) => DiskMishap | undefined,
  ) {}

  async create(path: string): Promise<DiskFile> {
    const file = await this.#change("create", path, () => this.machine.disk.create(path));
    return {
      write: (bytes, position) =>
        this.#change("write", path, (mishap) => {
          const taken = mishap?.short ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes;
          return file.write(taken, position);
        }),
      sync: () => this.#change("sync", path, () => file.sync()),
      close: () => file.close(),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#change("rename", to, () => this.machine.disk.rename(from, to));
  }

  link(from: string, to: string): Promise<void> {
    return this.#change("link", to, () => this.machine.disk.link(from, to));
  }

  remove(path: string): Promise<boolean> {
    return this.#change("remove", path, () => this.machine.disk.remove(path));
  }

  syncFolder(path: string): Promise<void> {
    return this.#change("syncFolder", path, () => this.machine.disk.syncFolder(path));
  }

  makeFolder(): Promise<void> {
    return this.machine.disk.makeFolder();
  }

  read(path: string, limit: number): Promise<Uint8Array | undefined> {
    return this.machine.disk.read(path, limit);
  }

  mode(path: string): Promise<number | undefined> {
    return this.machine.disk.mode(path);
  }

  readLink(): Promise<string | undefined> {
    return this.machine.disk.readLink();
  }

  #change<T>(name: string, path: string, effect: (mishap: DiskMishap | undefined) => Promise<T>): Promise<T> {
    return this.step(`disk ${name} ${path}`, async () => {
      const mishap = this.mishap(name);
      this.machine.note(`disk ${name} ${path}${mishap ? ` [${mishap.code ?? "short"}]` : ""}`);
      if (mishap?.code !== undefined) throw diskError(mishap.code);
      return effect(mishap);
    });
  }
}
