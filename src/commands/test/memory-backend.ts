import type { State } from "../../model/state";
import type { StateBackend } from "../../state/backend";
import { replayJournal } from "../../state/recorded";
import { parseState } from "../../state/state-text";

/** A state that ends with its process. */
export interface MemoryBackend extends StateBackend {
  /** Returns another backend that starts with the present state of this backend. */
  copy(): MemoryBackend;
}

/** Keeps a state in memory, for runs of this process alone: nothing is locked, encrypted or backed up. */
export function createMemoryBackend(start?: State): MemoryBackend {
  let state = start;
  return {
    location: "memory",
    read: async () => state,
    lock: async () => ({
      state,
      isFormOutdated: false,
      append: async (entries) => {
        state = state && replayJournal(state, entries);
      },
      commit: async (next) => {
        state = { ...next, serial: next.serial + 1 };
        return state;
      },
      erase: async () => {
        state = undefined;
        return true;
      },
      release: async () => {},
    }),
    forceUnlock: async () => undefined,
    backups: async () => [],
    readBackup: async () => undefined,
    parse: async (text) => parseState(text, "memory"),
    copy: () => createMemoryBackend(state),
  };
}
