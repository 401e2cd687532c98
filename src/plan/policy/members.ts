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

export type MemberType = keyof typeof memberShapes;

/** The library knows the type of an object by its class alone: without one `changes[0]` would be refused when it is judged. */
export const memberClasses: Readonly<Record<MemberType, new () => object>> = {
  Money: class Money {},
  Cost: class Cost {},
  Field: class Field {},
  Part: class Part {},
  Change: class Change {},
};

/** Makes an object of a type from its fields, all of them. */
export const member = <Type extends MemberType>(
  type: Type,
  fields: Readonly<Record<keyof (typeof memberShapes)[Type], unknown>>,
): object => Object.assign(new memberClasses[type](), fields);
