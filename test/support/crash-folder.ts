import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault, SeenRequest } from "../../src/emulator/faults";
import { textIn } from "./rows";
import { type Running, TerraformFolder } from "./terraform";

/** One resource of each type, in one service; another version changes each of them. */
export const everything = (version: string, kind = "web") =>
  textIn(join(__dirname, "everything.tf"), { version, kind });

/** Process ids of the provider processes of one terraform. */
const providersOf = (terraform: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        return Number(fields[1]) === terraform;
      } catch {
        return false;
      }
    });

export interface Killing {
  readonly dies?: "provider" | "terraform";
  readonly command?: readonly string[];
}

/** A folder whose applies can be cut short. */
export class CrashFolder extends TerraformFolder {
  #running: Running | undefined;
  #written = "";

  /**
   * Applies, and kills the provider, or Terraform itself, with the first write that matches, before or after the
   * service commits it.
   */
  async applyKilledAt(
    matches: (request: SeenRequest) => boolean,
    when: "before" | "after",
    { dies = "provider", command = ["apply", "-auto-approve"] }: Killing = {},
  ): Promise<void> {
    let isDone = false;
    this.emulator.setFaults((_index, request): Fault | undefined => {
      if (isDone || request.method === "GET" || !matches(request)) return undefined;
      isDone = true;
      const run = (): void => {
        const { pid = 0 } = this.#running?.child ?? {};
        for (const dying of dies === "provider" ? providersOf(pid) : [pid]) process.kill(dying, "SIGKILL");
      };
      const broken: Fault = { kind: when === "before" ? "reset-before" : "reset-after" };
      // biome-ignore lint/suspicious/noThenProperty: the fault that follows the hook.
      return { kind: "hook", when, run, then: broken };
    });
    this.#running = this.start(...command);
    const { code } = await this.#running;
    if (!isDone || code !== (dies === "provider" ? 1 : null))
      throw new Error(
        `${command.join(" ")} exited ${code}, ${isDone ? "killed" : "without a write to kill at"}`,
      );
    this.emulator.setFaults(undefined);
  }

  /** Applies; where a create stops because an apply that was cut short made it already, imports that and applies again. */
  async applyImporting(): Promise<readonly string[]> {
    const imported: string[] = [];
    for (let attempts = 0; attempts < 10; attempts += 1) {
      const { code, output } = await this.start("apply", "-auto-approve", "-input=false");
      if (code === 0) {
        this.write(this.#written);
        return imported;
      }
      const text = output.replace(/[│╷╵]/g, "");
      const stops = [...text.matchAll(/already\b[\s\S]*?with (rnv_\S+),[\s\S]*?id = "([^"]+)"/g)];
      if (stops.length === 0 && !/plan\s+and\s+apply\s+again/.test(text)) throw new Error(output);
      imported.push(...stops.map(([, to = "", id = ""]) => `import {\n  to = ${to}\n  id = "${id}"\n}\n`));
      super.write(this.#written + imported.join(""));
    }
    throw new Error("it was not applied after ten imports");
  }

  override write(text: string, settings?: string): void {
    this.#written = text;
    super.write(text, settings);
  }

  services = () => this.emulator.store.services().filter(({ deletedAt }) => deletedAt === null);
}
