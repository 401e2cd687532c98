import type { AnswerBody, Fault } from "../../src/emulator/faults";
import type { EmulatorStore } from "../../src/emulator/store";

const edited = (edit: (body: AnswerBody, store: EmulatorStore) => unknown): Fault => ({
  kind: "edited",
  edit,
});

const isObject = (value: unknown): value is AnswerBody => value !== null && typeof value === "object";

/** The answer with every object in it changed, the innermost first. */
const withObjects = (value: unknown, change: (object: AnswerBody) => AnswerBody): unknown => {
  if (Array.isArray(value)) return value.map((item) => withObjects(item, change));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([name, member]) => [name, withObjects(member, change)]);
  return change(Object.fromEntries(inner));
};

/** The answer without these fields, wherever they stand in it. */
export const withoutFields = (...fields: readonly string[]): Fault =>
  edited((body) =>
    withObjects(body, (object) =>
      Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name))),
    ),
  );

/** The answer with these values in the fields of these names, wherever they stand in it. */
export const withFields = (fields: AnswerBody): Fault =>
  edited((body) =>
    withObjects(body, (object) => ({
      ...object,
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(object, name))),
    })),
  );

/** The answer with another id: that of no resource, unless `id` gives one. */
export const withOtherId = (
  id: string | ((store: EmulatorStore) => string | undefined) = "00000000-0000-4000-8000-000000000000",
): Fault =>
  edited((body, store) => {
    const other = typeof id === "string" ? id : id(store);
    if (other === undefined) return body;
    const members = Object.entries(body).map(([name, value]) => [
      name,
      isObject(value) && "id" in value ? { ...value, id: other } : value,
    ]);
    return { ...Object.fromEntries(members), ...("id" in body && { id: other }) };
  });

const withLists = (change: (items: readonly unknown[]) => readonly unknown[]): Fault =>
  edited((body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? change(value) : value]),
    ),
  );

/** Lists are answered empty, as they are to a key that lost its membership. */
export const emptyLists: Fault = withLists(() => []);

/** Lists are answered without the items of these ids. */
export const listsWithout = (ids: readonly string[]): Fault =>
  withLists((items) => items.filter((item) => !ids.includes(String((item as { id?: unknown } | null)?.id))));
