import type { Address } from "../model/address";
import { hideOutputs } from "../model/desired";
import { pastRunOf, type RunEnd, withRuns } from "../model/history";
import type { Intent, JournalEntry, RecordedResource, RunRecord, State } from "../model/state";
import type { Clock } from "../model/time";
import { type Mask, noMask, type Plain, unmasked } from "../model/value";
import type { StateSession } from "../state/backend";
import { replayJournal } from "../state/recorded";

interface EndedRun {
  readonly run: RunRecord;
  readonly end: Omit<RunEnd, "endedAt">;
}

type WriteEnd = Omit<Extract<JournalEntry, { readonly kind: "outcome" }>, "kind" | "seq">;

/** Changes of the state after an answered write. */
export interface SentRecord {
  /** The new record; null: it was deleted. */
  readonly recording?: { readonly address: Address; readonly resource: RecordedResource | null };
  readonly run?: RunRecord;
}

/** Returns an entry as a state keeps it: without masked outputs and computed attributes, which the run still needs. */
export function withoutMasked(entry: JournalEntry, mask: Mask): JournalEntry {
  if (entry.kind === "outputs") return { ...entry, outputs: hideOutputs(entry.outputs, mask) };
  if (entry.kind !== "resource" || !entry.resource) return entry;
  const { resource } = entry;
  return { ...entry, resource: { ...resource, computed: unmasked(resource.computed, mask) } };
}

/**
 * The state while a run changes it: the session's journal, and the same entries folded in memory. Each entry costs one
 * append; `finish` writes the snapshot once.
 */
export class RunJournal {
  readonly #resources: Map<Address, RecordedResource>;
  /** Addresses by parent. */
  readonly #inside = new Map<Address, Set<Address>>();
  readonly #open = new Map<number, Intent>();
  #run: RunRecord | null;
  readonly #entries: JournalEntry[] = [];
  #nextSeq: number;

  constructor(
    private readonly session: StateSession,
    private readonly state: State,
    private readonly clock: Pick<Clock, "now">,
    readonly mask: Mask = noMask,
  ) {
    this.#resources = new Map(Object.entries(state.resources) as [Address, RecordedResource][]);
    for (const [address, { parent }] of this.#resources) this.#place(address, parent);
    for (const intent of state.open) this.#open.set(intent.seq, intent);
    this.#run = state.run;
    this.#nextSeq = Math.max(0, ...state.open.map((intent) => intent.seq)) + 1;
  }

  get run(): RunRecord | null {
    return this.#run;
  }

  recorded(address: Address): RecordedResource | undefined {
    return this.#resources.get(address);
  }

  all(): readonly (readonly [Address, RecordedResource])[] {
    return [...this.#resources];
  }

  inside(parent: Address): readonly (readonly [Address, RecordedResource])[] {
    return [...(this.#inside.get(parent) ?? [])].flatMap((address) => {
      const resource = this.#resources.get(address);
      return resource ? [[address, resource] as const] : [];
    });
  }

  /** A run was begun, or something recorded, that the snapshot does not hold. */
  get hasChanges(): boolean {
    return this.#entries.length > 0;
  }

  /** Makes the run's id durable: the first line before the first write. */
  async begin(run: RunRecord, keyId: string | undefined): Promise<void> {
    await this.#append([{ kind: "run", run, keyId }], { durable: true });
  }

  /** Durable when it returns: only then may the first byte of the write be sent. */
  async intend(intent: Omit<Intent, "seq">): Promise<number> {
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    await this.#append([{ kind: "intent", intent: { seq, ...intent } }], { durable: true });
    return seq;
  }

  /** Closes intents, and records their results and the pending work of the run, in one append. */
  async close(
    seqs: readonly number[],
    outcome: WriteEnd,
    { recording, run }: SentRecord = {},
  ): Promise<void> {
    const entries: JournalEntry[] = [];
    // The record comes first: a power cut may keep the beginning of this append and lose its end.
    if (recording) {
      const { address } = recording;
      entries.push({ kind: "resource", address, resource: this.#sinceNow(address, recording.resource) });
    }
    if (run) entries.push({ kind: "run", run });
    entries.push(...seqs.map((seq): JournalEntry => ({ kind: "outcome", seq, ...outcome })));
    await this.#append(entries);
  }

  async closeAt(address: Address, outcome: WriteEnd, sent: SentRecord = {}): Promise<void> {
    const open = this.openAt(address).map(({ seq }) => seq);
    if (open.length > 0 || sent.recording) await this.close(open, outcome, sent);
  }

  /** Replaces the record of a resource; null removes it. A deletion leaves its time: lists may show it for a while. */
  async record(address: Address, recorded: RecordedResource | null, deletedAt?: string): Promise<void> {
    const resource = this.#sinceNow(address, recorded);
    await this.#append([{ kind: "resource", address, resource, deletedAt }]);
  }

  async move(from: Address, to: Address, resource: RecordedResource): Promise<void> {
    // The new record comes first, as in `close`.
    await this.#append([
      { kind: "resource", address: to, resource },
      { kind: "resource", address: from, resource: null },
    ]);
  }

  async recordOutputs(outputs: Readonly<Record<string, Plain>>): Promise<void> {
    await this.#append([{ kind: "outputs", outputs }]);
  }

  openAt(address: Address): readonly Intent[] {
    return [...this.#open.values()].filter((intent) => intent.address === address);
  }

  /** Writes the snapshot. The run stays open with `goesOn` or an open write. The history gets `ended`. */
  async finish(
    keyId: string | null,
    { goesOn = false, ended }: { readonly goesOn?: boolean; readonly ended?: EndedRun | undefined } = {},
  ): Promise<State> {
    const endedAt = new Date(this.clock.now()).toISOString();
    const past = ended && pastRunOf(ended.run, { endedAt, ...ended.end });
    const history = withRuns(this.state.history, this.state.run, past);
    return this.session.commit({
      ...replayJournal(this.state, this.#entries),
      keyId: keyId ?? this.state.keyId,
      history,
      run: goesOn || this.#open.size > 0 ? this.#run : null,
    });
  }

  async #append(entries: readonly JournalEntry[], options = { durable: false }): Promise<void> {
    const kept = entries.map((entry) => withoutMasked(entry, this.mask));
    await this.session.append(kept, options);
    this.#entries.push(...kept);
    for (const entry of entries) {
      if (entry.kind === "run") this.#run = entry.run;
      if (entry.kind === "intent") this.#open.set(entry.intent.seq, entry.intent);
      if (entry.kind === "outcome") this.#open.delete(entry.seq);
      if (entry.kind === "resource") this.#set(entry.address, entry.resource);
    }
  }

  /** Adds to a pending write the time at which it was first recorded. */
  #sinceNow(address: Address, resource: RecordedResource | null): RecordedResource | null {
    const pending = resource?.pending;
    if (!resource || !pending || pending.since !== undefined) return resource;
    const before = this.recorded(address)?.pending;
    const known = before?.id === pending.id ? before.since : undefined;
    const since = known ?? new Date(this.clock.now()).toISOString();
    return { ...resource, pending: { ...pending, since } };
  }

  #set(address: Address, resource: RecordedResource | null): void {
    const before = this.#resources.get(address)?.parent;
    if (before !== undefined) this.#inside.get(before)?.delete(address);
    this.#place(address, resource?.parent);
    if (resource) this.#resources.set(address, resource);
    else this.#resources.delete(address);
  }

  #place(address: Address, parent: Address | undefined): void {
    if (parent === undefined) return;
    const inside = this.#inside.get(parent);
    if (inside) inside.add(address);
    else this.#inside.set(parent, new Set([address]));
  }
}
