import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ApiError } from "../../../src/api/api-error";
import { error } from "../../../src/diagnostics/diagnostic";
import { remedy } from "../../../src/diagnostics/remedies";
import { resourceTypes } from "../../../src/resources";
import type { TerraformValue } from "../../../src/terraform/codec";
import { diagnosticMessages, diagnosticsOf, withoutTaint } from "../../../src/terraform/messages";
import { optional } from "../../../src/terraform/schema/block";
import { checkConfig } from "../../../src/terraform/schema/check-config";
import { shapeOf } from "../../../src/terraform/schema/terraform-shape";

const source = join(__dirname, "../../../src");

/** Texts in quotes of the modules whose messages the CLI and the provider share, templates with their parts as they are written. */
function sharedTexts(): readonly string[] {
  const folders = ["api", "resources", "resources/service", "terraform"].flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: folder === "terraform", encoding: "utf8" }).map((name) =>
      join(source, folder, name),
    ),
  );
  return folders
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const code = readFileSync(path, "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "");
      return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
        ([, plain, template]) => plain ?? template ?? "",
      );
    });
}

/** Words of the command line and of its files. */
const foreign =
  /\brnv (plan|apply|drift|state|status|import|destroy|schema|show)\b|preserve: |removed: |moved: |import: ID|\bmanifest\b(?!\.)| --[a-z]|Verify-values/i;
/** Texts that only the command line prints, or that have a word of theirs beside it. */
const onlyThere =
  /^rnv apply -refresh-only$|\(rnv schema gaps\)$|^Deploy when something|^\W*rnv terraform install/;

describe("messages in Terraform's words", () => {
  it("no shared text has a word of the command line: where the next step differs, each door says its own", () => {
    const texts = sharedTexts().filter((text) => / /.test(text) && !/^\.|^\/|terraform install/.test(text));
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter((text) => foreign.test(text) && !onlyThere.test(text))).toEqual([]);
  });

  it("names of the user's own stay as they are", () => {
    const [message] = diagnosticMessages([
      error("live.unchecked", 'service "manifest" could not be read', { hint: "see healthCheckPath" }),
    ]);
    expect(message).toMatchObject({ summary: 'Service "manifest" could not be read' });
    expect(message?.detail).toContain("See healthCheckPath.");
  });

  it("a failed request says what to set in the provider block, and no command of another product", () => {
    const failed = (status: number) => {
      const failure = new ApiError(
        { operation: "createService", method: "POST", path: "/services", address: 'service "api"' },
        { kind: "refused", status, code: "x", message: "no", requestId: "r1", attempts: 1 },
      );
      return diagnosticMessages(diagnosticsOf(failure))[0];
    };
    expect(failed(401)).toMatchObject({
      summary: 'Service "api": cannot create the service: no',
      detail: expect.stringContaining("Set api_key, RNV_API_KEY or RNV_API_KEY_FILE to a key"),
    });
    expect(failed(409)?.detail).toContain("See what is there now with terraform plan");
    const [part] = diagnosticMessages(withoutTaint([error("api.refused", "x", remedy("live.look"))]));
    expect(part?.detail).toContain("Plan and apply again: the next plan shows what is missing");
    expect(failed(404)?.detail).toMatch(
      /Check workspace_id or RNV_WORKSPACE_ID[\s\S]*\(api.not_found, request r1\)/,
    );
  });

  it("a code speaks of the configuration, not of a manifest", () => {
    expect(diagnosticMessages([error("manifest.invalid_value", "x")])[0]?.detail).toBe(
      "(configuration.invalid_value)",
    );
  });

  it("a schema says in words which values it expects, for every attribute and every kind of wrong value", () => {
    const wrong: readonly TerraformValue[] = [
      -1,
      1.5,
      1e9,
      "",
      "x".repeat(5000),
      "ü ",
      true,
      [],
      [""],
      [1],
      { a: 1 },
      null,
    ];
    const expected = (check: z.ZodType, value: TerraformValue) => {
      const block = { doc: "", attributes: [optional("given", "dynamic", "", { check })] };
      return checkConfig(block, { given: value }).map(({ summary }) => summary);
    };
    const schemas = resourceTypes.flatMap((type) => shapeOf(type).declared).map(({ schema }) => schema);
    const said = schemas.flatMap((schema) =>
      schema === undefined ? [] : wrong.flatMap((value) => expected(schema, value)),
    );
    expect(said).toContain('given: expected "auto" or a mapping');
    expect(said.length).toBeGreaterThan(100);
    expect(
      said.filter((text) => /Invalid|Too (small|big)|Unrecognized|>=|<=|received|undefined/.test(text)),
    ).toEqual([]);
    const map = z.record(z.string(), z.object({ maxLength: z.number() }));
    expect(expected(map, { LOG_LEVEL: { maxLength: "x" } })).toEqual([
      "given.LOG_LEVEL.maxLength: expected a number",
    ]);
    expect(expected(z.string().min(1), "")).toEqual(["given: expected text that is not empty"]);
  });
});
