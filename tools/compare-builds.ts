// Plays scripted stories with the build of a commit and with the working tree, and lists what differs between them and
// is not in test/compare/expected.txt: npm run compare -- COMMIT [STORY ...]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Build, buildOfCommit, buildOfWorkingTree } from "../test/compare/build";
import { type Difference, differencesOf, expectedOf, judge } from "../test/compare/differences";
import { stories } from "../test/compare/stories";
import { playStory, type Story } from "../test/compare/world";
import { ownTempFolder } from "../test/support/temp-folder";

/** Stories at once: most of their time is spent in processes. */
const parallelism = 3;

async function main(): Promise<void> {
  const [commit, ...wanted] = process.argv.slice(2);
  if (commit === undefined) throw new Error("usage: npm run compare -- COMMIT [STORY ...]");
  ownTempFolder();
  const before = buildOfCommit(commit);
  const now = buildOfWorkingTree();
  const chosen = stories.filter(
    ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  const differences = await compareAll(chosen, before, now);
  const expected = expectedOf(
    readFileSync(join(__dirname, "../test/compare/expected.txt"), "utf8"),
    before.name,
  );
  const { unlisted, unused } = judge(differences, expected);
  for (const { story, step, path, text } of unlisted)
    process.stdout.write(`${story} | ${step} | ${path}\n    ${text}\n`);
  // A part of the stories cannot show every expected difference.
  const useless = wanted.length === 0 ? unused : [];
  for (const { line, text } of useless)
    process.stdout.write(`expected.txt:${line}: matches no difference: ${text}\n`);
  const listed = differences.length - unlisted.length;
  process.stdout.write(
    `${chosen.length} stories, ${before.name} and ${now.name}: ${unlisted.length} differences, ${listed} expected, ${useless.length} unused entries\n`,
  );
  process.exitCode = unlisted.length + useless.length > 0 ? 1 : 0;
}

/** Plays all stories, some at once, and returns their differences in the order of the stories. */
async function compareAll(chosen: readonly Story[], before: Build, now: Build): Promise<Difference[]> {
  const found: Difference[][] = chosen.map(() => []);
  const waiting = chosen.map((story, index) => ({ story, index }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { story, index } = next;
      found[index] = await compare(story, before, now);
      process.stderr.write(`${story.name}: ${found[index]?.length} differences\n`);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  return found.flat();
}

async function compare(story: Story, before: Build, now: Build): Promise<Difference[]> {
  const old = await playStory(story, before, before);
  try {
    return differencesOf(story.name, old, await playStory(story, now, before));
  } catch (error) {
    // The story needed a resource that this build did not make.
    return [{ story: story.name, step: "", path: "story", text: `stopped: ${(error as Error).message}` }];
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
});
