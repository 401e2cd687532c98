import { readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/text";
import { sha256 } from "../../model/text";
import { canonicalJson } from "../../model/value";
import { type Disk, diskCode, scratchOf, syncFolderOf, writeNew } from "../../state/local/disk";
import { nodeDisk } from "../../state/local/node-disk";

const intent = z.object({
  version: z.literal(1),
  verb: z.enum(["make", "delete"]),
  type: z.string(),
  /** Absent of what has no parent. */
  parentId: z.string().optional(),
  /** Name of what is made, empty for a type without one; id of what is deleted. */
  name: z.string(),
  workspaceId: z.string(),
  /** Tells this instance from every other: keys of its requests are made of it. */
  nonce: z.string(),
  /** When it was first sent, and when last, by our clock, ISO 8601. */
  since: z.string(),
  at: z.string(),
  /** The run of Terraform that sent it last. */
  run: z.string(),
  /** Digest of what was asked for, secrets left out. */
  settings: z.string(),
  /** Digest of all that the key of the request is made of: the credential too. */
  request: z.string(),
  /** Ids that existed before. */
  knownIds: z.array(z.string()),
  /** Id that the service answered with. */
  id: z.string().optional(),
});

/** A write that is under way, or that Terraform's state may not know of. Never a secret. */
export type WriteIntent = Readonly<z.infer<typeof intent>>;

/** The thing that an intent is about: one of them at a time. */
export type IntentSubject = Pick<WriteIntent, "verb" | "type" | "parentId" | "name">;

/** Bytes. */
const largestIntent = 65_536;
/** No write of an intent takes so long, in milliseconds. */
const scratchMs = 60_000;

interface IntentFilesOptions {
  /** Folder of the files. */
  readonly folder: string;
  /** Names the state that this directory is used for now: workspaces and backends share a directory. */
  readonly scope: string;
  readonly workspaceId: string;
  readonly run: string;
  readonly disk?: Disk;
}

/**
 * What an apply of this working directory is about to make or delete: one file each, durable before the first byte of
 * the request. It stays until Terraform has what became of it in its state; what a crash leaves says whose it is.
 */
export class IntentFiles {
  readonly #disk: Disk;
  /** By path: opened or taken up by this session. */
  readonly #held = new Map<string, WriteIntent>();
  /** By path: whose outcome Terraform was told, and puts into its state. */
  readonly #recorded = new Set<string>();
  #left: Map<string, WriteIntent> | undefined;

  constructor(private readonly options: IntentFilesOptions) {
    this.#disk = options.disk ?? nodeDisk;
  }

  get run(): string {
    return this.options.run;
  }

  /** Whether this session has it under way, or another provider of the same run of Terraform. */
  isUnderWay(subject: IntentSubject, found: WriteIntent | undefined): boolean {
    return this.#held.has(this.#pathOf(subject)) || found?.run === this.options.run;
  }

  /** Returns what an earlier run left of it. */
  async find(subject: IntentSubject): Promise<WriteIntent | undefined> {
    const path = this.#pathOf(subject);
    return (
      this.#held.get(path) ?? this.#parse(await this.#disk.read(path, largestIntent).catch(() => undefined))
    );
  }

  /** Returns the ids whose deletion an earlier run asked for, or this one did. */
  isLeaving(type: string, id: string): WriteIntent | undefined {
    const path = this.#pathOf({ verb: "delete", type, name: id });
    return this.#held.get(path) ?? this.#leftBehind().get(path);
  }

  /** Makes an intent durable. Throws `DiagnosticsError` where it cannot be: then nothing may be sent. */
  async open(given: Omit<WriteIntent, "version" | "workspaceId" | "run">): Promise<WriteIntent> {
    const { run, workspaceId } = this.options;
    const opened: WriteIntent = { ...given, version: 1, workspaceId, run };
    const path = this.#pathOf(opened);
    this.#held.set(path, opened);
    try {
      await this.#write(path, opened, true);
    } catch (cause) {
      this.#held.delete(path);
      throw notWritten(this.options.folder, cause);
    }
    return opened;
  }

  /** Keeps the id that the service answered with. What is not written of it is found out again. */
  async answer(subject: IntentSubject, id: string): Promise<void> {
    const path = this.#pathOf(subject);
    const held = this.#held.get(path);
    if (held === undefined || held.id === id) return;
    const answered = { ...held, id };
    this.#held.set(path, answered);
    await this.#write(path, answered, false).catch(() => undefined);
  }

  /** Takes it out: it did not happen, or the state has it. */
  async close(subject: IntentSubject): Promise<void> {
    const path = this.#pathOf(subject);
    this.#held.delete(path);
    this.#recorded.delete(path);
    this.#left?.delete(path);
    await this.#disk.remove(path).catch(() => undefined);
  }

  /** Notes that the answer to Terraform tells what became of it: the end of this walk takes it out. */
  record(verb: WriteIntent["verb"], type: string, id: string): void {
    for (const [path, held] of this.#held)
      if (held.verb === verb && held.type === type && (held.id ?? held.name) === id) this.#recorded.add(path);
  }

  /** Takes out what an earlier run left of something that the state has. */
  async noteInState(type: string, id: string): Promise<void> {
    for (const [path, left] of this.#leftBehind()) {
      if (left.verb !== "make" || left.type !== type || left.id !== id || this.#held.has(path)) continue;
      await this.close(left);
    }
  }

  /** Ends a walk that Terraform ended by itself: its state has what it was told. */
  end(): void {
    for (const path of this.#recorded) removeIfPossible(path);
    this.#recorded.clear();
  }

  /** Read once: a plan of a thousand resources asks for each of them. */
  #leftBehind(): Map<string, WriteIntent> {
    if (this.#left !== undefined) return this.#left;
    const paths = namesIn(this.options.folder).map((name) => join(this.options.folder, name));
    for (const path of paths) if (isAbandoned(path)) removeIfPossible(path);
    this.#left = new Map(
      paths.flatMap((path) => {
        const found = path.endsWith(".json") ? this.#parse(readIfThere(path)) : undefined;
        return found === undefined ? [] : [[path, found] as const];
      }),
    );
    return this.#left;
  }

  #pathOf({ verb, type, parentId, name }: IntentSubject): string {
    const { folder, scope, workspaceId } = this.options;
    // Ids are unique without their parent.
    const place = verb === "delete" ? "" : (parentId ?? "");
    return join(
      folder,
      `${sha256([scope, workspaceId, verb, type, place, name].join("\0")).slice(0, 32)}.json`,
    );
  }

  async #write(path: string, content: WriteIntent, isDurable: boolean): Promise<void> {
    const disk = this.#disk;
    await disk.makeFolder(this.options.folder);
    const scratch = scratchOf(path, this.options.run);
    await writeNew(disk, scratch, Buffer.from(`${JSON.stringify(content)}\n`));
    await disk.rename(scratch, path);
    if (isDurable) await syncFolderOf(disk, path);
  }

  /** A file that another version wrote and we cannot read says nothing. */
  #parse(bytes: Uint8Array | undefined): WriteIntent | undefined {
    if (bytes === undefined) return undefined;
    try {
      const read = intent.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8")));
      return read.success && read.data.workspaceId === this.options.workspaceId ? read.data : undefined;
    } catch {
      return undefined;
    }
  }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const removeIfPossible = (path: string): void => {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or stays: what it says is still true.
  }
};

/** Whether a process died while it wrote this file: what is under way is renamed within milliseconds. */
const isAbandoned = (path: string): boolean => {
  if (!path.endsWith(".tmp")) return false;
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs > scratchMs;
};

const readIfThere = (path: string): Uint8Array | undefined => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};

export const notWritten = (folder: string, cause: unknown): DiagnosticsError =>
  new DiagnosticsError([
    error("state.write_failed", `cannot note in ${folder} what is about to be sent`, {
      detail: `The disk refused (${diskCode(cause) ?? "no code"}). Nothing was sent: after a crash nobody would know whose it is.`,
      hint: "make the folder writable, or name another one in TF_DATA_DIR",
    }),
  ]);

/** Returns where the intents of a working directory lie: in the folder that Terraform keeps its own things in. */
export const intentFolder = (cwd: string, environment: ProcessEnvironment): string =>
  resolve(cwd, environment.TF_DATA_DIR || ".terraform", ".rnv");

/** Settings of a backend that tell one state from another; credentials are not among them. */
const placeOfState: ReadonlySet<string> = new Set([
  ...["path", "workspace_dir", "workspace_key_prefix", "bucket", "key", "prefix", "address", "region"],
  ...["container_name", "storage_account_name", "resource_group_name", "organization", "workspaces"],
  ...["hostname", "secret_suffix", "namespace", "schema_name", "table", "endpoint"],
]);

/** Returns what tells the state that a directory is used for now from others: Terraform's workspace and its backend. */
export function stateScope(cwd: string, environment: ProcessEnvironment): string {
  const folder = resolve(cwd, environment.TF_DATA_DIR || ".terraform");
  const textOf = (name: string): string =>
    Buffer.from(readIfThere(join(folder, name)) ?? []).toString("utf8");
  const workspace = environment.TF_WORKSPACE || textOf("environment").trim() || "default";
  return canonicalJson([workspace, backendIn(textOf("terraform.tfstate"))]);
}

function backendIn(text: string): string {
  try {
    const { type, config } =
      (JSON.parse(text) as { backend?: { type?: string; config?: object } }).backend ?? {};
    const place = Object.entries(config ?? {}).filter(
      ([name, value]) => placeOfState.has(name) && value !== null,
    );
    return canonicalJson([type ?? "", Object.fromEntries(place)]);
  } catch {
    return "";
  }
}

/** Returns what tells this run of Terraform from others: its process, and when that began where the system tells. */
export function runOf(parent: number, session: number): string {
  const status = Buffer.from(readIfThere(`/proc/${parent}/stat`) ?? []).toString("utf8");
  const [startedAt = ""] = status
    .replace(/^.*\) /s, "")
    .split(" ")
    .slice(19);
  return sha256([parent, startedAt, session].join("\0")).slice(0, 16);
}
