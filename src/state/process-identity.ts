import type { Disk } from "./disk";

/** What tells one process from another with the same pid; each part is absent where the system does not say. */
export interface ProcessIdentity {
  /** Of this installation of the system. */
  readonly machine?: string;
  /** Of this boot. */
  readonly boot?: string;
  /** Containers count their processes apart. */
  readonly namespace?: string;
  /** In ticks since the boot. */
  readonly started?: string;
}

const limit = 4096;

async function line(disk: Disk, path: string): Promise<string | undefined> {
  try {
    const bytes = await disk.read(path, limit);
    return bytes && (Buffer.from(bytes).toString("utf8").trim() || undefined);
  } catch {
    return undefined;
  }
}

/** When the process with this pid started; undefined when there is none or the system does not say. */
export async function startOf(disk: Disk, pid: number): Promise<string | undefined> {
  const stat = await line(disk, `/proc/${pid}/stat`);
  // Field 22; the second is the command in brackets, which may hold spaces and brackets.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** The identity of one process of this machine. */
export async function identityOf(disk: Disk, pid: number): Promise<ProcessIdentity> {
  const [machine, boot, namespace, started] = await Promise.all([
    line(disk, "/etc/machine-id"),
    line(disk, "/proc/sys/kernel/random/boot_id"),
    disk.readLink("/proc/self/ns/pid").catch(() => undefined),
    startOf(disk, pid),
  ]);
  return { machine, boot, namespace, started };
}
