import { createProgram } from "../../../src/cli/run";
import { createTerminal } from "../../../src/cli/terminal";
import { type Completion, complete, completionText, readTyped } from "../../../src/cli/verbs/completion";
import { fakeStreams } from "./fake-streams";

const addresses = ["deployment.shop.api", "project.shop", "service.shop.api", "variable.shop.api.LOG_LEVEL"];
const program = createProgram(
  () => async () => {},
  createTerminal(fakeStreams(), { environment: {}, noColor: false }),
  "1.2.3",
);
let asked = 0;
const names = {
  addresses,
  outputs: ["apiUrl", "docsUrl"],
  stacks: ["prod", "staging"],
  stages: ["production", "preview/", "preview/12"],
};
const at = (...words: readonly string[]): Promise<Completion> =>
  complete(readTyped(program, words), async (kind) => {
    asked += 1;
    return names[kind];
  });
const wordsAt = async (...words: readonly string[]): Promise<readonly string[] | "files"> => {
  const completion = await at(...words);
  return completion.kind === "files" ? "files" : completion.words.map(({ word }) => word);
};

describe("at the cursor stands", () => {
  it("a verb, or a verb of a verb", async () => {
    expect(await wordsAt("de")).toEqual(["destroy", "deployments", "deploy"]);
    expect(await wordsAt("state", "")).toEqual(
      expect.arrayContaining(["list", "show", "mv", "rm", "backups", "restore"]),
    );
    expect(await wordsAt("--chdir", "x", "val")).toEqual(["validate"]);
    expect(await wordsAt("help", "impo")).toEqual(["import"]);
    expect(await wordsAt("compl")).toEqual(["completion"]);
  });

  it("an option of the verb or of the program, with as many dashes as are typed", async () => {
    expect(await wordsAt("plan", "--detail")).toEqual(["--detailed-exitcode"]);
    expect(await wordsAt("plan", "-detail")).toEqual(["-detailed-exitcode"]);
    expect(await wordsAt("plan", "-ch")).toEqual(["-chdir"]);
    expect(await wordsAt("plan", "-help")).toEqual(["-help"]);
    expect(await wordsAt("validate", "--target")).toEqual([]);
  });

  it.each([
    ["the value of an option", ["plan", "-target", "service."]],
    ["the same in one word, as bash splits it", ["plan", "--target", "=", "service."]],
    ["another one after the first", ["plan", "-target", "project.shop", "-exclude", "service."]],
    ["a confirmation", ["apply", "-confirm-delete", "service."]],
    ["the argument of a verb", ["state", "show", "service."]],
    ["the second argument", ["state", "mv", "service.a", "service."]],
    ["any of many arguments", ["state", "rm", "a", "b", "service."]],
    ["an argument after options", ["import", "-state", "x.json", "service."]],
  ])("an address where one belongs: %s", async (_, words) => {
    expect(await wordsAt(...words)).toEqual(["service.shop.api"]);
  });

  it("an address behind the option in the same word", async () => {
    expect(await wordsAt("plan", "--target=serv")).toEqual(["--target=service.shop.api"]);
    expect(await wordsAt("plan", "-target", "=")).toEqual(addresses);
  });

  it("only an address of a service where a verb is about one", async () => {
    for (const verb of [
      "status",
      "deployments",
      "deploy",
      "restart",
      "suspend",
      "resume",
      "rollback",
      "cancel",
    ])
      expect(await wordsAt(verb, "")).toEqual(["service.shop.api"]);
  });

  it("one of the values that an option or an argument takes", async () => {
    expect(await wordsAt("plan", "-format", "")).toEqual(["text", "json", "markdown"]);
    expect(await wordsAt("drift", "-format=m")).toEqual(["-format=markdown"]);
    expect(await wordsAt("emulator", "--with", "hosting-off", "work")).toEqual(["worker-offline"]);
    expect(await wordsAt("schema", "ov")).toEqual(["overlay"]);
    expect(await wordsAt("drift", "-fail-on", "")).toEqual(["drifted", "missing", "unmanaged", "pending"]);
    expect(await wordsAt("drift", "-fail-on", "pending,un")).toEqual(["pending,unmanaged"]);
    expect(await wordsAt("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await wordsAt("output", "api")).toEqual(["apiUrl"]);
    expect(await wordsAt("plan", "-lock-timeout", "")).toEqual([]);
  });

  it("a path where a file or a folder belongs", async () => {
    for (const words of [["plan", "-f"], ["plan", "-out"], ["--chdir"], ["apply"], ["state", "push"]])
      expect(await wordsAt(...words, "x")).toBe("files");
  });

  it("a stack where one belongs", async () => {
    for (const words of [["plan"], ["destroy"], ["drift", "--stack"], ["state", "list", "--stack"]])
      expect(await wordsAt(...words, "")).toEqual(["prod", "staging"]);
  });

  it("nothing that costs a look at files where no address belongs", async () => {
    asked = 0;
    for (const words of [["plan", "-"], [""], ["state", ""], ["plan", "-format", ""]]) await at(...words);
    expect(asked).toBe(0);
  });

  it("something, or nothing, after words that are no command line at all", async () => {
    for (const words of [["=", "="], ["-", "--", "-x"], ["nonsense", "--what=", "="], ["--target"], []])
      expect(await wordsAt(...words)).toBeInstanceOf(Array);
  });
});

describe("options typed before the cursor", () => {
  it("are kept for whoever looks up addresses", () => {
    const { options } = readTyped(program, ["-chdir=a", "plan", "-f", "x.yaml", "-f=y.yaml", "-target", ""]);
    expect(options).toEqual({ chdir: ["a"], file: ["x.yaml", "y.yaml"] });
  });
});

describe("what is printed", () => {
  it("has the meaning of each word where the shell shows it", async () => {
    const completion = await at("plan", "--adop");
    expect(completionText(completion, "bash")).toBe("words\n--adopt\n");
    expect(completionText(completion, "zsh")).toBe(
      "words\n--adopt:take over what already has the declared name\n",
    );
    expect(completionText(completion, "fish")).toBe(
      "words\n--adopt\ttake over what already has the declared name\n",
    );
    expect(completionText({ kind: "files" }, "bash")).toBe("files\n");
  });
});
