import type { Readings } from "./readings";
import type { Configuration } from "./records";

type Keeping = Pick<Readings, "name" | "color" | "configurationValue">;

/** Text in lower case, with hyphens in place of all but unaccented letters and digits. */
export const slug = (text: string, initial = ""): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || initial;

const nameForms: Readonly<Record<Readings["name"], (name: string) => string>> = {
  sent: (name) => name,
  trimmed: (name) => name.trim(),
  nfc: (name) => name.normalize("NFC"),
  cut: (name) => name.slice(0, 40),
  slug: (name) => slug(name, "unnamed"),
};

const colorForms: Readonly<Record<Readings["color"], (color: string) => string>> = {
  sent: (color) => color,
  lower: (color) => color.toLowerCase(),
  form: (color) =>
    /^#[0-9a-f]{6}$/i.test(color)
      ? `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(", ")})`
      : color,
};

const valueForms: Readonly<Record<Readings["configurationValue"], (value: unknown) => unknown>> = {
  sent: (value) => value,
  trimmed: (value) => (typeof value === "string" ? value.trim().replace(/(?<=.)\/$/, "") : value),
  clamped: (value) => (typeof value === "number" ? Math.min(Math.max(value, 1), 65_535) : value),
  sorted: (value) => (Array.isArray(value) ? [...new Set(value)].sort() : value),
};

/** Returns the fields of a request as the service keeps them (readings "name", "color", "configurationValue"). */
export function keptFields<
  Fields extends { readonly name?: string; readonly color?: string; readonly configuration?: Configuration },
>(readings: Keeping, fields: Fields): Fields {
  const { name, color, configuration } = fields;
  const keepValue = valueForms[readings.configurationValue];
  return {
    ...fields,
    ...(name !== undefined && { name: nameForms[readings.name](name) }),
    ...(color !== undefined && { color: colorForms[readings.color](color) }),
    ...(configuration && {
      configuration: Object.fromEntries(
        Object.entries(configuration).map(([field, value]) => [field, keepValue(value)]),
      ),
    }),
  };
}
