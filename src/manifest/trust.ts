type Environment = Readonly<Record<string, string | undefined>>;

/** How far the manifest is trusted (DESIGN section 15): what it may run and read of this machine. */
export interface Trust {
  /** `--untrusted`: it comes from someone who may not see secrets. */
  readonly isUntrusted: boolean;
  /** What forbids to run programs; undefined: they may run. */
  readonly commandsForbiddenBy?: "--untrusted" | "RNV_ALLOW_COMMANDS=0";
  /** Whether `RNV_ALLOW_ENV` names a variable of the environment. */
  readonly isAllowed: (name: string) => boolean;
  /** Whether a manifest may read it: any, unless it is not trusted or `RNV_ALLOW_ENV` names others. */
  readonly mayRead: (name: string) => boolean;
}

/** Reads `RNV_ALLOW_COMMANDS` and `RNV_ALLOW_ENV` (names with commas between them; `SHOP_*` for all that begin so). */
export function trustOf(environment: Environment, isUntrusted: boolean): Trust {
  const words = (environment.RNV_ALLOW_ENV ?? "").split(/[\s,]+/).filter((word) => word !== "");
  const isAllowed = (name: string): boolean =>
    words.some((word) => (word.endsWith("*") ? name.startsWith(word.slice(0, -1)) : name === word));
  const forbids = /^(0|false|no|off)$/i.test(environment.RNV_ALLOW_COMMANDS?.trim() ?? "");
  return {
    isUntrusted,
    ...(isUntrusted
      ? { commandsForbiddenBy: "--untrusted" as const }
      : forbids && { commandsForbiddenBy: "RNV_ALLOW_COMMANDS=0" as const }),
    isAllowed,
    mayRead: (name) => !isUntrusted || isAllowed(name),
  };
}

/** What to do where a program is not run. */
export const commandHint =
  "run it from a branch that is trusted, or add --no-secrets to leave its value unchecked";
