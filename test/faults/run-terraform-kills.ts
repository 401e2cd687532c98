import { writeFigures } from "../support/figures-page";
import { ownTempFolder } from "../support/temp-folder";
import { terraformKills } from "./terraform-kills";

/**
 * `npx tsx test/faults/run-terraform-kills.ts`: the provider or Terraform killed before and after each write of a create, an update, a
 * replacement and a destroy, some ten minutes. The same command again ends it, or stops with the ID and the import block of
 * what exists already: nothing doubled, nothing tainted. Arguments are words that a kill's name must hold.
 */
async function main(): Promise<number> {
  ownTempFolder();
  const words = process.argv.slice(2);
  const kills = (await terraformKills()).filter(({ name }) => words.every((word) => name.includes(word)));
  let failed = 0;
  for (const { name, run } of kills) {
    const wrong = await run().catch((cause: unknown) => [String(cause)]);
    if (wrong.length > 0) failed += 1;
    console.log(wrong.length === 0 ? `ok ${name}` : `FAILURE ${name}\n${wrong.join("\n")}`);
  }
  console.log(`${kills.length} kills, ${failed} failed`);
  if (words.length === 0 && failed === 0) writeFigures("tested", "kills-terraform", figuresOf(kills.length));
  return failed === 0 && kills.length > 0 ? 0 : 1;
}

const figuresOf = (kills: number): string =>
  `The provider, or Terraform itself, was killed ${kills} times, before and after each write of a create, an update, a replacement and a destroy. The same command again finished the work, or stopped with the ID and the import block of what had been created; after the import it finished. Nothing was created twice, nothing was tainted.

\`npx tsx test/faults/run-terraform-kills.ts\` plays this.`;

main().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    console.error(cause);
    process.exit(1);
  },
);
