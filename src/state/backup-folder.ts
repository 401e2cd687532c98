import { join } from "node:path";
import { sha256 } from "../model/text";
import type { Disk } from "./disk";
import { readFailed, writeFailed } from "./disk-failure";
import { syncFolderOf, writeNew } from "./durable-file";
import type { BackupSlots } from "./remote-store";
import { largestSnapshot } from "./state-files";

/** Previous snapshots of a remote state in a folder of this machine: Terraform's protocol has no place for them. */
export function backupFolder(disk: Disk, folder: string, location: string): BackupSlots {
  const stem = sha256(location).slice(0, 16);
  const name = (slot: number): string => join(folder, `${stem}.${slot}.json`);
  return {
    name,
    read: (slot) =>
      disk.read(name(slot), largestSnapshot).catch((cause) => {
        throw readFailed(name(slot), cause);
      }),
    async write(slot, bytes) {
      const path = name(slot);
      try {
        await disk.makeFolder(folder);
        await writeNew(disk, `${path}.tmp`, bytes);
        await disk.rename(`${path}.tmp`, path);
        await syncFolderOf(disk, path);
      } catch (cause) {
        throw writeFailed(path, cause);
      }
    },
  };
}
