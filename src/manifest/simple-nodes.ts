import type { SourceRange } from "../diagnostics/diagnostic";
import { AlikeMap, type KeyList } from "../model/alike-map";
import type { ListNode, MapEntry, ScalarNode, SourceEntries, SourceNode } from "./source-tree";

/** Places are wanted for few of the nodes: one object less for each of them. */
export class Scalar implements ScalarNode {
  readonly kind = "scalar";

  constructor(
    readonly value: ScalarNode["value"],
    private readonly file: string,
    readonly start: number,
    readonly end: number,
  ) {}

  get range(): SourceRange {
    return { file: this.file, start: this.start, end: this.end };
  }

  movedBy(offset: number): Scalar {
    return new Scalar(this.value, this.file, this.start + offset, this.end + offset);
  }
}

/** A list of scalars, whose places are wanted for even fewer. */
export class ScalarList implements ListNode {
  readonly kind = "list";

  constructor(
    readonly value: readonly ScalarNode["value"][],
    /** As they stood where such a list was read, and how far from there this one is. */
    private readonly read: readonly Scalar[],
    private readonly offset: number,
    private readonly file: string,
    readonly start: number,
    readonly end: number,
  ) {}

  get items(): readonly Scalar[] {
    return this.read.map((item) => item.movedBy(this.offset));
  }

  get range(): SourceRange {
    return { file: this.file, start: this.start, end: this.end };
  }

  movedBy(by: number): ScalarList {
    const { value, read, offset, file, start, end } = this;
    return new ScalarList(value, read, offset + by, file, start + by, end + by);
  }
}

/** The same for keys: an entry is made when somebody asks for it. */
export class Entries extends AlikeMap<MapEntry> implements SourceEntries {
  private readonly nodes: SourceNode[] = [];
  private readonly starts: number[] = [];

  constructor(
    before: KeyList | undefined,
    private readonly file: string,
  ) {
    super(before);
  }

  /** `expected` is what `this.expected` said. False when the key is there already. */
  addKey(key: string, expected: string | undefined, start: number): boolean {
    if (key === expected) this.addExpected();
    else if (this.add(key) !== this.starts.length) return false;
    this.starts.push(start);
    return true;
  }

  /** That of the key added last. */
  addValue(node: SourceNode): void {
    this.nodes.push(node);
  }

  forEachNode(callback: (node: SourceNode, key: string) => void): void {
    const { nodes } = this;
    this.keyArray().forEach((key, place) => {
      callback(nodes[place] as SourceNode, key);
    });
  }

  protected valueAt(place: number, key: string): MapEntry {
    return new Entry(key, this.nodes[place] as SourceNode, this.file, this.starts[place] as number);
  }
}

class Entry implements MapEntry {
  constructor(
    readonly key: string,
    readonly value: SourceNode,
    private readonly file: string,
    private readonly start: number,
  ) {}

  get keyRange(): SourceRange {
    return { file: this.file, start: this.start, end: this.start + this.key.length };
  }
}
