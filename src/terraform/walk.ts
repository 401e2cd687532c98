import { accessSync, constants, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeIgnoredFolder } from "../state/local/node-disk";
import type { ProviderMethod } from "./protocol";

/** Calls that a walk ends with for each of its resources; a walk that validates has none of them. */
const working: ReadonlySet<ProviderMethod> = new Set<ProviderMethod>([
  ...(["PlanResourceChange", "ApplyResourceChange", "ReadDataSource"] as const),
]);
const validating: ReadonlySet<ProviderMethod> = new Set<ProviderMethod>([
  ...(["ValidateResourceConfig", "ValidateDataResourceConfig"] as const),
]);

/**
 * Tells whether a walk of Terraform plans or applies: no call says so. Terraform validates before it plans, and before
 * nothing else; each walk has a process of its own, unless Terraform is attached to one. A process that has only
 * validated leaves word in a file for the next one of the same run.
 */
export class Walk {
  #hasValidated = false;
  #hasBegun = false;

  constructor(
    /** Path of the file. */
    private readonly path: string,
    /** Names this run of Terraform. */
    private readonly run: string,
  ) {}

  /** Notes a call of this process. */
  note(method: ProviderMethod): void {
    if (working.has(method)) this.#hasValidated = false;
    else if (validating.has(method)) this.#hasValidated = true;
  }

  /** Begins the walk of a provider that is configured. Returns whether it is one that applies. */
  begin(): boolean {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (this.#hasValidated) return false;
    // Where nothing can be left behind nothing is applied either: no create goes without its intent.
    return !isFirst || (this.#read() !== this.run && this.#isWritable());
  }

  /** Ends the walk of this process. */
  end(): void {
    try {
      if (this.#hasBegun) {
        if (this.#read() === this.run) rmSync(this.path, { force: true });
      } else if (this.#hasValidated && this.#isWritable()) {
        writeFileSync(this.path, this.run);
      }
    } catch {
      // Then it cannot be written later either.
    }
  }

  #isWritable(): boolean {
    try {
      makeIgnoredFolder(dirname(this.path));
      accessSync(dirname(this.path), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  #read(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch {
      return undefined;
    }
  }
}
