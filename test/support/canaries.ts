/** A text that must be seen nowhere, with a part that stays recognizable in every encoding. */
export interface Canary {
  readonly name: string;
  /** The whole value: with characters that JSON, YAML, URLs and shells write differently. */
  readonly value: string;
  /** What is looked for. */
  readonly core: string;
}

export function canary(name: string): Canary {
  const core = `cnry${Buffer.from(name).toString("hex").slice(0, 12)}zq`;
  return { name, core, value: `${core}-"q" & y/ü ${core}` };
}

/** The core as it is, and as base64 (at each of its three alignments), hex, reversed and upper case show it. */
function formsOf({ core }: Canary): readonly string[] {
  const aligned = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${"\0".repeat(shift)}${core}`)
      .toString("base64")
      .replace(/=+$/, "");
    return encoded.slice(shift === 0 ? 0 : shift + 1, -2);
  });
  const hex = Buffer.from(core).toString("hex");
  return [core, core.toUpperCase(), [...core].reverse().join(""), ...aligned, hex, hex.toUpperCase()];
}

/** Where each canary was seen: `name in place: …text around it…`. */
export function sightings(canaries: readonly Canary[], place: string, text: string): string[] {
  return canaries.flatMap((one) =>
    formsOf(one).flatMap((form) => {
      const at = text.indexOf(form);
      return at === -1 ? [] : [`${one.name} in ${place}: …${text.slice(Math.max(0, at - 80), at + 80)}…`];
    }),
  );
}
