import {
  accessSync,
  constants,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeIgnoredFolder } from "../state/local/node-disk";
import type { ProviderMethod } from "./protocol";

const validating: ReadonlySet<ProviderMethod> = new Set<ProviderMethod>([
  ...(["ValidateResourceConfig", "ValidateDataResourceConfig", "ValidateEphemeralResourceConfig"] as const),
]);
/** Calls that follow a validation, of the same thing, in every other walk. */
const working: ReadonlySet<ProviderMethod> = new Set<ProviderMethod>([
  ...(["PlanResourceChange", "ApplyResourceChange", "ReadDataSource", "OpenEphemeralResource"] as const),
]);

/** Words that nobody took: of `terraform validate` and of `terraform plan` alone. */
const oldMs = 60 * 60 * 1000;

interface WalkPlace {
  readonly folder: string;
  /** Names this run of Terraform. */
  readonly run: string;
  /** Names this process. */
  readonly pid: number;
}

/**
 * Tells whether a walk of Terraform plans or applies: no call says so. Terraform validates before it plans, and before
 * nothing else; each walk has a process for each provider block, unless Terraform is attached to one. A process that has
 * only validated leaves word in a file, which one of the same run takes: then it plans.
 */
export class Walk {
  #hasValidated = false;
  #hasBegun = false;

  constructor(private readonly place: WalkPlace) {}

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
    return !isFirst || (!this.#takesWord() && this.#isWritable());
  }

  /** Ends the walk of this process. */
  end(): void {
    const { folder } = this.place;
    if (this.#hasBegun || !this.#hasValidated || !this.#isWritable()) return;
    for (const name of [...this.#words("validated-"), ...this.#words("planned-")]) {
      const path = join(folder, name);
      const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs > oldMs) rmSync(path, { force: true });
    }
    this.#leave("validated", "");
  }

  /** Leaves how much was planned in `scope` to the process of this run that applies it. */
  leavePlanned(scope: string, changes: number): void {
    this.#leave("planned", `${scope} ${changes}`);
  }

  /** Returns how much the processes of this run planned in `scope`; undefined where none left it. */
  planned(scope: string): number | undefined {
    const left = this.#words(this.#prefix("planned")).flatMap((name) => {
      const [ofScope, changes] = this.#read(name).split(" ");
      return ofScope === scope ? [Number(changes)] : [];
    });
    return left.length === 0 ? undefined : left.reduce((all, one) => all + one, 0);
  }

  /** Takes out what was planned: it is applied. */
  forgetPlanned(): void {
    for (const name of this.#words(this.#prefix("planned")))
      rmSync(join(this.place.folder, name), { force: true });
  }

  #prefix(word: string): string {
    return `${word}-${this.place.run}-`;
  }

  #leave(word: string, text: string): void {
    const { folder, pid } = this.place;
    try {
      writeFileSync(join(folder, `${this.#prefix(word)}${pid}`), text);
    } catch {
      // A disk that is full: an apply would not send a create there.
    }
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.place.folder, name), "utf8");
    } catch {
      return "";
    }
  }

  #words(prefix: string): readonly string[] {
    try {
      return readdirSync(this.place.folder).filter((name) => name.startsWith(prefix));
    } catch {
      return [];
    }
  }

  /** Takes a word of this run; of each, one process alone does. */
  #takesWord(): boolean {
    return this.#words(this.#prefix("validated")).some((name) => {
      try {
        unlinkSync(join(this.place.folder, name));
        return true;
      } catch {
        return false;
      }
    });
  }

  #isWritable(): boolean {
    try {
      makeIgnoredFolder(this.place.folder);
      accessSync(this.place.folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }
}
