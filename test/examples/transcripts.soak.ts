import { readPage, withOutputs, withoutVolatile } from "../../tools/docs/transcripts";
import { builtCli } from "../support/built-cli";

it("docs/cli/start.md shows what the built program prints (else: npm run docs)", () => {
  builtCli();
  const page = readPage("docs/cli/start.md");
  expect(withoutVolatile(page)).toBe(withoutVolatile(withOutputs(page)));
}, 60_000);
