import { normalizeArgv } from "../../../src/cli/argv";

const options = new Map<string, "flag" | "value">([
  ["out", "value"],
  ["o", "value"],
  ["file", "value"],
  ["f", "value"],
  ["target", "value"],
  ["chdir", "value"],
  ["lock-timeout", "value"],
  ["auto-approve", "flag"],
  ["json", "flag"],
  ["no-input", "flag"],
  ["no-color", "flag"],
  ["detailed-exitcode", "flag"],
]);

const normalized = (line: string) => normalizeArgv(line.split(" "), options).join(" ");

describe("normalizeArgv", () => {
  it.each([
    ["plan -out=x", "plan --out=x"],
    ["plan -out x", "plan --out x"],
    ["plan --out x", "plan --out x"],
    ["apply -auto-approve", "apply --auto-approve"],
    ["plan -target=service.shop.api", "plan --target=service.shop.api"],
    ["-chdir=infra plan", "--chdir=infra plan"],
    ["plan -no-color -json", "plan --no-color --json"],
    ["plan -lock-timeout=10s", "plan --lock-timeout=10s"],
    ["plan -detailed-exitcode", "plan --detailed-exitcode"],
    ["-help", "--help"],
  ])("writes Terraform's %s as %s", (line, expected) => {
    expect(normalized(line)).toBe(expected);
  });

  it.each([
    ["apply -input=false", "apply --no-input"],
    ["apply -input=true", "apply"],
    ["apply -auto-approve=true", "apply --auto-approve"],
    ["apply -auto-approve=false", "apply"],
    ["apply --json=false", "apply"],
  ])("takes the yes or no of a flag: %s", (line, expected) => {
    expect(normalized(line)).toBe(expected);
  });

  it.each([
    ["plan -f rnv.yaml -o plan.bin", "plan -f rnv.yaml -o plan.bin"],
    ["plan -f=rnv.yaml", "plan -f rnv.yaml"],
    ["plan -frnv.yaml", "plan -frnv.yaml"],
    ["plan -h", "plan -h"],
    ["state push -", "state push -"],
  ])("leaves single letters alone: %s", (line, expected) => {
    expect(normalized(line)).toBe(expected);
  });

  it("makes a misspelt option a long one, so that a suggestion can be found", () => {
    expect(normalized("plan -detailed-exitcod")).toBe("plan --detailed-exitcod");
  });

  it("leaves the value after an option alone, whatever it looks like", () => {
    expect(normalized("plan -out -json")).toBe("plan --out -json");
    expect(normalized("plan -o -json")).toBe("plan -o -json");
  });

  it("keeps a value with an equals sign and line breaks whole", () => {
    expect(normalizeArgv(["-out=a=b\nc"], options)).toEqual(["--out=a=b\nc"]);
  });

  it("leaves everything after -- alone", () => {
    expect(normalized("deploy -json -- -json -out=x")).toBe("deploy --json -- -json -out=x");
  });
});
