import type { Readings } from "./readings";
import type { Configuration } from "./records";

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

export function keptBody(readings: Readings, body: Configuration): Configuration {
  const kept = (value: unknown, field: string): unknown => {
    if (field === "name" && typeof value === "string") return nameForms[readings.name](value);
    if (field === "color" && typeof value === "string") return colorForms[readings.color](value);
    if (field !== "configuration" || value === null || typeof value !== "object") return value;
    const forms = Object.entries(value).map(([name, one]) => [
      name,
      valueForms[readings.configurationValue](one),
    ]);
    return Object.fromEntries(forms);
  };
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, kept(value, field)]));
}
