import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { defaultGaps, type GapSettings, gapSettingList } from "./gaps";

/** `readService` to `RNV_GAP_READ_SERVICE`. */
export const gapVariable = (setting: keyof GapSettings): string =>
  `RNV_GAP_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Reads every `RNV_GAP_<NAME>`; a value that does not fit is an error, an unknown name a warning. */
export function gapSettings(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: GapSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const chosen: Record<string, string> = {};
  const names = new Set<string>();
  for (const { key, expected, accepts, example } of gapSettingList) {
    const name = gapVariable(key);
    names.add(name);
    const text = environment[name]?.trim();
    if (text === undefined || text === "") continue;
    if (accepts(text)) chosen[key] = text === "route" ? defaultGaps[key] : text;
    else
      diagnostics.push(refusal(name, text, `expected ${expected}; for example ${assignment(name, example)}`));
  }
  const settings: GapSettings = { ...defaultGaps, ...chosen };
  if (!namesDeployment(settings)) {
    diagnostics.push(
      refusal(
        gapVariable("rollBackBody"),
        settings.rollBackBody,
        `it must hold "{deploymentId}", because the path ${settings.rollBack} does not`,
      ),
    );
  }
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("RNV_GAP_") || names.has(name)) continue;
    const hint = didYouMean(name, names) ?? "rnv schema gaps lists the settings";
    diagnostics.push(warning("config.invalid", `${name} is not a setting`, { hint }));
  }
  return { settings, diagnostics };
}

/** A roll back says in its path or in its body which deployment it goes back to. */
const namesDeployment = ({ rollBack, rollBackBody }: GapSettings): boolean =>
  rollBack === "off" ||
  rollBackBody === "auto" ||
  rollBack.includes("{deploymentId}") ||
  rollBackBody.includes('"{deploymentId}"');

const refusal = (name: string, text: string, hint: string): Diagnostic =>
  error("config.invalid", `${name} cannot be ${JSON.stringify(text)}`, { hint });

/** `NAME=value` as a shell takes it. */
export const assignment = (name: string, value: string): string =>
  /^[A-Za-z0-9._,/-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;
