/** A map of the values that functions make; a value is made when somebody first asks for it, and kept. */
export function lookedUp<Value>(makers: ReadonlyMap<string, () => Value>): ReadonlyMap<string, Value> {
  const made = new Map<string, Value>();
  const look = (key: string): Value | undefined => {
    const make = makers.get(key);
    if (make && !made.has(key)) made.set(key, make());
    return made.get(key);
  };
  return new LazyMap(look, (visit) => {
    for (const key of makers.keys()) visit(look(key) as Value, key);
  });
}

/**
 * A map whose values are made when they are asked for: a plan looks at a dozen fields of what has fifty. `look` must
 * answer the same every time; `each` visits all that it answers for, each once. Undefined means that there is nothing.
 */
export class LazyMap<Value> implements ReadonlyMap<string, Value> {
  #whole: ReadonlyMap<string, Value> | undefined;

  constructor(
    private readonly look: (key: string) => Value | undefined,
    private readonly each: (visit: (value: Value, key: string) => void) => void,
  ) {}

  get(key: string): Value | undefined {
    return this.look(key);
  }

  has(key: string): boolean {
    return this.look(key) !== undefined;
  }

  get size(): number {
    return this.#all().size;
  }

  keys(): MapIterator<string> {
    return this.#all().keys();
  }

  values(): MapIterator<Value> {
    return this.#all().values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#all().entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    this.each((value, key) => {
      callback(value, key, this);
    });
  }

  #all(): ReadonlyMap<string, Value> {
    if (this.#whole) return this.#whole;
    const whole = new Map<string, Value>();
    this.each((value, key) => whole.set(key, value));
    this.#whole = whole;
    return whole;
  }
}
