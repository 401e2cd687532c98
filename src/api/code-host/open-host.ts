import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import { Secret } from "../../model/secret";
import type { ProcessEnvironment } from "../../model/text";
import { type CodeHost, type HostOptions, type JobPlatform, platformOf } from "./code-host";
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
  const { hint, ...wanted } = names[platform];
  const first = (among: readonly string[]): string | undefined =>
    among.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== "");
  const token = first(wanted.token);
  const repository = first(wanted.repository);
  const apiUrl = first(wanted.apiUrl) ?? (platform === "github" ? "https://api.github.com" : undefined);
  const missing = (["token", "repository", "apiUrl"] as const).find(
    (name) => ({ token, repository, apiUrl })[name] === undefined,
  );
  if (missing !== undefined || !token || !repository || !apiUrl) {
    const name = wanted[missing ?? "token"][0];
    return { diagnostics: [unset(platform, `${name} is not set`, hint)] };
  }
  if (!/^[!-~]+$/.test(token))
    return { diagnostics: [unset(platform, `${wanted.token[0]} holds spaces or line breaks`, hint)] };
  const author = first(["RNV_COMMENT_AUTHOR"]);
  const options = {
    ...parts,
    apiUrl,
    repository,
    token: new Secret(token),
    ...(author !== undefined && { author }),
  };
  return { host: createHost(platform === "github" ? github : gitlab, options), diagnostics: [] };
}

function unset(platform: JobPlatform, why: string, hint: string): Diagnostic {
  const host = platform === "github" ? "GitHub" : "GitLab";
  return warning("config.missing", `${host} is not notified of this run: ${why}`, { hint });
}
