import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Mutant, mutate } from "./mutations";
import { root } from "./sample";

/** How a program that a tree started has ended. */
interface Ended {
  readonly code: number;
  readonly output: string;
  /** Why it was ended before its time. */
  readonly stopped?: "hung" | "late";
}

interface Patience {
  /** Without a line of output for so long it hangs. */
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** A copy of the sources and tests, in which one mutant at a time lives. */
export interface Tree {
  readonly folder: string;
  put(mutant: Mutant): void;
  restore(mutant: Mutant): void;
  /** Runs node with these arguments; its standard output, and the end of its errors, come back. */
  run(patience: Patience, env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended>;
  /** Ends what runs, and removes the copy. A `run` that it ended never settles. */
  close(): Promise<void>;
}

const copied = [
  ...["src", "test", "dist", "docs", "schemas", "examples", "tools", ".ci"],
  ...["package.json", "package-lock.json", "tsconfig.json", "README.md", ".dependency-cruiser.cjs"],
];

export function openTree(names: readonly string[] = copied): Tree {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rnv-mutants-")));
  for (const name of names)
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(realpathSync(join(root, "node_modules")), join(folder, "node_modules"));
  const running = new Map<ChildProcess, Promise<Ended>>();
  let isClosing = false;
  const endRunning = (): void => {
    for (const child of running.keys()) endAll(child);
  };
  process.once("exit", endRunning);
  // Of this copy: the sources it was made from may be edited while the mutants are judged.
  const whole = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = whole.get(file) ?? readFileSync(join(folder, "src", file), "utf8");
    whole.set(file, text);
    return text;
  };
  return {
    folder,
    put: (mutant) => writeFileSync(join(folder, "src", mutant.file), mutate(textOf(mutant.file), mutant)),
    restore: ({ file }) => writeFileSync(join(folder, "src", file), textOf(file)),
    run: async (patience, env, ...args) => {
      if (isClosing) return never;
      const child = spawn(process.execPath, [...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      const end = endOf(child, patience);
      running.set(child, end);
      const ended = await end.finally(() => running.delete(child));
      return isClosing ? never : ended;
    },
    close: async () => {
      isClosing = true;
      endRunning();
      // Until it has ended, it may still write into the copy.
      await Promise.race([Promise.allSettled(running.values()), wait(10_000, undefined, { ref: false })]);
      process.off("exit", endRunning);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const never = new Promise<never>(() => undefined);

function endOf(child: ChildProcess, { silenceMs, totalMs }: Patience): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let output = "";
    let errors = "";
    let stopped: Ended["stopped"];
    const stop = (why: "hung" | "late") => (): void => {
      stopped ??= why;
      endAll(child);
    };
    const silence = setTimeout(stop("hung"), silenceMs);
    const total = setTimeout(stop("late"), totalMs);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      silence.refresh();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-2000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(silence);
      clearTimeout(total);
      endAll(child);
      resolve({ code: code ?? -1, output: output + errors, ...(stopped ? { stopped } : {}) });
    });
  });
}

/** It and what it started, which is a group of its own. */
function endAll({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}
