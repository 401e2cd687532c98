import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import { Secret } from "../../model/secret";
import type { ProcessEnvironment } from "../../model/text";
import { type CodeHost, type HostOptions, platformOf } from "./code-host";
import { createHost } from "./create-host";
import { github } from "./github";
import { gitlab } from "./gitlab";

interface OpenedHost {
  /** Undefined where the job runs elsewhere, or without what is needed to speak to its host. */
  readonly host?: CodeHost;
  /** Why there is none, as warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

type HostParts = Omit<HostOptions, "apiUrl" | "repository" | "token" | "author">;

/** The environment variables of a platform, the first that is set of each row. */
const names = {
  github: {
    token: ["GITHUB_TOKEN", "GH_TOKEN"],
    apiUrl: ["GITHUB_API_URL"],
    repository: ["GITHUB_REPOSITORY"],
    hint:
      "give the step `env: { GITHUB_TOKEN: $" +
      "{{ github.token }} }`, and the job `permissions: pull-requests: write`",
  },
  gitlab: {
    // The token of the job itself (CI_JOB_TOKEN) may not write notes.
    token: ["RNV_GITLAB_TOKEN", "GITLAB_TOKEN"],
    apiUrl: ["CI_API_V4_URL"],
    repository: ["CI_PROJECT_ID"],
    hint: "make a project access token (role Reporter, scope api) and set it as the masked variable RNV_GITLAB_TOKEN",
  },
} as const;

/** Opens the code host of this job from its environment. Throws `DiagnosticsError` for an address no token may go to. */
export function openCodeHost(environment: ProcessEnvironment, parts: HostParts): OpenedHost {
  const platform = platformOf(environment);
  if (platform === undefined) return { diagnostics: [] };
  const routes = platform === "github" ? github : gitlab;
  const { hint, ...wanted } = names[platform];
  const first = (among: readonly string[]): string | undefined =>
    among.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== "");
  const without = (name: string, why = "is not set"): OpenedHost => {
    const summary = `${routes.name} is not notified of this run: ${name} ${why}`;
    return { diagnostics: [warning("config.missing", summary, { hint })] };
  };
  const token = first(wanted.token);
  const repository = first(wanted.repository);
  const apiUrl = first(wanted.apiUrl) ?? (platform === "github" ? "https://api.github.com" : undefined);
  if (token === undefined) return without(wanted.token[0]);
  if (repository === undefined) return without(wanted.repository[0]);
  if (apiUrl === undefined) return without(wanted.apiUrl[0]);
  if (!/^[!-~]+$/.test(token)) return without(wanted.token[0], "holds spaces or line breaks");
  const author = first(["RNV_COMMENT_AUTHOR"]);
  const given = { apiUrl, repository, token: new Secret(token), ...(author !== undefined && { author }) };
  return { host: createHost(routes, { ...parts, ...given }), diagnostics: [] };
}
