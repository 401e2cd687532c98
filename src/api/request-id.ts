const ALPHABET = "0123456789abcdefghijklmnopqrstuv";

/** `rnv-` and 20 random characters; with an attempt's number it stays within the 64 that `X-Request-ID` allows. */
export function newRequestId(random: () => number): string {
  let text = "rnv-";
  for (let i = 0; i < 20; i += 1) text += ALPHABET[Math.floor(random() * ALPHABET.length)] ?? "0";
  return text;
}
