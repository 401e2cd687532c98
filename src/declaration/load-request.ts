import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import type { StageName } from "../model/stage";
import type { ProcessEnvironment } from "../model/target-location";
import type { Plain } from "../model/value";

/**
 * The secrets that a run reads: `resolve` needs all of them, `present` takes those whose source is here. `skip` takes
 * none; it reads environment and files only to mask their texts. A secret that is not read is an `UnreadSecret`.
 */
export type SecretReach = "resolve" | "present" | "skip";

/** Runs the program of a manifest in a process of its own. Rejects when it is interrupted. */
export type RunProgram = (program: {
  /** As shown; from `cwd`. */
  readonly file: string;
  readonly cwd: string;
  readonly environment: ProcessEnvironment;
  readonly stage: StageName | undefined;
}) => Promise<{ readonly json: string } | { readonly diagnostic: Diagnostic }>;

/** Files that the program of this run wrote, by their path as shown: read in place of those on the disk. */
export type SynthesizedFiles = ReadonlyMap<string, Uint8Array>;

export interface ManifestRequest {
  /** Values of `-f`; empty: rnv.yaml, rnv.yml or every YAML file below rnv. */
  readonly files: readonly string[];
  /** The value of a manifest, in place of the default files; `files` overlay it. */
  readonly manifest?: { readonly json: string } | { readonly problem: string } | undefined;
  /** Runs `rnv.config.ts`; the programs of a run share it, so that each runs once. */
  readonly runProgram?: RunProgram | undefined;
  /** The project folder, absolute. */
  readonly cwd: string;
  readonly standardInput?: Uint8Array | undefined;
  readonly synthesized?: SynthesizedFiles | undefined;
  readonly types: readonly ResourceType[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretReach;
  /** The manifest is only checked: a value that is not here stands for any, and where the state is does not matter. */
  readonly checksOnly?: boolean | undefined;
  /** The manifest comes from someone who may not see secrets. */
  readonly untrusted?: boolean;
  readonly stack?: StackUnit | undefined;
  /** The declared stage to read; `any` reads the parts that all stages share, such as the names of resources. */
  readonly stage?: StageName | "any" | undefined;
}

/** The files of a manifest, wherever they are read from. */
export type FileRequest = Pick<ManifestRequest, "files" | "cwd" | "standardInput" | "synthesized">;

export interface LoadedManifest {
  /** Undefined when there are errors. */
  readonly desired?: Desired;
  readonly diagnostics: readonly Diagnostic[];
  /** The text of all files as one, secrets as their sources; of manifests only, where no source is read (`skip`). */
  readonly merged?: () => string;
}

/** A stack of an app with several: the part of its output that is read, with a state of its own. */
export interface StackUnit {
  /** Its name in the manifest.json of the app, unique in it. */
  readonly name: string;
  /** The app no longer has it: a state that names no stack is not taken for its own. */
  readonly isUndeclared?: true;
  readonly crossValues?: CrossValues;
  /** A value of another stack that is not there yet is a mistake; else it is known later. */
  readonly needsValues?: boolean;
  readonly state?: string;
  readonly others?: ReadonlyMap<string, OtherStack>;
}

export interface OtherStack {
  readonly state: string;
  readonly ids: ReadonlyMap<Address, string>;
}

type CrossValues = ReadonlyMap<string, ReadonlyMap<string, CrossValue>>;

export type CrossValue =
  | { readonly kind: "value"; readonly value: Plain }
  /** Known once that stack is applied. */
  | { readonly kind: "unknown" };
