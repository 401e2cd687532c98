import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SeenStateRequest } from "../support/http-state-server";
import { newFolder } from "../support/temp-folder";
import { describeWith, paths } from "./programs";

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

describeWith(["github-openapi", "ajv"], () => {
  it("every request of a job to GitHub is as GitHub's own description has it", () => {
    const file = join(newFolder("requests"), "requests");
    const suites = [
      "ci-drift-issue",
      "ci-record",
      "ci-review",
      "ci-stages",
      "ci-sweep",
      "ci-upkeep",
      "promote",
    ];
    const played = spawnSync(
      "npx",
      ["jest", "--config", "test/jest.config.cjs", `test/scenario/(${suites.join("|")}).test`],
      {
        cwd: resolve(__dirname, "../.."),
        env: { ...process.env, RNV_SEEN_REQUESTS: file, RNV_SOAK: "1" },
        encoding: "utf8",
      },
    );
    expect([played.status, played.stderr]).toEqual([0, expect.any(String)]);

    // A keyword of OpenAPI 3.0, which JSON Schema does not have.
    const description = JSON.parse(readFileSync(String(paths["github-openapi"]), "utf8"), (key, value) =>
      key === "nullable" ? undefined : value,
    );
    const Ajv = require(String(paths.ajv));
    const ajv = new Ajv({ strict: false, logger: false });
    ajv.addSchema(description, "github");
    const templates = Object.keys(description.paths).map((path) => ({
      path,
      form: new RegExp(
        `^${path
          .replace(/[.]/g, "\\.")
          .replace(/\{(ref|path)\}/g, ".+")
          .replace(/\{[^}]+\}/g, "[^/]+")}$`,
      ),
    }));
    const named = (one: Parameter): Parameter =>
      one.$ref ? description.components.parameters[one.$ref.split("/").at(-1) ?? ""] : one;

    const mistakes = new Set<string>();
    const operations = new Set<string>();
    for (const line of readFileSync(file, "utf8").trim().split("\n")) {
      const { method, path, body } = JSON.parse(line) as SeenStateRequest;
      const url = new URL(path, "http://github.test");
      const at = (text: string): void => void mistakes.add(`${method} ${url.pathname}: ${text}`);
      const template = templates.find(
        (one) => one.form.test(url.pathname) && method.toLowerCase() in description.paths[one.path],
      );
      if (template === undefined) {
        at("is no operation");
        continue;
      }
      operations.add(`${method} ${template.path}`);
      const operation: Operation = description.paths[template.path][method.toLowerCase()];
      const queries = (operation.parameters ?? []).map(named).filter((one) => one.in === "query");
      for (const name of url.searchParams.keys())
        if (queries.every((one) => one.name !== name)) at(`has no query ${name}`);
      if (body === "") continue;
      const pointer = [
        "paths",
        template.path,
        method.toLowerCase(),
        "requestBody",
        "content",
        "application/json",
        "schema",
      ]
        .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
        .map(encodeURIComponent)
        .join("/");
      const validate = ajv.compile({ $ref: `github#/${pointer}` });
      if (!validate(JSON.parse(body))) at(ajv.errorsText(validate.errors));
    }
    expect([...mistakes]).toEqual([]);
    expect(operations.size).toBeGreaterThan(12);
  }, 900_000);
});
