import { Redactor } from "../../src/api/redactor";
import { writeManifest } from "../../src/manifest/write";
import type { Address } from "../../src/model/address";
import { Secret } from "../../src/model/secret";
import { resourceTypes } from "../../src/resources";
import { createRandom } from "../faults/random";
import { secretForms } from "../support/secret-forms";
import { commandsIn, hiddenIn } from "./inertness";

export interface LeakVerdict {
  readonly kind: string;
  readonly cases: number;
  /** Each replays from its seed. */
  readonly failures: readonly string[];
}

/** One attack: what is left of it in an output; undefined where nothing is. */
type Play = (below: (n: number) => number) => string | undefined;

const letters = [..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"];
const signs = [...letters, ...letters, ..."-_.~+/=!?@#$%^&*'\"\\<>|:; ,ü€"];
const pick = <T>(from: readonly T[], below: (n: number) => number): T => from[below(from.length)] as T;
const textOf = (length: number, from: readonly string[], below: (n: number) => number): string =>
  Array.from({ length }, () => pick(from, below)).join("");

/** A value that is no word: it begins and ends with a letter or a digit. */
const randomValue = (below: (n: number) => number): string =>
  `${textOf(4, letters, below)}${textOf(4 + below(24), signs, below)}${textOf(4, letters, below)}`;

/** Texts of a platform around something that it repeats. */
const around: readonly ((form: string) => string)[] = [
  (form) => `login failed: ${form}`,
  (form) => `TOKEN=${form} is refused`,
  (form) => `token: "${form}", status 401`,
  (form) => `{"message":"bad value '${form}'","status":400}`,
  (form) => `postgres://shop:${form}@db.internal:5432/shop`,
  (form) => `GET https://example.com/hook?token=${form} -> 403`,
  (form) => `(${form})`,
  (form) => `first\n${form}\nlast`,
  (form) => `<token>${form}</token>`,
  (form) => `level=error, token=${form}; retry in 3s`,
];

const redacting = (value: string): Redactor => {
  const redactor = new Redactor(new Secret("rnv_key0123456789"));
  redactor.add([new Secret(value)]);
  return redactor;
};

/** A value of the run, in a form in which a program may write it. */
const inForm: Play = (below) => {
  const value = randomValue(below);
  const [name, write] = pick(Object.entries(secretForms), below);
  const form = write(value);
  const shown = redacting(value).text(pick(around, below)(form));
  return shown.includes(form) || shown.includes(value) ? `${name}: ${value} in ${shown}` : undefined;
};

/** The part of a value that is the secret: of an address, a connection string, a JSON value. */
const partOfValue: Play = (below) => {
  const part = textOf(8 + below(16), letters, below);
  const whole = pick(
    [
      `postgres://shop:${part}@db.internal/shop`,
      `host=db user=shop password=${part} dbname=shop`,
      `Server=db;User=shop;Password=${part};Encrypt=true`,
      `https://example.com/hook?token=${part}&retry=1`,
      JSON.stringify({ user: "shop", nested: [{ password: part }] }),
      `first line\n${part}\nlast line`,
    ],
    below,
  );
  const shown = redacting(whole).text(pick(around, below)(part));
  return shown.includes(part) ? `${part} of ${whole} in ${shown}` : undefined;
};

/** A value of 4 to 7 characters, as a word. */
const asWord: Play = (below) => {
  const value = `${textOf(3, [..."bcdfghjk"], below)}${textOf(1 + below(4), letters, below)}`;
  const shown = redacting(value).text(pick(around.slice(0, 4), below)(value));
  return shown.includes(value) ? `${value} in ${shown}` : undefined;
};

const key = Buffer.alloc(32, 7);
const address = "variable.shop.api.TOKEN" as Address;

/** A value that only the state knows, by its fingerprint: with the key it is masked, without it the text is hidden. */
const inState: Play = (below) => {
  const value = textOf(4 + below(30), [..."-_.!", ...letters], below).replace(/^[^a-z]+|[^a-z]+$/gi, "k");
  if (value.length < 4) return undefined;
  const hasKey = below(4) > 0;
  const redactor = new Redactor(new Secret("rnv_key0123456789"));
  const recorded = { address, fingerprint: new Secret(value).fingerprint(key, address), isOutside: true };
  redactor.add([], { values: [recorded], branches: new Set(), key: hasKey ? key : undefined });
  const text = pick(around, below)(value);
  const field = pick(
    ["error", "message", "blockedReason", "commitMessage", "branch", "runtimeDetail"],
    below,
  );
  const body = { deployments: [{ id: "other", [field]: text }] };
  const shown = JSON.stringify(redactor.body(body));
  return shown.includes(value) ? `${value} in ${shown} (${hasKey ? "with" : "without"} the key)` : undefined;
};

const pieces = [
  "::error::x",
  "::add-mask::y",
  "##[group]",
  "##vso[task.complete]",
  "##teamcity[x]",
  "\n",
  "\r\n",
];
const fillers = [" ", "\t", "#", ":", "a", "é", "\u200b", "\u2028", "'", '"', "- ", "| ", "$", "\\"];

/** A text that is a command to a runner, written into a manifest. */
const asCommand: Play = (below) => {
  const text = Array.from({ length: 2 + below(4) }, () =>
    pick(below(2) === 0 ? pieces : fillers, below),
  ).join("");
  const attributes = new Map(Object.entries({ name: text, description: text }));
  const written = writeManifest([{ type: "project", names: ["shop"], attributes }], resourceTypes);
  const found = [...commandsIn(written), ...hiddenIn(written)];
  return found.length === 0 ? undefined : `${JSON.stringify(text)}: ${JSON.stringify(written)}`;
};

/** The attacks by kind, in the words of the page of figures. */
const kinds: readonly (readonly [kind: string, play: Play])[] = [
  [`a value of the run, in one of ${Object.keys(secretForms).length} forms`, inForm],
  ["the password or token in a value of the run", partOfValue],
  ["a value of 4 to 7 characters, as a word", asWord],
  ["a value that only the state knows", inState],
  ["a command to a CI runner, in a manifest that is written", asCommand],
];

/** Plays `cases` attacks of each kind, from `seed` on. */
export const judgeLeaks = (cases: number, seed: number): readonly LeakVerdict[] =>
  kinds.map(([kind, play]) => {
    const failures: string[] = [];
    for (let i = 0; i < cases; i += 1) {
      const left = play(createRandom(seed + i).below);
      if (left !== undefined) failures.push(`${kind}, ${seed + i}: ${left}`);
    }
    return { kind, cases, failures };
  });
