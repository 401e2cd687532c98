/** Keys in their order, each once; one list for all the maps that have the same. */
export class KeyList {
  private places: ReadonlyMap<string, number> | undefined;

  constructor(readonly keys: readonly string[]) {}

  placeOf(key: string): number | undefined {
    this.places ??= new Map(this.keys.map((one, place) => [one, place]));
    return this.places.get(key);
  }
}

/**
 * A map for where there are thousands that are alike: as long as its keys come in the order of those of the map before
 * (`list`), it shares them with that map, and holds its values alone.
 */
export abstract class AlikeMap<Value> implements ReadonlyMap<string, Value> {
  size = 0;
  /** Places of its keys, once they are not those of the list any more. */
  private own: Map<string, number> | undefined;

  constructor(private readonly shared: KeyList | undefined) {}

  /** The value at a place, counted from 0 in the order in which keys were added. */
  protected abstract valueAt(place: number, key: string): Value;

  /** The key that is added next if this map is like the one before. */
  get expected(): string | undefined {
    return this.own === undefined ? this.shared?.keys[this.size] : undefined;
  }

  /** The place of a key, which is added unless it is there. */
  protected add(key: string): number {
    if (key !== this.expected) {
      const known = this.placeOf(key);
      if (known !== undefined) return known;
      this.own ??= new Map(this.keyArray().map((one, place) => [one, place]));
      this.own.set(key, this.size);
    }
    this.size += 1;
    return this.size - 1;
  }

  /** Adds the key that is expected; its place is `size` before. */
  protected addExpected(): void {
    this.size += 1;
  }

  /** Its keys, for the next map. */
  get list(): KeyList {
    const { own, shared, size } = this;
    return own === undefined && shared?.keys.length === size ? shared : new KeyList(this.keyArray());
  }

  get(key: string): Value | undefined {
    const place = this.placeOf(key);
    return place === undefined ? undefined : this.valueAt(place, key);
  }

  has(key: string): boolean {
    return this.placeOf(key) !== undefined;
  }

  keys(): MapIterator<string> {
    return this.keyArray().values() as MapIterator<string>;
  }

  values(): MapIterator<Value> {
    const values = this.keyArray().map((key, place) => this.valueAt(place, key));
    return values.values() as MapIterator<Value>;
  }

  entries(): MapIterator<[string, Value]> {
    const entries = this.keyArray().map((key, place): [string, Value] => [key, this.valueAt(place, key)]);
    return entries.values() as MapIterator<[string, Value]>;
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    this.keyArray().forEach((key, place) => {
      callback(this.valueAt(place, key), key, this);
    });
  }

  private placeOf(key: string): number | undefined {
    if (this.own !== undefined) return this.own.get(key);
    const place = this.shared?.placeOf(key);
    return place !== undefined && place < this.size ? place : undefined;
  }

  protected keyArray(): readonly string[] {
    if (this.own !== undefined) return [...this.own.keys()];
    const keys = this.shared?.keys ?? [];
    return keys.length === this.size ? keys : keys.slice(0, this.size);
  }
}
