import type { Money as Amounts } from "../../model/resource-type";
import type { Plain } from "../../model/value";
import type { AttributeChange, Change as PlannedChange, ShownValue } from "../plan";

/** The objects that an expression finds in lists and fields, by the name of their type: each field with its CEL type. */
export const memberShapes = {
  Money: { usd: "double", ngn: "double" },
  Cost: { before: "Money", after: "Money" },
  Field: { path: "string", cause: "string", before: "dyn", after: "dyn" },
  Part: { address: "string", type: "string", name: "string", action: "string", source: "string" },
  Change: {
    ...{ address: "string", type: "string", name: "string", action: "string", stage: "string" },
    ...{ declared: "bool", removed: "bool", reason: "string", effects: "list<string>" },
    ...{ cost: "Cost", fields: "list<Field>" },
  },
} as const;

type Member<Type extends keyof typeof memberShapes> = Readonly<
  Record<keyof (typeof memberShapes)[Type], unknown>
>;

/** What costs nothing, or is not known to cost anything. */
export const nothing: Amounts = { usd: 0, ngn: 0 };

/** An amount in each currency. */
export class Money implements Member<"Money"> {
  readonly usd: number;
  readonly ngn: number;
  constructor({ usd, ngn }: Amounts) {
    this.usd = usd;
    this.ngn = ngn;
  }
}

class Cost implements Member<"Cost"> {
  readonly before: Money;
  readonly after: Money;
  constructor({ cost }: PlannedChange) {
    this.before = new Money(cost?.before ?? nothing);
    this.after = new Money(cost?.after ?? nothing);
  }
}

// A policy reads few fields of many resources: what it does not read is not made.

class Field implements Member<"Field"> {
  readonly #field: AttributeChange;
  constructor(field: AttributeChange) {
    this.#field = field;
  }
  get path() {
    return this.#field.path;
  }
  get cause() {
    return this.#field.cause;
  }
  get before() {
    return sideValue(this.#field.before);
  }
  get after() {
    return sideValue(this.#field.after);
  }
}

/** A resource of another one, as far as a plan says what it is: no value of a secret. */
export class Part implements Member<"Part"> {
  readonly #change: PlannedChange;
  constructor(change: PlannedChange) {
    this.#change = change;
  }
  get address() {
    return this.#change.address;
  }
  get type() {
    return this.#change.type;
  }
  get name() {
    return this.#change.name;
  }
  get action() {
    return this.#change.action;
  }
  get source() {
    for (const { source } of this.#change.instance.desired?.attributes.values() ?? [])
      if (source !== undefined) return source;
    return "";
  }
}

/** A change of the plan. */
export class Change implements Member<"Change"> {
  readonly #change: PlannedChange;
  readonly stage: string;
  constructor(change: PlannedChange, stage: string) {
    this.#change = change;
    this.stage = stage;
  }
  get address() {
    return this.#change.address;
  }
  get type() {
    return this.#change.type;
  }
  get name() {
    return this.#change.name;
  }
  get action() {
    return this.#change.action;
  }
  get reason() {
    return this.#change.reason ?? "";
  }
  get effects() {
    return this.#change.effects;
  }
  get declared() {
    return this.#change.instance.desired !== undefined;
  }
  get removed() {
    return this.#change.isRemovalDeclared === true;
  }
  get cost() {
    return new Cost(this.#change);
  }
  get fields() {
    return this.#change.attributes.map((field) => new Field(field));
  }
}

/** The library knows the type of an object by its class alone: without one `changes[0]` would be refused when it is judged. */
export const memberClasses = { Money, Cost, Field, Part, Change } as const;

const sideValue = (side: ShownValue): unknown =>
  side.kind === "value" ? celValue(side.value) : side.kind === "absent" ? null : `(${side.kind})`;

/** Whole numbers are whole in CEL, too. */
export function celValue(value: Plain | undefined): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(celValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member as Plain)]));
}
